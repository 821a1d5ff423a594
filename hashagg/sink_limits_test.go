package hashagg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// TestMemoryLimit gives every strategy less and less memory: it answers right or
// fails with a *memory.LimitError, never holds more than the limit, and holds
// nothing once the sink is closed.
func TestMemoryLimit(t *testing.T) {
	for round := range 3 {
		r := rand.New(rand.NewPCG(21, uint64(round)))
		in := newStressInput(r)
		calls := stressCalls[3]
		for _, s := range Strategies() {
			failed, passed := 0, 0
			for limit := int64(32 << 20); limit >= 1<<10; limit = limit * 2 / 3 {
				cfg := stressConfig(r, len(in.types))
				cfg.Strategy, cfg.Workers, cfg.Budget = s, 1+r.IntN(8), memory.NewBudget(limit)
				in.bind(t, &cfg, calls)
				sink, err := NewSink(in.schema, cfg)
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("round %d: %s with %d bytes", round, s, limit)
				src := yieldingSource{&batches{schema: in.schema, rest: slices.Clone(in.all)}}
				res, _, err := operators.Drain(context.Background(), src, yieldingSink{sink}, sink.Workers())
				var refused *memory.LimitError
				switch {
				case err == nil:
					passed++
					compareStress(t, what, in, calls, readAll(t, res, 1))
				case errors.As(err, &refused):
					failed++
				default:
					t.Errorf("%s: %v", what, err)
				}
				if p := cfg.Budget.Peak(); p > limit {
					t.Errorf("%s: %d bytes were held", what, p)
				}
				sink.Close()
				sink.Close()
				if n := cfg.Budget.Used(); n != 0 {
					t.Fatalf("%s: %v; %d bytes are still held", what, err, n)
				}
			}
			if failed == 0 || passed == 0 {
				t.Errorf("%s: %d passed and %d failed", s, passed, failed)
			}
		}
	}
}

// stopped is a source that cancels in the middle, or fails.
type stopped struct {
	*batches
	left   *atomic.Int64
	cancel func()
	err    error
}

func (s stopped) Stream() (operators.Stream, error) { return s, nil }

func (s stopped) Next(ctx context.Context) (*vector.Batch, error) {
	if s.left.Add(-1) == 0 {
		if s.err != nil {
			return nil, s.err
		}
		s.cancel()
	}
	return s.batches.Next(ctx)
}

// TestStopped stops every strategy after each of some numbers of batches, by
// cancelling and by an error of the source.
func TestStopped(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	in := newStressInput(r)
	broken := errors.New("broken")
	for _, s := range Strategies() {
		for at := 1; at <= len(in.all)+64; at += 1 + r.IntN(12) {
			ctx, cancel := context.WithCancel(context.Background())
			left := &atomic.Int64{}
			left.Store(int64(at))
			src := stopped{&batches{schema: in.schema, rest: slices.Clone(in.all)}, left, cancel, nil}
			want := context.Canceled
			if r.IntN(2) == 0 {
				src.err, want = broken, broken
			}
			cfg := stressConfig(r, len(in.types))
			cfg.Strategy, cfg.Workers, cfg.Budget = s, 1+r.IntN(8), memory.NewBudget(0)
			in.bind(t, &cfg, stressCalls[at%len(stressCalls)])
			sink, err := NewSink(in.schema, cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = operators.Drain(ctx, src, yieldingSink{sink}, sink.Workers())
			if left.Load() <= 0 && !errors.Is(err, want) || left.Load() > 0 && err != nil {
				t.Errorf("%s stopped at batch %d: %v, not %v", s, at, err, want)
			}
			sink.Close()
			if n := cfg.Budget.Used(); n != 0 {
				t.Fatalf("%s stopped at batch %d: %d bytes are still held", s, at, n)
			}
			cancel()
		}
	}
}

// TestResultClosedEarly closes streams over many groups before and while they
// are read.
func TestResultClosedEarly(t *testing.T) {
	keys := vector.New(arrow.PrimitiveTypes.Int64, 3*sortedGroups)
	for i := range keys.Len {
		vector.Values[int64](keys)[i] = int64(i) << 32
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: keys.Type}}, nil)
	for _, s := range Strategies() {
		for _, read := range []int{0, 1, 5} {
			budget := memory.NewBudget(0)
			sink, err := NewSink(schema, Config{Keys: []int{0}, Strategy: s, Workers: 2, Rows: -1, BatchRows: 100, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			all := []*vector.Batch{{Cols: []*vector.Vector{keys}, Len: keys.Len}}
			res, _, err := operators.Drain(context.Background(), &batches{schema: schema, rest: all}, sink, sink.Workers())
			if err != nil {
				t.Fatal(err)
			}
			if got := sink.Report().Groups; got != int64(keys.Len) {
				t.Errorf("%s: %d groups", s, got)
			}
			for range 2 {
				st, err := res.Stream()
				if err != nil {
					t.Fatal(err)
				}
				for range read {
					if b, err := st.Next(context.Background()); err != nil && err != io.EOF || err == nil && b.Len == 0 {
						t.Errorf("%s: %v, %v", s, b, err)
					}
				}
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			}
			sink.Close()
			if n := budget.Used(); n != 0 {
				t.Errorf("%s: %d bytes are still held", s, n)
			}
		}
	}
}

// TestValueBesideManyTickets has one key outside of a range whose keys all have
// a ticket each: the table for such keys needs no room for all of them.
func TestValueBesideManyTickets(t *testing.T) {
	const slots = 1 << 20
	keys := vector.New(arrow.PrimitiveTypes.Int64, 8192)
	for i, w := 0, vector.Values[int64](keys); i < len(w); i++ {
		w[i] = int64(i) * (slots / 8192)
	}
	vector.Values[int64](keys)[77] = 1 << 50
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: keys.Type}}, nil)
	budget := memory.NewBudget(0)
	sink, err := NewSink(schema, Config{Keys: []int{0}, Ranges: []Range{{Hi: slots - 1, OK: true}}, Strategy: Serial, Rows: 1e9, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	src := &batches{schema: schema, rest: []*vector.Batch{{Cols: []*vector.Vector{keys}, Len: keys.Len}}}
	if _, _, err := operators.Drain(context.Background(), src, sink, 1); err != nil {
		t.Fatal(err)
	}
	if got := sink.Report(); got.KeyForm != "array" || got.Groups != 8192 {
		t.Fatalf("%+v", got)
	}
	for _, p := range budget.Peaks() {
		if p.Name == tableAccount && p.Peak > 2<<20 {
			t.Errorf("%s took %d bytes for one key", p.Name, p.Peak)
		}
	}
}
