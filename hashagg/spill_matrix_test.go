package hashagg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// matrixCall is a call of a function of the table over columns of the matrix: 0 has
// the type that is looked at, those behind it orderTypes.
type matrixCall struct {
	agg       *Aggregate
	modifiers Modifiers
	columns   []int // of the arguments; count(*) has none
	filter    bool
}

// matrixColumns are the arguments of calls, by their number.
var matrixColumns = [][][]int{{{}}, {{0}}, {{0, 1}, {1, 0}, {0, 2}, {0, 3}}}

// callsOver returns the calls of all functions that take type typ, with all
// their modifiers.
func callsOver(t *testing.T, typ arrow.DataType) (out []matrixCall) {
	t.Helper()
	all := append([]arrow.DataType{typ}, orderTypes...)
	for _, f := range functions {
		for n := f.columns.min; n <= min(f.columns.max, len(matrixColumns)-1); n++ {
			for _, columns := range matrixColumns[n] {
				var args []arrow.DataType
				for _, c := range columns {
					args = append(args, all[c])
				}
				for _, m := range callsOf(f) {
					agg, err := Bind(f.name, append(args[:n:n], orderTypes[:len(m.Order)]...), m)
					var refused *BindError
					if errors.As(err, &refused) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, matrixCall{agg: agg, modifiers: m, columns: columns})
				}
			}
		}
	}
	return out
}

// TestEveryFunctionIsInTheMatrix holds that each function has a type over which
// it is tested.
func TestEveryFunctionIsInTheMatrix(t *testing.T) {
	there := map[string]bool{}
	for _, typ := range aggregateTypes {
		for _, c := range callsOver(t, typ) {
			there[c.agg.Name] = true
		}
	}
	for _, f := range functions {
		if !there[f.name] {
			t.Errorf("%s is not", f.name)
		}
	}
}

// arguments returns the columns of c, those of ORDER BY last, where those of the
// matrix begin at first.
func (c matrixCall) arguments(first int) (out []int) {
	for i := range c.agg.Args {
		at := i - len(c.columns) + 1
		if i < len(c.columns) {
			at = c.columns[i]
		}
		out = append(out, first+at)
	}
	return out
}

// oneOfEachFunction returns the first call of each function.
func oneOfEachFunction(calls []matrixCall) (out []matrixCall) {
	for _, c := range calls {
		if !slices.ContainsFunc(out, func(o matrixCall) bool { return o.agg.Name == c.agg.Name }) {
			out = append(out, c)
		}
	}
	return out
}

// call returns c where the columns of the matrix begin at first.
func (c matrixCall) call(first int, name string) Call {
	return Call{Agg: c.agg, Args: c.arguments(first), Name: name, Filter: Filter{first + 1 + len(orderTypes), c.filter}}
}

// reference is the result for the rows of a group, whose last column is the filter.
func (c matrixCall) reference(rows [][]cell) string {
	if c.filter {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row []cell) bool { return row[len(row)-1] != true })
	}
	var args [][]cell
	for _, row := range rows {
		var r []cell
		for _, at := range c.arguments(0) {
			r = append(r, row[at])
		}
		args = append(args, r)
	}
	return referenceCall(c.agg, c.modifiers, args)
}

// matrixKeys are the key columns of the matrix: each form of key, and each way
// of getting there.
var matrixKeys = map[string][]arrow.DataType{
	"one byte":  {arrow.PrimitiveTypes.Int8},
	"flags":     {arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8},
	"int64":     {arrow.PrimitiveTypes.Int64},
	"packed":    {arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Date32},
	"text":      {arrow.BinaryTypes.String},
	"texts":     {arrow.BinaryTypes.String, arrow.BinaryTypes.String},
	"several":   {arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint16},
	"decimal":   {&arrow.Decimal128Type{Precision: 20, Scale: 2}},
	"decimals":  {&arrow.Decimal256Type{Precision: 50, Scale: 2}, arrow.PrimitiveTypes.Int64},
	"float64":   {arrow.PrimitiveTypes.Float64},
	"floats":    {arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64},
	"bytes":     {arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 5}},
	"timestamp": {arrow.FixedWidthTypes.Timestamp_us},
}

