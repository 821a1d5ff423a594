package order

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sort"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// memoryRun is sorted rows in memory.
type memoryRun struct {
	entries []entry
	seconds []uint64 // of the entries
	chunks  []*chunk
	bytes   int64
	account *memory.Account // that holds them
}

// newMemoryRun returns the run of sorted entries.
func newMemoryRun(keys []column, entries []entry, s *store, account *memory.Account) *memoryRun {
	m := &memoryRun{entries: entries, seconds: make([]uint64, len(entries)), chunks: s.filled(), bytes: s.bytes, account: account}
	for i, e := range entries {
		m.seconds[i] = second(keys, e.head, m.chunks[e.chunk].cols, int(e.row))
	}
	return m
}

// runBytes is what an entry of a run in memory costs.
const runBytes = 16 + 8

// picker takes entries in their order.
type picker struct {
	entries []entry
	chunks  []*chunk
	picks   []pick
}

// next returns the next rows, n at most, valid until the next call.
func (p *picker) next(n int) []pick {
	p.picks = p.picks[:0]
	for _, e := range p.entries[:min(n, len(p.entries))] {
		p.picks = append(p.picks, pick{p.chunks[e.chunk], e.row})
	}
	p.entries = p.entries[len(p.picks):]
	return p.picks
}

// cursor stands at a row of a run.
type cursor struct {
	head, second uint64
	chunk        *chunk
	row          int
	ended        bool

	entries []entry // that follow, of a run in memory
	seconds []uint64
	chunks  []*chunk
	reader  *spill.Reader // of a run on disk
}

// step goes to the next row.
func (c *cursor) step(ctx context.Context, keys []column) error {
	switch {
	case c.reader == nil && len(c.entries) == 0:
		c.ended = true
	case c.reader == nil:
		e := c.entries[0]
		c.head, c.second, c.chunk, c.row = e.head, c.seconds[0], c.chunks[e.chunk], int(e.row)
		c.entries, c.seconds = c.entries[1:], c.seconds[1:]
	default:
		c.row++
		if c.chunk == nil || c.row == c.chunk.rows() {
			b, err := c.reader.Next(ctx)
			if err == io.EOF {
				c.ended = true
				return nil
			}
			if err != nil {
				return err
			}
			c.chunk, c.row = &chunk{cols: slices.Clone(b.Cols)}, 0
		}
		c.head = headOf(keys, c.chunk.cols, c.row)
		c.second = second(keys, c.head, c.chunk.cols, c.row)
	}
	return nil
}

// atEnd reports whether the next step invalidates the row.
func (c *cursor) atEnd() bool { return c.reader != nil && c.row+1 == c.chunk.rows() }

// before reports whether c's row comes before that of d; what has ended comes
// last.
func (c *cursor) before(d *cursor, keys []column) bool {
	switch {
	case c.ended || d.ended:
		return !c.ended
	case c.head != d.head:
		return c.head < d.head
	case c.second != d.second:
		return c.second < d.second
	}
	return compareRows(keys[decided(keys, c.head, c.second):], c.chunk.cols, c.row, d.chunk.cols, d.row) < 0
}

// tournament is a tree of losers over cursors: node i has the one that lost
// there, node 0 the winner. The parent of cursor k is node (k+n)/2.
type tournament struct {
	keys    []column
	cursors []*cursor
	nodes   []int
}

// newTournament steps every cursor to its first row.
func newTournament(ctx context.Context, keys []column, cursors []*cursor) (*tournament, error) {
	t := &tournament{keys: keys, cursors: cursors, nodes: make([]int, max(1, len(cursors)))}
	for _, c := range cursors {
		if err := c.step(ctx, keys); err != nil {
			return nil, err
		}
	}
	if len(cursors) > 0 {
		t.nodes[0] = t.play(1)
	}
	return t, nil
}

// play fills the nodes from i down and returns the winner there.
func (t *tournament) play(i int) int {
	n := len(t.cursors)
	if i >= n {
		return i - n
	}
	a, b := t.play(2*i), t.play(2*i+1)
	if t.cursors[b].before(t.cursors[a], t.keys) {
		a, b = b, a
	}
	t.nodes[i] = b
	return a
}

