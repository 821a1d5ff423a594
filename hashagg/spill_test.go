package hashagg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
)

// TestSpill gives every strategy too little memory and a disk: it always
// answers right, and leaves nothing in memory or on disk.
func TestSpill(t *testing.T) {
	var went [2]int // to disk or not
	for round := range stressRounds(t, 1) {
		r := rand.New(rand.NewPCG(31, uint64(round)))
		in := newStressInput(r)
		for k, calls := range stressCalls {
			for _, s := range Strategies() {
				limit := int64(1<<10) << r.IntN(11)
				cfg := stressConfig(r, len(in.types))
				if testing.Short() && r.IntN(9) > 0 {
					continue
				}
				cfg.Strategy, cfg.Workers, cfg.Budget = s, 1+r.IntN(8), memory.NewBudget(limit)
				what := fmt.Sprintf("round %d: %s of calls %d, %d workers and %d bytes", round, s, k, cfg.Workers, limit)
				wrote := spillOnce(t, what, in, cfg, calls)
				went[min(wrote, 1)]++
			}
		}
	}
	if went[0] == 0 || went[1] == 0 {
		t.Errorf("%d queries went to disk and %d did not", went[1], went[0])
	}
}

// spillOnce runs a query and returns how many extents were written.
func spillOnce(t *testing.T, what string, in *stressInput, cfg Config, calls []stressCall) int {
	t.Helper()
	dir := t.TempDir()
	cfg.Spill = spill.Open(spill.Config{Dirs: []string{dir}, Budget: memory.NewBudget(0)})
	in.bind(t, &cfg, calls)
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
	if n := sink.Report().Groups; n != int64(len(in.groups)) {
		t.Errorf("%s: %d groups are reported, not %d", what, n, len(in.groups))
	}
	wrote := int(cfg.Spill.Stats().Extents)
	sink.Close()
	sink.Close()
	if n := cfg.Budget.Used(); n != 0 {
		t.Fatalf("%s: %d bytes are still held", what, n)
	}
	if err := cfg.Spill.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s: %v is left", what, left)
	}
	return wrote
}
