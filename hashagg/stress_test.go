package hashagg

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// TestStress has 64 workers that yield at random, whatever the machine has, and
// tables, blocks, stages and partitions so small that each is full all the time.
// COLAGG_STRESS_ROUNDS makes it longer than the 25 rounds of an ordinary run.
func TestStress(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 10
	}
	for round := range stressRounds(t, rounds) {
		r := rand.New(rand.NewPCG(11, uint64(round)))
		in := newStressInput(r)
		for k, s := range Strategies() {
			cfg := stressConfig(r, len(in.types))
			cfg.Strategy = s
			calls := stressCalls[(round+k)%len(stressCalls)]
			what := fmt.Sprintf("round %d: %s of %v, %s, %v, hints %v, %+v", round, s, in.types, in.form, calls, cfg.Ranges, *cfg.knobs)
			stress(t, what, in, calls, cfg)
			if t.Failed() {
				return
			}
		}
	}
}

// stressCall is an aggregate of a column: of those after the keys, x is a
// nullable integer, w an integer near ±2^62, f a whole number, at the row's
// position and s that as text.
type stressCall struct{ function, column string }

// stressCalls are the queries; some have no aggregate that marks its groups.
var stressCalls = [][]stressCall{
	{{"count", ""}, {"sum", "x"}},
	{{"min", "s"}},
	{{"first", "at"}, {"last", "s"}},
	{{"count", ""}, {"count", "x"}, {"sum", "x"}, {"avg", "w"}, {"min", "s"}, {"max", "s"}, {"any_value", "at"}, {"last", "at"}, {"sum", "f"}},
	{},
	{{"avg", "w"}, {"avg", "x"}},
	{{"array_agg", "at"}, {"string_agg", "s"}},
	{{"count", ""}, {"median", "at"}, {"list", "at"}, {"mode", "at"}, {"quantile_disc", "s"}},
}

// stressRounds is how many rounds are asked for, or n.
func stressRounds(t *testing.T, n int) int {
	if s := os.Getenv("COLAGG_STRESS_ROUNDS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// stressGroup is what the reference knows of a group.
type stressGroup struct {
	rows, values, sum, whole int64
	first, last              int64
	at                       []int64
	wide                     big.Int
}

// result is the text of a call's result.
func (g *stressGroup) result(c stressCall) string {
	switch c.function + c.column {
	case "count":
		return fmt.Sprint(g.rows)
	case "countx":
		return fmt.Sprint(g.values)
	case "mins", "firsts":
		return textOf(g.first)
	case "maxs", "lasts":
		return textOf(g.last)
	case "firstat", "any_valueat":
		return fmt.Sprint(g.first)
	case "lastat":
		return fmt.Sprint(g.last)
	case "array_aggat", "listat":
		return fmt.Sprint(g.at)
	case "string_aggs":
		texts := make([]string, len(g.at))
		for i, at := range g.at {
			texts[i] = textOf(at)
		}
		return strings.Join(texts, ",")
	case "modeat":
		return fmt.Sprint(g.first)
	case "medianat":
		return fmt.Sprint(float64(g.at[(len(g.at)-1)/2]+g.at[len(g.at)/2]) / 2)
	case "quantile_discs":
		return textOf(g.at[(len(g.at)-1)/2])
	case "sumf":
		return fmt.Sprint(float64(g.whole))
	case "avgw":
		f, _ := new(big.Rat).SetFrac(&g.wide, big.NewInt(g.rows)).Float64()
		return fmt.Sprint(f)
	}
	switch {
	case g.values == 0:
		return "NULL"
	case c.function == "sum":
		return fmt.Sprint(g.sum)
	}
	f, _ := new(big.Rat).SetFrac64(g.sum, g.values).Float64()
	return fmt.Sprint(f)
}

// textOf is a row's position as text, too long for the words of a state.
func textOf(at int64) string { return fmt.Sprintf("row %020d", at) }

// stressInput is a table in batches, and its groups.
type stressInput struct {
	testInput
	types  []arrow.DataType
	form   string
	groups map[string]*stressGroup
}

func newStressInput(r *rand.Rand) *stressInput {
	in := &stressInput{form: []string{"flat", "coded", "mixed"}[r.IntN(3)], groups: map[string]*stressGroup{}}
	rows := 500 + r.IntN(2500)
	nulls := r.IntN(2) == 0
	if nulls {
		in.form += " with NULLs"
	}
	for range 1 + r.IntN(3) {
		in.types = append(in.types, testTypes[r.IntN(len(testTypes))])
	}
	var cols []*vector.Vector
	var fields []arrow.Field
	for i, typ := range in.types {
		cols = append(cols, column(r, typ, rows, []int{1, 3, 20, 300}[r.IntN(4)], nulls))
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("k%d", i), Type: typ, Nullable: true})
	}
	in.mix(r, cols, rows)
	values := valueColumns(r, rows, nulls)
	for i, name := range []string{"x", "w", "f", "at", "s"} {
		fields = append(fields, arrow.Field{Name: name, Type: values[i].Type, Nullable: true})
	}
	in.schema = arrow.NewSchema(fields, nil)
	for i := range rows {
		in.count(cols, values, i)
	}
	in.cut(r, append(cols, values...), rows)
	return in
}

