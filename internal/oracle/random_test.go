package oracle_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg"
	"github.com/colagg/colagg/internal/oracle"
)

// waysPerTable is how many of the ways to run a query each random table is run
// in; together the tables run in all of them.
const waysPerTable = 8

// functions returns the aggregates that make sense over a type.
func functions(t arrow.DataType) []string {
	all := []string{"count", "min", "max", "first", "last", "any_value"}
	switch t.ID() {
	case arrow.BOOL:
		return append(all, "bool_and", "bool_or")
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128, arrow.DECIMAL256:
		return append(all, "sum", "avg", "var_samp", "var_pop", "stddev_samp", "stddev_pop")
	}
	return all
}

// TestRandomTables compares the engine with the oracle over random tables, as
// records and as Parquet, in several ways.
func TestRandomTables(t *testing.T) {
	tables := 150
	if testing.Short() {
		tables = 25
	}
	for seed := range tables {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			compareRandom(t, uint64(seed))
		})
	}
}

// FuzzRandomTables does the same for other seeds.
func FuzzRandomTables(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(compareRandom)
}

func compareRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	table := newRandomTable(rng)
	calls, aggs := table.calls(rng)
	keys := make([]int, table.keys)
	var by []string
	for i := range keys {
		keys[i] = i
		by = append(by, fmt.Sprintf("c%d", i))
	}
	want := answer{rows: oracle.Aggregate(table.records, keys, calls)}
	overflow := false
	for _, row := range want.rows {
		for _, cell := range row {
			overflow = overflow || cell == "overflow"
		}
	}
	loose := func(name string) bool { return strings.HasPrefix(name, "var") || strings.HasPrefix(name, "std") }
	file := table.parquet(t)
	ways := variants(int64(len(table.records)))
	rng.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
	for i, v := range ways[:min(waysPerTable, len(ways))] {
		src := colagg.Inputs(file)
		if i%2 == 1 {
			src = colagg.Records(table.reader(t))
		}
		got, stats, err := v.run(colagg.Query{From: src, GroupBy: by, Aggs: aggs})
		if overflow {
			var e *colagg.Error
			if !errors.As(err, &e) || e.Kind != colagg.Overflow {
				t.Fatalf("%s: the error is %v, want an overflow\n%s", v, err, table)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", v, err, table)
		}
		want.names = got.names
		if d := differ(want, got, len(keys), loose); d != "" {
			t.Fatalf("%s (was %s, %s, source %d): %s\n%s", v, stats.Strategy, stats.KeyForm, i%2, d, table)
		}
	}
}

// calls draws some aggregates over the columns that are not keys, and over a
// key too.
func (t *randomTable) calls(rng *rand.Rand) ([]oracle.Call, []string) {
	calls, aggs := []oracle.Call{{Func: "count", Arg: -1}}, []string{"count(*)"}
	for i, c := range t.columns {
		if i < t.keys && rng.IntN(4) > 0 {
			continue
		}
		fs := functions(c.typ)
		for range 1 + rng.IntN(4) {
			f := fs[rng.IntN(len(fs))]
			distinct := f != "first" && f != "last" && f != "any_value" && rng.IntN(3) == 0
			calls = append(calls, oracle.Call{Func: f, Arg: i, Distinct: distinct})
			if distinct {
				aggs = append(aggs, fmt.Sprintf("%s(distinct c%d)", f, i))
			} else {
				aggs = append(aggs, fmt.Sprintf("%s(c%d)", f, i))
			}
		}
	}
	return calls, aggs
}
