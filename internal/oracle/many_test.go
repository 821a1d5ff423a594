package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
	"github.com/colagg/colagg/internal/oracle"
)

// TestManyGroups groups 25,000 rows by a key of each type with as many values as
// the type has, so that tables grow while several workers use them.
func TestManyGroups(t *testing.T) {
	for i, kind := range kinds {
		if testing.Short() && i%5 != 0 {
			continue
		}
		for _, coded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s coded %t", kind, coded), func(t *testing.T) {
				t.Parallel()
				key := column{typ: kind, values: 100_000, nulls: 0.01, coded: coded && kind.ID() != arrow.NULL}
				compareMany(t, &randomTable{keys: 1, columns: []column{key, {typ: kinds[i%3+1], values: 1000}}})
			})
		}
	}
	t.Run("two keys", func(t *testing.T) {
		text := column{typ: arrow.BinaryTypes.String, values: 5000, nulls: 0.01, coded: true}
		number := column{typ: arrow.PrimitiveTypes.Int64, values: 200, nulls: 0.01}
		compareMany(t, &randomTable{keys: 2, columns: []column{text, number, {typ: arrow.PrimitiveTypes.Int16, values: 1000}}})
	})
}

// compareMany fills the table's columns and compares the engine with the
// oracle.
func compareMany(t *testing.T, table *randomTable) {
	const records, rows = 50, 500
	rng := rand.New(rand.NewPCG(uint64(len(t.Name())), 3))
	var fields []arrow.Field
	for i, c := range table.columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: c.arrowType(), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	for range records {
		var cols []arrow.Array
		for _, c := range table.columns {
			cols = append(cols, c.array(rng, rows))
		}
		table.records = append(table.records, array.NewRecord(schema, cols, rows))
	}
	keys, by := []int{0}, []string{"c0"}
	if table.keys == 2 {
		keys, by = []int{0, 1}, []string{"c0, c1"}
	}
	v := table.keys
	aggs := []string{fmt.Sprintf("count(*), max(c%d), sum(c%d)", v, v)}
	want := answer{rows: oracle.Aggregate(table.records, keys, []oracle.Call{{Func: "count", Arg: -1}, {Func: "max", Arg: v}, {Func: "sum", Arg: v}})}
	for _, way := range []variant{{"serial", 1, 1000}, {"shared", 5, 300}, {"shared", 2, 8192}} {
		got, stats, err := way.run(colagg.Query{From: colagg.Records(table.reader(t)), GroupBy: by, Aggs: aggs})
		if err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		want.names = got.names
		if d := differ(want, got, len(keys), func(string) bool { return false }); d != "" {
			t.Fatalf("%s (was %s, %s): %s", way, stats.Strategy, stats.KeyForm, d)
		}
	}
}
