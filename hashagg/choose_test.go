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
		{2 * serialRows, 2, Shared, "predicted"},
		{1e12, 64, Shared, "predicted"},
		{-1, 2, Shared, "not known"},
		{-1, 64, Shared, "not known"},
	} {
		f := facts{rows: c.rows, groups: -1, workers: c.workers, free: 1 << 40, form: formBytes, calls: 1, words: 1, fixed: 1, keyTexts: 1,
			keyBytes: 10, front: frontGroups, striped: stripedTickets, many: many}
		got, reason := choose(f)
		if got != c.want || !strings.Contains(reason, c.reason) {
			t.Errorf("%d rows, %d workers: %s because of %q, want %s because of %q", c.rows, c.workers, got, reason, c.want, c.reason)
		}
	}
}

// TestRechoose holds the choice after the first batch to what is known to be
// best: crowded texts in shared states early, integers in states per worker,
// more than a million groups in partitions where there are many workers.
func TestRechoose(t *testing.T) {
	base := facts{rows: 3e6, groups: 600_000, workers: 2, free: 1 << 40, form: formPacked, calls: 1, words: 1, fixed: 2,
		front: frontGroups, striped: stripedTickets, many: manyWorkers}
	with := func(change func(*facts)) facts {
		f := base
		change(&f)
		return f
	}
	text := func(f *facts) { f.words, f.textStates, f.fixed, f.texts = textWords, 1, 1, 1 }
	for _, c := range []struct {
		what string
		f    facts
		want way
	}{
		{"few rows a group, a sum", base, ownStates},
		{"few rows a group, 4 sums", with(func(f *facts) { f.calls, f.words, f.fixed = 4, 4, 5 }), ownStates},
		{"few rows a group, a text", with(text), sharedStates},
		{"many rows a group, a text", with(func(f *facts) { text(f); f.groups = 10_000 }), ownStates},
		{"5M groups", with(func(f *facts) { f.rows, f.groups = 5e6, 5e6 }), sharedStates},
		{"5M groups, 8 workers", with(func(f *facts) { f.rows, f.groups, f.workers = 20e6, 5e6, 8 }), sharedStates},
		{"5M groups, 16 workers", with(func(f *facts) { f.rows, f.groups, f.workers = 20e6, 5e6, 16 }), inPartitions},
		{"5M groups, 64 workers", with(func(f *facts) { f.rows, f.groups, f.workers = 20e6, 5e6, 64 }), inPartitions},
		{"5M groups, 64 workers, texts as keys", with(func(f *facts) {
			f.rows, f.groups, f.workers, f.form, f.keyBytes, f.keyTexts = 20e6, 5e6, 64, formBytes, 12, 1
		}), inPartitions},
		{"3M tickets, 16 workers", with(func(f *facts) { f.rows, f.groups, f.workers, f.form = 20e6, 3e6, 16, formArray }), inPartitions},
		{"1000 groups, 64 workers", with(func(f *facts) { f.rows, f.groups, f.workers = 20e6, 1000, 64 }), ownStates},
		{"states per worker do not fit", with(func(f *facts) { f.groups, f.free = 1e6, 62<<20 }), sharedStates},
		{"nothing fits", with(func(f *facts) { f.free = 0 }), sharedStates},
		{"the rows are not known", with(func(f *facts) { f.rows, f.groups = -1, 2e6 }), sharedStates},
	} {
		if got, reason := rechoose(c.f); got != c.want || !strings.Contains(reason, "predicted") {
			t.Errorf("%s: %v because %q, want %v", c.what, got, reason, c.want)
		} else if short := c.f.free < base.free; strings.Contains(reason, "(over the memory limit)") != short {
			t.Errorf("%s: %q says nothing of the memory, or should not", c.what, reason)
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
