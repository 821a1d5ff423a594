package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/colagg/colagg"
)

// Sample is what a strategy took at a point.
type Sample struct {
	Strategy string
	Used     string // the strategy that ran, which is another if this one chooses
	Workers  int
	Groups   int64
	Times    []time.Duration // of the measured runs, ascending
}

// Median returns the middle of the times, or the mean of both in the middle.
func (s Sample) Median() time.Duration {
	n := len(s.Times)
	if n == 0 {
		return 0
	}
	return (s.Times[(n-1)/2] + s.Times[n/2]) / 2
}

// Progress is told how many of all steps are done, and which figure the next
// one is for.
type Progress func(done, total int64, figure string)

// Run measures all points. The error is the context's where that is cancelled;
// it says which question and strategy failed, or gave another answer than the
// first. tell is called from this goroutine.
func Run(ctx context.Context, o Options, figures []*Figure, tell Progress) error {
	r := &runner{options: o, tell: tell, maker: &maker{rows: o.Rows, groups: o.Groups, seed: o.Seed}}
	for _, f := range figures {
		r.total += int64(len(f.Points) * (1 + len(o.Strategies)*(o.Runs+1)))
	}
	for _, f := range figures {
		for _, p := range f.Points {
			if err := r.point(ctx, f, p); err != nil {
				return err
			}
		}
	}
	return nil
}

type runner struct {
	options     Options
	tell        Progress
	maker       *maker
	done, total int64
}

// step reports what is done and counts the step that begins as done from then
// on.
func (r *runner) step(f *Figure) {
	r.tell(r.done, r.total, f.Name)
	r.done++
}

// point measures all strategies at a point.
func (r *runner) point(ctx context.Context, f *Figure, p *Point) error {
	where := fmt.Sprintf("%s %s", f.Name, p.Label)
	r.step(f)
	t, err := r.maker.table(ctx, p.Shape, p.State, p.Aggregates)
	if err != nil {
		return err
	}
	eng, err := colagg.New(colagg.Options{Workers: p.Threads})
	if err != nil {
		return err
	}
	defer func() { _ = eng.Close() }()
	names := r.options.Strategies
	p.Samples = make([]Sample, len(names))
	var first answer
	for run := range r.options.Runs + 1 {
		for i := range names {
			i = (i + run) % len(names) // nobody always runs after the same one
			name := names[i]
			r.step(f)
			a, err := ask(ctx, eng, t, p, name)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return fmt.Errorf("bench: %s, strategy %s: %w", where, name, err)
			}
			if first.strategy == "" {
				first = a
			}
			if err := first.differs(a); err != nil {
				return fmt.Errorf("bench: %s: %w", where, err)
			}
			s := &p.Samples[i]
			s.Strategy, s.Used, s.Workers, s.Groups = name, a.stats.Strategy, a.stats.Workers, a.groups
			if run > 0 {
				s.Times = append(s.Times, a.took)
			}
		}
	}
	for i := range p.Samples {
		slices.Sort(p.Samples[i].Times)
	}
	return nil
}

// ask runs the question of a point once.
func ask(ctx context.Context, eng *colagg.Engine, t *table, p *Point, strategy string) (answer, error) {
	in, err := t.reader()
	if err != nil {
		return answer{}, err
	}
	defer in.Release()
	runtime.GC() // so that no run pays for what another one left
	q := colagg.Query{From: colagg.Records(in), GroupBy: []string{"k"}, Aggs: p.aggs(), Strategy: strategy}
	start := time.Now()
	res, err := eng.Query(ctx, q)
	if err != nil {
		return answer{}, err
	}
	took := time.Since(start)
	a := answer{strategy: strategy, stats: res.Stats()}
	for {
		start = time.Now()
		more := res.Next()
		took += time.Since(start)
		if !more {
			break
		}
		if err := a.add(res.Record()); err != nil {
			res.Release()
			return answer{}, err
		}
	}
	err = res.Err()
	start = time.Now()
	res.Release()
	a.took = took + time.Since(start)
	return a, err
}