// matrixShapes say which key row i of n has, of so many.
var matrixShapes = map[string]func(r *rand.Rand, i, n, keys int) int{
	"even":    func(r *rand.Rand, _, _, keys int) int { return r.IntN(keys) },
	"one key": func(*rand.Rand, int, int, int) int { return 0 },
	"hitter": func(r *rand.Rand, _, _, keys int) int {
		if r.IntN(100) < 95 {
			return keys / 2
		}
		return r.IntN(keys)
	},
	"sorted": func(_ *rand.Rand, i, n, keys int) int { return i * keys / n },
	"waves":  func(r *rand.Rand, i, n, keys int) int { return (8*i/n%4*keys/4 + r.IntN(1+keys/4)) % keys },
}

// matrixTable is rows in batches, by group too.
type matrixTable struct {
	what   string
	schema *arrow.Schema
	keys   int // columns
	all    []*vector.Batch
	groups map[string][][]cell // by keyOfRow: the columns behind the keys
}

// newMatrixTable makes a table whose values are of type typ, and at least rows
// rows.
func newMatrixTable(t *testing.T, r *rand.Rand, typ arrow.DataType, rows int) *matrixTable {
	t.Helper()
	form := pickKey(r, matrixKeys)
	shape := pickKey(r, matrixShapes)
	tab := &matrixTable{groups: map[string][][]cell{}, keys: len(matrixKeys[form])}
	nulls, keys, m := r.IntN(6), []int{1, 20, 300, rows}[r.IntN(4)], mood(r.IntN(4))
	var fields []arrow.Field
	var dictionary []*vector.Vector // of keys
	for i, k := range matrixKeys[form] {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("k", i), Type: k, Nullable: true})
		dictionary = append(dictionary, column(r, k, keys, keys, r.IntN(2) == 0))
	}
	types := append(append([]arrow.DataType{typ}, orderTypes...), arrow.FixedWidthTypes.Boolean)
	for i, v := range types {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("v", i), Type: v, Nullable: true})
	}
	tab.schema = arrow.NewSchema(fields, nil)
	tab.what = fmt.Sprintf("%d keys (%s, %s), %s values, mood %d, nulls %d", keys, form, shape, typ, m, nulls)
	for at := 0; at < rows; {
		b := &vector.Batch{Len: 1 + r.IntN(rows/4), Row: uint64(at)}
		from := make([]uint32, b.Len)
		for i := range from {
			from[i] = uint32(matrixShapes[shape](r, at+i, rows+rows/4, keys))
		}
		coded := r.IntN(2) == 0
		for _, d := range dictionary {
			v, err := vector.Gather(nil, d, from)
			if err != nil {
				t.Fatal(err)
			}
			if coded {
				v = codedCopy(v)
			}
			b.Cols = append(b.Cols, v)
		}
		tab.addValues(t, r, b, types, m, nulls)
		at += b.Len
	}
	return tab
}

// addValues fills the columns of b that are no keys.
func (tab *matrixTable) addValues(t *testing.T, r *rand.Rand, b *vector.Batch, types []arrow.DataType, m mood, nulls int) {
	t.Helper()
	columns := make([][]cell, len(types))
	for c, typ := range types {
		columns[c] = make([]cell, b.Len)
		for i := range columns[c] {
			if typ.ID() != arrow.NULL && (nulls == 0 || r.IntN(1+nulls) > 0) {
				columns[c][i] = matrixCell(r, typ, m, c)
			}
		}
		b.Cols = append(b.Cols, makeVector(t, r, typ, columns[c], form(r.IntN(int(forms)))))
	}
	if r.IntN(4) == 0 {
		b.Sel = []uint32{}
	}
	for i := range b.Len {
		if b.Sel != nil {
			if r.IntN(2) == 0 {
				continue
			}
			b.Sel = append(b.Sel, uint32(i))
		}
		row := make([]cell, len(types))
		for c := range row {
			row[c] = columns[c][i]
		}
		key := keyOfRow(b.Cols[:tab.keys], i)
		tab.groups[key] = append(tab.groups[key], row)
	}
	tab.all = append(tab.all, b)
}