// top returns the cursor with the least row, nil at the end.
func (t *tournament) top() *cursor {
	if len(t.cursors) == 0 || t.cursors[t.nodes[0]].ended {
		return nil
	}
	return t.cursors[t.nodes[0]]
}

// step moves the winner on and finds the next one.
func (t *tournament) step(ctx context.Context) error {
	k := t.nodes[0]
	if err := t.cursors[k].step(ctx, t.keys); err != nil {
		return err
	}
	for i := (k + len(t.cursors)) / 2; i > 0; i /= 2 {
		if t.cursors[t.nodes[i]].before(t.cursors[k], t.keys) {
			k, t.nodes[i] = t.nodes[i], k
		}
	}
	t.nodes[0] = k
	return nil
}

// cuts are where a window ends in each run.
type cuts []int

// windowBytes is how large the rows of a window should be at most.
const windowBytes = 16 << 20

// windows returns the runs in memory, merged in parallel.
func (s *Sink) windows() operators.Stream {
	ends := s.bounds()
	return operators.Ahead(len(ends), s.cfg.Workers, func(i int) (*vector.Batch, error) {
		var cursors []*cursor
		n := 0
		for r, run := range s.memory {
			lo := 0
			if i > 0 {
				lo = ends[i-1][r]
			}
			if hi := ends[i][r]; lo < hi {
				cursors = append(cursors, &cursor{entries: run.entries[lo:hi], seconds: run.seconds[lo:hi], chunks: run.chunks})
				n += hi - lo
			}
		}
		if n == 0 {
			return nil, nil
		}
		picks := make([]pick, 0, n)
		t, err := newTournament(context.Background(), s.keys, cursors)
		if err != nil {
			return nil, err
		}
		for c := t.top(); c != nil; c = t.top() {
			picks = append(picks, pick{c.chunk, uint32(c.row)})
			if err := t.step(context.Background()); err != nil {
				return nil, err
			}
		}
		cols, err := gather(s.types[:len(s.types)-1], picks)
		return &vector.Batch{Cols: cols, Len: len(picks)}, err
	})
}

// bounds cuts the runs in memory into windows of at most a batch. The bounds are
// rows that are evenly spaced in their runs, so that between two of them no run
// has more rows than that.
func (s *Sink) bounds() []cuts {
	var rows, bytes int64
	for _, run := range s.memory {
		rows += int64(len(run.entries))
		bytes += run.bytes
	}
	if rows == 0 {
		return nil
	}
	most := max(1, min(int64(s.cfg.BatchRows), windowBytes/max(1, bytes/rows)))
	apart := max(1, int(most)/len(s.memory))
	type bound struct{ run, at int }
	var all []bound
	for r, run := range s.memory {
		for at := apart - 1; at < len(run.entries); at += apart {
			all = append(all, bound{r, at})
		}
	}
	compare := func(a, b bound) int {
		return s.memory[a.run].compare(s.memory[b.run], a.at, b.at, s.keys)
	}
	slices.SortFunc(all, compare)
	ends := make([]cuts, 0, len(all)+1)
	for _, b := range all {
		c := make(cuts, len(s.memory))
		for r, run := range s.memory {
			lo := 0
			if len(ends) > 0 {
				lo = ends[len(ends)-1][r]
			}
			c[r] = lo + sort.Search(len(run.entries)-lo, func(i int) bool { return compare(bound{r, lo + i}, b) > 0 })
		}
		ends = append(ends, c)
	}
	c := make(cuts, len(s.memory))
	for r, run := range s.memory {
		c[r] = len(run.entries)
	}
	return append(ends, c)
}

// compare orders entry i of m and entry j of o.
func (m *memoryRun) compare(o *memoryRun, i, j int, keys []column) int {
	a, b := m.entries[i], o.entries[j]
	if a.head != b.head {
		return cmp.Compare(a.head, b.head)
	}
	if x, y := m.seconds[i], o.seconds[j]; x != y {
		return cmp.Compare(x, y)
	}
	return compareRows(keys[decided(keys, a.head, m.seconds[i]):], m.chunks[a.chunk].cols, int(a.row), o.chunks[b.chunk].cols, int(b.row))
}
