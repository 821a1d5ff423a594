package order

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// diskRun is sorted rows on disk.
type diskRun struct {
	extents []spill.Extent
	bytes   int64 // on disk
	rows    int64
	size    int64 // in memory, about
}

const (
	// mostRead is how many runs are merged at once at most.
	mostRead = 64
	// leastBatch and mostBatch bound a batch on disk. More than 256 KiB is not
	// faster; a batch of each run is in memory while they are merged.
	leastBatch, mostBatch = 2 << 10, 256 << 10
	// smallShare is below what the buffers of a file for each worker count.
	smallShare = 1 << 20
	// columnBuffers is what a column of a batch on disk needs at least, for
	// each of those who write and read: validity, offsets and values.
	columnBuffers = 3 << 10
	// accountUnit is what accounts draw at once, but no more than a part of a
	// small budget.
	accountUnit, accountShare = 1 << 20, 32
	// batchesPerShare is how many batches on disk make what a worker may hold.
	batchesPerShare = 32
)

// batchBytes is how large a batch on disk should be.
func (s *Sink) batchBytes() int64 {
	return max(leastBatch, min(mostBatch, s.share/batchesPerShare))
}

// diskFile is where runs are written, by one worker at a time.
type diskFile struct {
	mu   sync.Mutex
	file *spill.File
}

// trim gives back the memory that is kept for the next run.
func (f *diskFile) trim() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.file.Trim()
}

// file returns where a worker writes: a file of its own, unless memory is so
// short that its buffers would be a large part of it. The caller holds the lock.
func (s *Sink) file() *diskFile {
	if s.cfg.Spill == nil {
		return nil
	}
	if s.common == nil {
		s.common = &diskFile{file: s.cfg.Spill.File()}
		return s.common
	}
	if s.share < smallShare {
		return s.common
	}
	return &diskFile{file: s.cfg.Spill.File()}
}

// write writes the rows of p, of rowBytes each on the average, as a run.
func (s *Sink) write(ctx context.Context, f *diskFile, p *picker, rowBytes int64) (diskRun, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var run diskRun
	rows := s.batchRows(s.batchBytes(), rowBytes)
	for {
		if ctx.Err() != nil {
			return run, context.Cause(ctx)
		}
		picks := p.next(rows)
		if len(picks) == 0 {
			return run, nil
		}
		cols, err := gather(s.types, picks)
		if err != nil {
			return run, err
		}
		if err := run.append(f.file, s, &vector.Batch{Cols: cols, Len: len(picks)}, rowBytes); err != nil {
			return run, err
		}
	}
}

// batchRows returns how many rows of rowBytes make a batch of at most so many
// bytes.
func (s *Sink) batchRows(bytes, rowBytes int64) int {
	return int(max(1, min(int64(s.cfg.BatchRows), bytes/max(1, rowBytes))))
}

func (r *diskRun) append(f *spill.File, s *Sink, b *vector.Batch, rowBytes int64) error {
	e, err := f.Append(s.onDisk, b)
	if err != nil {
		return err
	}
	r.extents = append(r.extents, e)
	r.bytes += e.Bytes
	r.rows += e.Rows
	r.size += e.Rows * rowBytes
	return nil
}

// rowBytes is about the size of a row of runs.
func rowBytes(runs []diskRun) int64 {
	var rows, size int64
	for _, r := range runs {
		rows += r.rows
		size += r.size
	}
	return size / max(1, rows)
}