// mix gives a share of the rows the key of one of them, and those of the second
// half other keys than those of the first.
func (in *stressInput) mix(r *rand.Rand, cols []*vector.Vector, rows int) {
	share := []int{0, 0, 50, 95}[r.IntN(4)]
	waves := r.IntN(3) == 0
	from := make([]uint32, rows)
	for i := range from {
		from[i] = uint32(i)
		if waves {
			from[i] = uint32(i/2) &^ 15 // the keys of 16 rows come and go
			from[i] += uint32(r.IntN(16)) % uint32(rows-int(from[i]))
		}
		if r.IntN(100) < share {
			from[i] = 0
		}
	}
	for c := range cols {
		cols[c], _ = vector.Gather(nil, cols[c], from)
	}
}

// valueColumns makes the columns x, w, f, at and s.
func valueColumns(r *rand.Rand, rows int, nulls bool) []*vector.Vector {
	i64 := arrow.PrimitiveTypes.Int64
	w, f, at, s := vector.New(i64, rows), vector.New(arrow.PrimitiveTypes.Float64, rows), vector.New(i64, rows), vector.NewBuilder(arrow.BinaryTypes.String)
	for i := range rows {
		vector.Values[int64](w)[i] = (int64(1)<<62 + r.Int64N(1000)) * int64(1-2*r.IntN(2))
		vector.Values[float64](f)[i] = math.Trunc(r.NormFloat64() * 1e6)
		vector.Values[int64](at)[i] = int64(i)
		if err := s.AppendBytes([]byte(textOf(int64(i)))); err != nil {
			panic(err)
		}
	}
	return []*vector.Vector{column(r, i64, rows, 1000, nulls), w, f, at, s.Vector()}
}

// count adds row i to the reference.
func (in *stressInput) count(keys, values []*vector.Vector, i int) {
	key := keyOfRow(keys, i)
	g := in.groups[key]
	if g == nil {
		g = &stressGroup{first: int64(i)}
		in.groups[key] = g
	}
	g.rows++
	g.last = int64(i)
	g.at = append(g.at, int64(i))
	if x := values[0]; !x.IsNull(i) {
		g.values++
		g.sum += vector.Values[int64](x)[i]
	}
	g.wide.Add(&g.wide, big.NewInt(vector.Values[int64](values[1])[i]))
	g.whole += int64(vector.Values[float64](values[2])[i])
}

func keyOfRow(cols []*vector.Vector, i int) string {
	parts := make([]string, len(cols))
	for c, v := range cols {
		parts[c] = keyText(v, i)
	}
	return strings.Join(parts, "|")
}

// cut makes batches of the rows, each with some rows that do not count in
// between. Keys and x are coded with one dictionary for all, or with none.
func (in *stressInput) cut(r *rand.Rand, cols []*vector.Vector, rows int) {
	coded := slices.Clone(cols)
	for c := range len(in.types) + 1 {
		coded[c] = codedCopy(cols[c])
	}
	for lo := 0; lo < rows; {
		hi := min(rows, lo+1+r.IntN([]int{10, 60, 400}[r.IntN(3)]))
		from := cols
		if strings.HasPrefix(in.form, "coded") || strings.HasPrefix(in.form, "mixed") && r.IntN(2) == 0 {
			from = coded
		}
		b := &vector.Batch{Len: hi - lo, Row: uint64(lo)}
		sel := make([]uint32, hi-lo)
		for i := range sel {
			sel[i] = uint32(lo + i)
		}
		if r.IntN(3) == 0 && hi < rows {
			b.Len++ // one that is not selected
			b.Sel = make([]uint32, hi-lo)
			for i := range b.Sel {
				b.Sel[i] = uint32(i)
			}
			sel = append(sel, uint32(hi))
		}
		for _, v := range from {
			v, err := vector.Gather(nil, v, sel)
			if err != nil {
				panic(err)
			}
			b.Cols = append(b.Cols, v)
		}
		in.all = append(in.all, b)
		lo = hi
	}
}

// stressConfig is the least of everything.
func stressConfig(r *rand.Rand, keys int) Config {
	k := &knobs{
		hashMask:    []uint64{math.MaxUint64, math.MaxUint64, 0xff<<56 | 7}[r.IntN(3)],
		slots:       []int{4, 8}[r.IntN(2)],
		block:       []uint32{1, 2, 5, 64}[r.IntN(4)],
		striped:     []int{1, 15, 1 << 20}[r.IntN(3)],
		partitions:  []int{1, 2, 8}[r.IntN(3)],
		stageRows:   1 + r.IntN(9),
		frontGroups: 1 + r.IntN(40),
		manyWorkers: []int{2, 1000}[r.IntN(2)],
		slotRows:    1,
		leastGroups: r.IntN(40),
		leastStates: r.Int64N(2 << 10),
		windowRows:  int64(r.IntN(100)),
	}
	cfg := Config{Workers: 64, Rows: []int64{-1, 1e6, 1}[r.IntN(3)], BatchRows: []int{1, 5, 100}[r.IntN(3)], knobs: k}
	for range keys {
		cfg.Ranges = append(cfg.Ranges, Range{Lo: int64(r.IntN(9)) - 5, Hi: int64(r.IntN(300)), OK: r.IntN(2) == 0})
	}
	return cfg
}

