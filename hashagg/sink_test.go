package hashagg

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// batches is a source of ready batches; its streams share them.
type batches struct {
	schema *arrow.Schema
	mu     sync.Mutex
	rest   []*vector.Batch
}

func (b *batches) Schema() *arrow.Schema             { return b.schema }
func (b *batches) Stream() (operators.Stream, error) { return b, nil }
func (b *batches) Close() error                      { return nil }

func (b *batches) Next(context.Context) (*vector.Batch, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.rest) == 0 {
		return nil, io.EOF
	}
	next := b.rest[0]
	b.rest = b.rest[1:]
	return next, nil
}

// keyText is a key column's value as the test's reference compares it.
func keyText(v *vector.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	for v.Dict != nil {
		i, v = v.Code(i), v.Dict
	}
	switch v.Type.ID() {
	case arrow.FLOAT64:
		f := vector.Values[float64](v)[i]
		if f == 0 {
			f = 0
		}
		if f != f {
			return "NaN"
		}
		return fmt.Sprintf("%x", math.Float64bits(f+0))
	case arrow.FLOAT32:
		f := vector.Values[float32](v)[i]
		if f != f {
			return "NaN"
		}
		return fmt.Sprintf("%x", math.Float32bits(f+0))
	}
	return fmt.Sprintf("%x", v.Bytes(i))
}

// column makes n random rows of type t with about groups different values.
func column(r *rand.Rand, t arrow.DataType, n, groups int, nulls bool) *vector.Vector {
	b := vector.NewBuilder(t)
	for range n {
		if nulls && r.IntN(7) == 0 {
			b.AppendNull()
			continue
		}
		x := r.IntN(groups)
		var err error
		switch {
		case vector.IsBytes(t):
			err = b.AppendBytes([]byte(strings.Repeat("é", x%19) + fmt.Sprint(x)))
		case t.ID() == arrow.BOOL:
			err = b.AppendBytes([]byte{byte(x & 1)})
		case t.ID() == arrow.FLOAT64:
			f := []float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0x7ff8000000000123), 1.5, math.Inf(1)}
			y := float64(x)
			if x < len(f) {
				y = f[x]
			}
			err = b.AppendBytes(vector.AsBytes([]float64{y}))
		case t.ID() == arrow.FLOAT32:
			y := float32(x) - 3
			if x == 0 {
				y = float32(math.Copysign(0, -1))
			}
			if x == 1 {
				y = float32(math.NaN())
			}
			err = b.AppendBytes(vector.AsBytes([]float32{y}))
		default:
			p := make([]byte, vector.Width(t))
			for k := range p {
				p[k] = byte((x - 5) >> min(8*k, 62))
			}
			err = b.AppendBytes(p)
		}
		if err != nil {
			panic(err)
		}
	}
	v := *b.Vector()
	return &v
}

// codedCopy returns v with a dictionary of its distinct values and some that no
// row has.
func codedCopy(v *vector.Vector) *vector.Vector {
	b := vector.NewBuilder(v.Type)
	seen := map[string]uint32{}
	out := &vector.Vector{Type: v.Type, Len: v.Len, Codes: make([]uint32, v.Len), Valid: v.Valid}
	w := max(1, vector.Width(v.Type))
	b.AppendBytes([]byte(strings.Repeat("~", w)))
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		p := string(v.Bytes(i))
		c, ok := seen[p]
		if !ok {
			c = uint32(b.Len())
			seen[p] = c
			b.AppendBytes([]byte(p))
		}
		out.Codes[i] = c
	}
	d := *b.Vector()
	d.ID = vector.NextID()
	out.Dict = &d
	return out
}

type testInput struct {
	schema *arrow.Schema
	all    []*vector.Batch
}

// makeInput builds batches whose last column is an int64 value.
func makeInput(r *rand.Rand, types []arrow.DataType, groups int, nulls bool, form string) testInput {
	var fields []arrow.Field
	for i, t := range types {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("k%d", i), Type: t, Nullable: true})
	}
	fields = append(fields, arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	in := testInput{schema: arrow.NewSchema(fields, nil)}
	row := uint64(0)
	for b := range 12 {
		n := []int{1, 7, 64, 300, 1000}[r.IntN(5)]
		batch := &vector.Batch{Len: n, Row: row}
		row += uint64(n)
		for _, t := range types {
			v := column(r, t, n, groups, nulls)
			if form == "coded" || form == "mixed" && b%2 == 0 {
				v = codedCopy(v)
			}
			batch.Cols = append(batch.Cols, v)
		}
		batch.Cols = append(batch.Cols, column(r, arrow.PrimitiveTypes.Int64, n, 1000, nulls))
		if r.IntN(3) == 0 {
			batch.Sel = []uint32{}
			for i := range n {
				if r.IntN(2) == 0 {
					batch.Sel = append(batch.Sel, uint32(i))
				}
			}
		}
		in.all = append(in.all, batch)
	}
	return in
}