// passes merges runs on disk into longer ones until the rest can be merged at
// once. Where memory is short, it makes room first by writing what is in memory.
func (s *Sink) passes(ctx context.Context) error {
	file := s.common
	if s.share < smallShare {
		for _, r := range s.memory {
			run, err := s.write(ctx, file, &picker{entries: r.entries, chunks: r.chunks}, r.bytes/int64(max(1, len(r.entries))))
			if err != nil {
				return err
			}
			s.wrote(run)
			r.account.Close()
		}
		s.memory = nil
		file.file.Trim()
	}
	// A reader holds a batch as it is on disk and as it is in memory, and its
	// account draws more than that at a time; one more stands for writing.
	free := s.cfg.Budget.Free()
	each := 3*s.batchBytes() + columnBuffers*int64(len(s.types)) + min(accountUnit, free/accountShare)
	most := int(max(2, min(mostRead, free/each-1)))
	for len(s.disk) > most {
		// The shortest first, no more than what leaves as many as can be read.
		slices.SortStableFunc(s.disk, func(a, b diskRun) int { return cmp.Compare(a.bytes, b.bytes) })
		n := min(most, len(s.disk)-most+1)
		run, err := s.mergeRuns(ctx, file.file, s.disk[:n])
		if err != nil {
			return err
		}
		for _, r := range s.disk[:n] {
			s.cfg.Spill.Release(r.extents...)
		}
		s.disk = s.disk[n:]
		s.wrote(run)
		s.report.Passes++
	}
	file.file.Trim()
	return nil
}

// wrote notes one more run on disk.
func (s *Sink) wrote(run diskRun) {
	s.disk = append(s.disk, run)
	s.report.SpilledRuns++
	s.report.SpilledBytes += run.bytes
}

// mergeRuns writes runs as one.
func (s *Sink) mergeRuns(ctx context.Context, file *spill.File, runs []diskRun) (diskRun, error) {
	var out diskRun
	left, each := s.cfg.Limit, rowBytes(runs)
	m := s.merge(runs, nil, s.batchRows(s.batchBytes(), each))
	defer func() { _ = m.Close() }()
	for left != 0 {
		b, err := m.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return out, err
		}
		if err := out.append(file, s, b, each); err != nil {
			return out, err
		}
		if left > 0 {
			left = max(0, left-int64(b.Len))
		}
	}
	return out, nil
}

// merge returns the rows of runs in order, with their positions.
func (s *Sink) merge(disk []diskRun, inMemory []*memoryRun, rows int) operators.Stream {
	m := &merger{sink: s, rows: rows}
	for _, r := range disk {
		m.cursors = append(m.cursors, &cursor{reader: s.cfg.Spill.Reader(s.onDisk, r.extents)})
	}
	for _, r := range inMemory {
		m.cursors = append(m.cursors, &cursor{entries: r.entries, seconds: r.seconds, chunks: r.chunks})
	}
	return m
}

// merger is a stream of merged runs.
type merger struct {
	sink    *Sink
	rows    int // of a batch
	cursors []*cursor
	tree    *tournament
	picks   []pick
}

// Next returns the next rows as new vectors. A batch ends early where one of a
// run does, whose memory is used again then.
func (m *merger) Next(ctx context.Context) (*vector.Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m.tree == nil {
		var err error
		if m.tree, err = newTournament(ctx, m.sink.keys, m.cursors); err != nil {
			return nil, err
		}
	}
	m.picks = m.picks[:0]
	var cols []*vector.Vector
	for c := m.tree.top(); c != nil && cols == nil; c = m.tree.top() {
		m.picks = append(m.picks, pick{c.chunk, uint32(c.row)})
		if c.atEnd() || len(m.picks) == m.rows {
			var err error
			if cols, err = gather(m.sink.types, m.picks); err != nil {
				return nil, err
			}
		}
		if err := m.tree.step(ctx); err != nil {
			return nil, err
		}
	}
	if len(m.picks) == 0 {
		return nil, io.EOF
	}
	if cols == nil {
		var err error
		if cols, err = gather(m.sink.types, m.picks); err != nil {
			return nil, err
		}
	}
	return &vector.Batch{Cols: cols, Len: len(m.picks)}, nil
}

// Close closes the readers.
func (m *merger) Close() error {
	for _, c := range m.cursors {
		if c.reader != nil {
			_ = c.reader.Close()
		}
	}
	return nil
}

// numbered leaves the positions out and numbers the rows.
type numbered struct {
	operators.Stream
	columns int
	sent    uint64
}

// Next returns the next rows.
func (n *numbered) Next(ctx context.Context) (*vector.Batch, error) {
	b, err := n.Stream.Next(ctx)
	if err == nil {
		b.Cols, b.Row = b.Cols[:n.columns], n.sent
		n.sent += uint64(b.Len)
	}
	return b, err
}