// yield lets other goroutines run, now and then.
func yield() {
	for range rand.IntN(4) {
		runtime.Gosched()
	}
}

// yieldingSource, yieldingSink and yieldingWriter yield around each step.
type yieldingSource struct{ *batches }

func (s yieldingSource) Stream() (operators.Stream, error) { return s, nil }

func (s yieldingSource) Next(ctx context.Context) (*vector.Batch, error) {
	yield()
	return s.batches.Next(ctx)
}

type yieldingSink struct{ *Sink }

func (s yieldingSink) Writer() (operators.Writer, error) {
	yield()
	w, err := s.Sink.Writer()
	return yieldingWriter{w}, err
}

type yieldingWriter struct{ operators.Writer }

func (w yieldingWriter) Write(ctx context.Context, b *vector.Batch) error {
	yield()
	defer yield()
	return w.Writer.Write(ctx, b)
}

func (w yieldingWriter) Close() error {
	yield()
	return w.Writer.Close()
}

// bind sets the keys and the calls of cfg.
func (in *stressInput) bind(t *testing.T, cfg *Config, calls []stressCall) {
	t.Helper()
	for i := range in.types {
		cfg.Keys = append(cfg.Keys, i)
	}
	for i, c := range calls {
		var args []int
		var types []arrow.DataType
		if c.column != "" {
			at := in.schema.FieldIndices(c.column)[0]
			args, types = []int{at}, []arrow.DataType{in.schema.Field(at).Type}
		}
		var m Modifiers
		if c.function == "quantile_disc" {
			m.Constants = []Constant{{NumberConstant, "0.5"}}
		}
		agg, err := Bind(c.function, types, m)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Calls = append(cfg.Calls, Call{Agg: agg, Args: args, Name: fmt.Sprint("a", i)})
	}
}

// stress runs one query and compares it with the reference, as it comes sorted
// and as it comes from several streams at once.
func stress(t *testing.T, what string, in *stressInput, calls []stressCall, cfg Config) {
	t.Helper()
	in.bind(t, &cfg, calls)
	cfg.Budget = memory.NewBudget(0)
	sink, err := NewSink(in.schema, cfg)
	if err != nil {
		t.Fatal(err)
	}
	src := yieldingSource{&batches{schema: in.schema, rest: slices.Clone(in.all)}}
	res, _, err := operators.Drain(context.Background(), src, yieldingSink{sink}, sink.Workers())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	compareStress(t, what, in, calls, readAll(t, res, 1))
	if s, ok := res.(*sortedSource); ok && !t.Failed() {
		compareStress(t, what+", streams", in, calls, readAll(t, s.groups, 3))
	}
	if got := sink.Report().Groups; got != int64(len(in.groups)) {
		t.Errorf("%s: %d groups reported of %d", what, got, len(in.groups))
	}
	sink.Close()
	if n := cfg.Budget.Used(); n != 0 {
		t.Errorf("%s: %d bytes are still held", what, n)
	}
}

// readAll reads all batches of src with so many streams at once.
func readAll(t *testing.T, src operators.Source, streams int) (out []*vector.Batch) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range streams {
		wg.Go(func() {
			st, err := src.Stream()
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = st.Close() }()
			for {
				yield()
				b, err := st.Next(context.Background())
				if err == io.EOF {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				out = append(out, b)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return out
}

func compareStress(t *testing.T, what string, in *stressInput, calls []stressCall, got []*vector.Batch) {
	t.Helper()
	seen := map[string]bool{}
	for _, b := range got {
		for i := range b.Len {
			key := keyOfRow(b.Cols[:len(in.types)], i)
			g := in.groups[key]
			if g == nil || seen[key] {
				t.Errorf("%s: group %s is there (before: %v), but not in the input (%v)", what, key, seen[key], g == nil)
				return
			}
			seen[key] = true
			for k, c := range calls {
				v, want := b.Cols[len(in.types)+k], g.result(c)
				if text := resultText(v, i); text != want {
					t.Errorf("%s: %s(%s) of group %s is %s, not %s", what, c.function, c.column, key, text, want)
					return
				}
			}
		}
	}
	if len(seen) != len(in.groups) {
		t.Errorf("%s: %d groups of %d", what, len(seen), len(in.groups))
	}
}

func resultText(v *vector.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Child != nil:
		return fmt.Sprint(vector.Values[int64](v.Child)[v.Offsets[i]:v.Offsets[i+1]])
	case v.Offsets != nil:
		return string(v.Bytes(i))
	case v.Type.ID() == arrow.FLOAT64:
		return fmt.Sprint(vector.Values[float64](v)[i])
	}
	return fmt.Sprint(vector.Values[int64](v)[i])
}