// referenceGroups groups with a map: key → count(*), count(x), sum(x).
func referenceGroups(in testInput) map[string][3]int64 {
	out := map[string][3]int64{}
	for _, b := range in.all {
		rows := b.Sel
		if rows == nil {
			for i := range b.Len {
				rows = append(rows, uint32(i))
			}
		}
		k := len(b.Cols) - 1
		for _, i := range rows {
			var parts []string
			for _, c := range b.Cols[:k] {
				parts = append(parts, keyText(c, int(i)))
			}
			s := out[strings.Join(parts, "|")]
			s[0]++
			if x := b.Cols[k]; !x.IsNull(int(i)) {
				s[1]++
				s[2] += vector.Values[int64](x)[i]
			}
			out[strings.Join(parts, "|")] = s
		}
	}
	return out
}

func runSink(t *testing.T, in testInput, cfg Config) map[string][3]int64 {
	t.Helper()
	x := []int{len(in.schema.Fields()) - 1}
	return runCalls(t, in, cfg, [3]testCall{{"count", nil, Modifiers{}}, {"count", x, Modifiers{}}, {"sum", x, Modifiers{}}})
}

// testCall is a call over int64 columns.
type testCall struct {
	name string
	args []int
	m    Modifiers
}

// runCalls runs a query and returns its results by key.
func runCalls(t *testing.T, in testInput, cfg Config, calls [3]testCall) map[string][3]int64 {
	t.Helper()
	k := len(in.schema.Fields()) - 1
	for _, c := range calls {
		a, err := Bind(c.name, slices.Repeat([]arrow.DataType{arrow.PrimitiveTypes.Int64}, len(c.args)), c.m)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Calls = append(cfg.Calls, Call{Agg: a, Args: c.args, Name: c.name})
	}
	for i := range k {
		cfg.Keys = append(cfg.Keys, i)
	}
	budget := memory.NewBudget(0)
	cfg.Budget = budget
	sink, err := NewSink(in.schema, cfg)
	if err != nil {
		t.Fatal(err)
	}
	src := &batches{schema: in.schema, rest: slices.Clone(in.all)}
	res, _, err := operators.Drain(context.Background(), src, sink, sink.Workers())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][3]int64{}
	st, _ := res.Stream()
	for {
		b, err := st.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len {
			var parts []string
			for _, c := range b.Cols[:k] {
				parts = append(parts, keyText(c, i))
			}
			key := strings.Join(parts, "|")
			if _, dup := out[key]; dup {
				t.Fatalf("group %s comes twice", key)
			}
			var s [3]int64
			for j := range s {
				if !b.Cols[k+j].IsNull(i) {
					s[j] = vector.Values[int64](b.Cols[k+j])[i]
				}
			}
			out[key] = s
		}
	}
	if got := sink.Report().Groups; got != int64(len(out)) {
		t.Errorf("report says %d groups, got %d", got, len(out))
	}
	sink.Close()
	if budget.Used() != 0 {
		t.Errorf("%d bytes of the budget are still held", budget.Used())
	}
	return out
}

var testTypes = []arrow.DataType{
	arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int8,
	arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float32,
	arrow.FixedWidthTypes.Boolean, &arrow.Decimal128Type{Precision: 20, Scale: 2}, &arrow.Decimal256Type{Precision: 50, Scale: 2},
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us, &arrow.FixedSizeBinaryType{ByteWidth: 5}, arrow.BinaryTypes.Binary,
}

