package hashagg

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	const many = 16
	for _, c := range []struct {
		rows    int64
		workers int
		want    Strategy
		reason  string
	}{
		{-1, 1, Serial, "one worker"},
		{0, 1, Serial, "no more than 32768 rows"},
		{1e12, 1, Serial, "one worker"},
		{0, 2, Serial, "no more than 32768 rows"},
		{serialRows, 2, Serial, "no more than 32768 rows"},
		{serialRows, 64, Serial, "no more than 32768 rows"},
		{serialRows + 1, 2, Shared, "more than 32768 rows"},
		{1e12, 64, Shared, "more than 32768 rows"},
		{-1, 2, Shared, "not known"},
		{-1, 64, Shared, "not known"},
	} {
		got, reason := choose(facts{rows: c.rows, workers: c.workers, many: many})
		if got != c.want || !strings.Contains(reason, c.reason) {
			t.Errorf("%d rows, %d workers: %s because of %q, want %s because of %q", c.rows, c.workers, got, reason, c.want, c.reason)
		}
	}
}

func TestRechoose(t *testing.T) {
	for _, c := range []struct {
		workers, many int
		partitioned   bool
		reason        string
	}{
		{1, 16, false, "more than 1000 groups"},
		{2, 16, false, "more than 1000 groups"},
		{15, 16, false, "more than 1000 groups"},
		{16, 16, true, "more than 1000 groups and 16 workers"},
		{64, 16, true, "more than 1000 groups and 64 workers"},
		{2, 2, true, "more than 1000 groups and 2 workers"},
	} {
		for _, rows := range []int64{-1, 0, 1e12} {
			got, reason := rechoose(facts{rows: rows, workers: c.workers, many: c.many}, 1000)
			if got != c.partitioned || reason != c.reason {
				t.Errorf("%d workers, %d are many, %d rows: %v because of %q, want %v because of %q", c.workers, c.many, rows, got, reason, c.partitioned, c.reason)
			}
		}
	}
}

// TestChosen holds sinks to what choose says: what is asked for is taken as it
// is, and without a number of rows or workers the defaults are those of Config.
func TestChosen(t *testing.T) {
	in := makeInput(rand.New(rand.NewPCG(1, 1)), nil, 1, false, "flat")
	for _, c := range []struct {
		cfg     Config
		want    Strategy
		workers int
		asked   bool
	}{
		{Config{}, Serial, 1, false},
		{Config{Workers: -3, Rows: 1e9}, Serial, 1, false},
		{Config{Workers: 4, Rows: 100}, Serial, 1, false},
		{Config{Workers: 4, Rows: 1e9}, Shared, 4, false},
		{Config{Workers: 4, Rows: -1, Strategy: Auto}, Shared, 4, false},
		{Config{Workers: 4, Rows: 100, Strategy: Hybrid}, Hybrid, 4, true},
		{Config{Workers: 4, Rows: 1e9, Strategy: Serial}, Serial, 1, true},
		{Config{Workers: 1, Rows: 1e9, Strategy: PartitionRows}, PartitionRows, 1, true},
	} {
		s, err := NewSink(in.schema, c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		e := s.Expect()
		if e.Strategy != c.want || s.Workers() != c.workers || (e.Reason == "asked for") != c.asked || s.adaptive == c.asked {
			t.Errorf("%+v: %s with %d workers, because of %q, adaptive %v", c.cfg, e.Strategy, s.Workers(), e.Reason, s.adaptive)
		}
		s.Close()
	}
	if _, err := NewSink(in.schema, Config{Strategy: "best"}); err == nil || !strings.Contains(err.Error(), `"best"`) {
		t.Errorf("a strategy that there is not: %v", err)
	}
}

func TestRoomy(t *testing.T) {
	base := facts{rows: 1e6, workers: 2, words: 4, free: 1 << 30, slotRows: slotRows}
	for _, c := range []struct {
		what   string
		change func(*facts)
		slots  int
		want   bool
	}{
		{"a quarter of the rows", nil, 250_000, true},
		{"more than that", nil, 250_001, false},
		{"the least, without rows", func(f *facts) { f.rows = 0 }, leastSlots, true},
		{"more than the least, without rows", func(f *facts) { f.rows = 0 }, leastSlots + 1, false},
		{"rows not known", func(f *facts) { f.rows = -1 }, unknownRows / slotRows, true},
		{"too many for rows not known", func(f *facts) { f.rows = -1 }, unknownRows/slotRows + 1, false},
		{"half of the budget", func(f *facts) { f.free = 128_000 }, 1000, true},
		{"more than half of the budget", func(f *facts) { f.free = 127_999 }, 1000, false},
		{"no budget left", func(f *facts) { f.free = 0 }, 1, false},
		{"no budget left, no states", func(f *facts) { f.free, f.words = 0, 0 }, 1000, true},
		{"half of the budget, more workers", func(f *facts) { f.free, f.workers = 128_000, 3 }, 1000, false},
		{"one of several ranges of hashes", func(f *facts) { f.split = true }, 1, false},
	} {
		f := base
		if c.change != nil {
			c.change(&f)
		}
		if got := f.roomy(c.slots); got != c.want {
			t.Errorf("%s: %v for %d keys", c.what, got, c.slots)
		}
	}
}

func TestArray(t *testing.T) {
	base := facts{rows: 1e8, workers: 2, words: 4, free: 1 << 40, slotRows: slotRows}
	split, small := base, base
	split.split, small.rows = true, 1000
	for _, c := range []struct {
		f      facts
		slots  int
		s      sample
		want   bool
		reason string
	}{
		{split, 10, sample{}, false, "all over the range"},
		{small, 1000, sample{}, false, "1000 possible keys are too many"},
		{base, fewSlots, sample{}, true, "65536 possible keys"},
		{base, 1 << 20, sample{rows: 8192, distinct: 8000, again: 192, reach: 1 << 20}, true, "of 8000 keys in the first 8192 rows, 7808 come once only"},
		{base, 1 << 20, sample{rows: 8192, distinct: 200, again: 100, reach: 1 << 20}, true, "100 come once only"}, // one key has nearly all rows
		{base, 1 << 20, sample{rows: 8192, distinct: 200, again: 101, reach: 1 << 20}, false, "200 of 1048576 possible keys"},
		{base, 1 << 20, sample{rows: 8192, distinct: sampleKeys - 1, reach: 1 << 20}, false, "63 of 1048576 possible keys"},
		{base, 1 << 20, sample{rows: 8192, distinct: 50, again: 50, reach: 49}, true, "50 of 50 neighbouring keys"}, // sorted
		{base, 1 << 20, sample{rows: 8192, distinct: 50, again: 50, reach: 8 * 51}, false, "50 of 1048576 possible keys"},
		{base, 1 << 20, sample{rows: 1, distinct: 1}, true, "1 of 1 neighbouring keys"},
	} {
		got, reason := c.f.array(c.slots, c.s)
		if got != c.want || !strings.Contains(reason, c.reason) {
			t.Errorf("%d keys, %+v: %v because %q, want %v because %q", c.slots, c.s, got, reason, c.want, c.reason)
		}
	}
}