// matrixCell is a value of column c: those behind the first are few.
func matrixCell(r *rand.Rand, typ arrow.DataType, m mood, c int) cell {
	if c == 0 {
		return randomCell(r, typ, m)
	}
	return fewCells(r, typ)
}

// pickKey returns one of the keys of a map.
func pickKey[V any](r *rand.Rand, m map[string]V) string {
	keys := slices.Sorted(maps.Keys(m))
	return keys[r.IntN(len(keys))]
}

// matrixResult is the results by group, or the error of an overflow.
type matrixResult struct {
	groups   map[string][]string
	overflow bool
}

// matrixConfig is a Config with little memory and small numbers of all else.
func matrixConfig(r *rand.Rand, keys int) Config {
	cfg := stressConfig(r, keys)
	cfg.Workers = []int{1, 2, 8}[r.IntN(3)]
	cfg.Budget = memory.NewBudget([]int64{8 << 10, 64 << 10}[r.IntN(2)])
	if r.IntN(3) == 0 {
		*cfg.knobs = defaultKnobs()
		cfg.knobs.partitions = []int{1, 2, 8}[r.IntN(3)]
	}
	if r.IntN(4) == 0 {
		cfg.knobs.hashMask = 0
	}
	return cfg
}

// run runs a query with the calls and returns its results and how many extents
// went to disk.
func (tab *matrixTable) run(t *testing.T, what string, cfg Config, calls []matrixCall) (got matrixResult, wrote int64) {
	t.Helper()
	dir := t.TempDir()
	for k := range tab.keys {
		cfg.Keys = append(cfg.Keys, k)
	}
	for i, c := range calls {
		cfg.Calls = append(cfg.Calls, c.call(tab.keys, fmt.Sprint("a", i)))
	}
	cfg.Spill = spill.Open(spill.Config{Dirs: []string{dir}, Budget: cfg.Budget})
	sink, err := NewSink(tab.schema, cfg)
	if err != nil {
		t.Fatal(err)
	}
	got.groups = map[string][]string{}
	src := yieldingSource{&batches{schema: tab.schema, rest: slices.Clone(tab.all)}}
	res, _, err := operators.Drain(context.Background(), src, yieldingSink{sink}, sink.Workers())
	if err == nil {
		err = tab.read(t, what, res, got.groups)
	}
	var overflow *OverflowError
	switch {
	case errors.As(err, &overflow):
		got.overflow = true
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case sink.Report().Groups != int64(len(got.groups)):
		t.Errorf("%s: %d groups reported, %d read", what, sink.Report().Groups, len(got.groups))
	}
	wrote = cfg.Spill.Stats().Extents
	sink.Close()
	if err := cfg.Spill.Close(); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	cfg.Budget.Close() // gives back what workers that were stopped held
	if n := cfg.Budget.Used(); n != 0 {
		t.Errorf("%s: %d bytes are still held", what, n)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s: %v is left", what, left)
	}
	return got, wrote
}

// read adds the groups of src to out.
func (tab *matrixTable) read(t *testing.T, what string, src operators.Source, out map[string][]string) error {
	t.Helper()
	st, err := src.Stream()
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	for {
		b, err := st.Next(context.Background())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range b.Len {
			key := keyOfRow(b.Cols[:tab.keys], i)
			if _, twice := out[key]; twice {
				t.Errorf("%s: group %s comes twice", what, key)
			}
			row := []string{}
			for _, v := range b.Cols[tab.keys:] {
				row = append(row, cellText(readCell(v, i)))
			}
			out[key] = row
		}
	}
}