// TestSinkMatrix runs every strategy over every form of key, with NULLs and
// without. The configurations of a strategy take turns: each comes with each
// form and with NULLs, but not with all types of keys.
func TestSinkMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cases := [][]arrow.DataType{{}}
	for _, typ := range testTypes {
		cases = append(cases, []arrow.DataType{typ})
	}
	for range 25 {
		var c []arrow.DataType
		for range 2 + r.IntN(4) {
			c = append(c, testTypes[r.IntN(len(testTypes))])
		}
		cases = append(cases, c)
	}
	for turn, types := range cases {
		for _, form := range []string{"flat", "coded", "mixed"} {
			for _, nulls := range []bool{false, true} {
				if turn++; testing.Short() && turn%7 > 0 {
					continue
				}
				groups := []int{3, 50, 3000}[r.IntN(3)]
				in := makeInput(r, types, groups, nulls, form)
				t.Run(fmt.Sprintf("%v/%s/nulls=%v/%d", types, form, nulls, groups), func(t *testing.T) {
					want := referenceGroups(in)
					for _, cfg := range oneOfEach(testConfigs(len(types), r), turn) {
						if cfg.knobs != nil && cfg.knobs.hashMask == 0 && len(want) > 300 {
							continue // all in one chain: quadratic
						}
						got := runSink(t, in, cfg)
						compareGroups(t, fmt.Sprintf("%s workers=%d hints=%v", cfg.Strategy, cfg.Workers, cfg.Ranges), got, want)
					}
				})
			}
		}
	}
}

// oneOfEach returns a configuration of each strategy, another one each turn.
func oneOfEach(all []Config, turn int) (out []Config) {
	for _, s := range Strategies() {
		var some []Config
		for _, c := range all {
			if c.Strategy == s {
				some = append(some, c)
			}
		}
		out = append(out, some[turn%len(some)])
	}
	return out
}

func testConfigs(keys int, r *rand.Rand) []Config {
	hints := func(lo, hi int64) []Range {
		out := make([]Range, keys)
		for i := range out {
			out[i] = Range{Lo: lo, Hi: hi, OK: r.IntN(4) > 0}
		}
		return out
	}
	tiny := &knobs{hashMask: ^uint64(0), slots: 8, block: 1, striped: 10, slotRows: 1, partitions: 4, stageRows: 5, frontGroups: 6, manyWorkers: 2, windowRows: 50}
	same := &knobs{hashMask: 0, slots: 8, block: 3, striped: 1 << 20, slotRows: 1, partitions: 1, stageRows: 100, frontGroups: 50, manyWorkers: 99, windowRows: 1000}
	few := &knobs{hashMask: 0xff << 56, slots: 16, block: 256, striped: 300, slotRows: 1, partitions: 16, stageRows: 1000, frontGroups: 20, manyWorkers: 3, windowRows: 500}
	var out []Config
	for _, s := range []Strategy{Partial, PartitionRows, PartitionGroups, Hybrid} {
		out = append(out,
			Config{Strategy: s, Workers: 1 + r.IntN(4), Rows: 1e6, knobs: tiny, Ranges: hints(-5, 40)},
			Config{Strategy: s, Workers: 1 + r.IntN(4), Rows: -1, knobs: same, BatchRows: 64},
			Config{Strategy: s, Workers: 1 + r.IntN(4), Rows: 100, knobs: few, Ranges: hints(0, 1<<40)},
			Config{Strategy: s, Workers: 2, Rows: 100})
	}
	return append(out, []Config{
		{Strategy: Auto, Workers: 3, Rows: 1e6, knobs: tiny, Ranges: hints(-5, 40)},
		{Strategy: Auto, Workers: 4, Rows: -1, knobs: few},
		{Strategy: Serial, Workers: 1, Rows: -1},
		{Strategy: Shared, Workers: 3, Rows: -1, BatchRows: 3},
		{Strategy: Shared, Workers: 2, Rows: -1, knobs: tiny, BatchRows: 64},
		{Strategy: Shared, Workers: 4, Rows: -1, knobs: few, Ranges: hints(-5, 40)},
		{Strategy: Auto, Workers: 2, Rows: 100, Ranges: hints(0, 7), knobs: same},
		{Strategy: Shared, Workers: 2, Rows: 1e6, Ranges: hints(-5, 1<<40)},
	}...)
}

func compareGroups(t *testing.T, what string, got, want map[string][3]int64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d groups, want %d", what, len(got), len(want))
	}
	for k, w := range want {
		if g, ok := got[k]; !ok || g != w {
			t.Errorf("%s: group %s is %v (there: %v), want %v", what, k, g, ok, w)
			return
		}
	}
}