// want is what the reference makes of the table.
func (tab *matrixTable) want(calls []matrixCall) (want matrixResult) {
	want.groups = map[string][]string{}
	for key, rows := range tab.groups {
		row := []string{}
		for _, c := range calls {
			text := c.reference(rows)
			want.overflow = want.overflow || text == overflows
			row = append(row, text)
		}
		want.groups[key] = row
	}
	return want
}

// compare fails the test where got is not want.
func (tab *matrixTable) compare(t *testing.T, what string, calls []matrixCall, got, want matrixResult) {
	t.Helper()
	if got.overflow || want.overflow {
		if got.overflow != want.overflow {
			t.Errorf("%s: an overflow: %v, not %v", what, got.overflow, want.overflow)
		}
		return
	}
	if len(got.groups) != len(want.groups) {
		t.Errorf("%s: %d groups, not %d", what, len(got.groups), len(want.groups))
	}
	for key, row := range want.groups {
		for i, c := range calls {
			switch there := got.groups[key]; {
			case there == nil:
				t.Errorf("%s: group %s is missing", what, key)
				return
			case !sameResult(c.agg.Name, there[i], row[i]):
				t.Errorf("%s: %s(%v) %v, filter %v, of group %s is\n%s, not\n%s", what, c.agg.Name, c.agg.Args, c.modifiers, c.filter, key, there[i], row[i])
				return
			}
		}
	}
}

// shortCalls is how many calls of each type a short run takes.
const shortCalls = 24

// TestSpillMatrix runs every function, with each of its modifiers, over each of
// the types that it takes and a third with a filter, with too little memory: strategies, workers, forms
// of keys, shapes of inputs, budgets and knobs at random. The answer is that of
// the reference, as it is without a limit. An ordinary run takes one call of each
// function over each type; COLAGG_STRESS_ROUNDS is how often all are run.
func TestSpillMatrix(t *testing.T) {
	spilled := map[Strategy]int{}
	queries := 0
	for round := range stressRounds(t, 1) {
		r := rand.New(rand.NewPCG(41, uint64(round)))
		for _, typ := range aggregateTypes {
			if testing.Short() && r.IntN(25) > 0 {
				continue
			}
			calls := callsOver(t, typ)
			r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
			if os.Getenv("COLAGG_STRESS_ROUNDS") == "" {
				calls = oneOfEachFunction(calls)
			}
			if testing.Short() {
				calls = calls[:min(len(calls), shortCalls)]
			}
			for i := range calls {
				calls[i].filter = r.IntN(3) == 0
			}
			for some := range slices.Chunk(calls, 1+r.IntN(12)) {
				tab := newMatrixTable(t, r, typ, 100+r.IntN(900))
				want := tab.want(some)
				for _, s := range []Strategy{Serial, Strategies()[r.IntN(len(Strategies()))]} {
					cfg := matrixConfig(r, tab.keys)
					cfg.Strategy = s
					if cfg.knobs.hashMask == 0 && len(tab.groups) > 300 {
						cfg.knobs.hashMask = math.MaxUint64 // else all in one chain: quadratic
					}
					what := fmt.Sprintf("round %d, %s: %s, %d workers, %d bytes, %+v", round, tab.what, s, cfg.Workers, cfg.Budget.Free(), *cfg.knobs)
					got, wrote := tab.run(t, what, cfg, some)
					tab.compare(t, what, some, got, want)
					if wrote > 0 {
						spilled[s]++
					}
					queries++
					if s == Serial {
						continue
					}
					cfg.Budget = memory.NewBudget(0)
					got, wrote = tab.run(t, what+", no limit", cfg, some)
					tab.compare(t, what+", no limit", some, got, want)
					if wrote > 0 {
						t.Errorf("%s: went to disk without a limit", what)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
	for _, s := range Strategies() {
		if spilled[s] == 0 && !testing.Short() {
			t.Errorf("%s never went to disk", s)
		}
	}
	t.Logf("%d queries went to disk: %v", queries, spilled)
}
