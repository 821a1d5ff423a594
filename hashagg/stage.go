package hashagg

import (
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

const (
	// stageShare is the part of the memory that is free that all stages of all
	// workers may take together, one in so many, and leastStage what each may in
	// any case.
	stageShare = 8
	leastStage = 4 << 10
	// stageRows is how many rows wait for a partition before they are added: so
	// many that the partition's table comes into the cache once for several
	// rows of a group.
	stageRows = 8 << 10
	// stageLimit is how many times that may wait while others have the lock.
	stageLimit = 4
	// stageBytes bounds what waits of long strings.
	stageBytes = 16 << 20
)

const stageAccount = "the rows that wait for a partition"

// stage is rows of a worker that wait for one partition, column by column.
type stage struct {
	sink     *Sink
	account  *memory.Account
	limit    int               // rows that are enough to be added
	bytes    int64             // that are
	pressed  bool              // there is no memory for more
	columns  []*vector.Builder // by column of the input; nil if it is not needed
	n        int
	taken    int // rows since the last look
	ordinals []uint64
	hashes   []uint64
	in       input
}

// open makes the stage one of n.
func (s *stage) open(sink *Sink, n int) {
	s.sink, s.limit = sink, sink.knobs.stageRows
	s.bytes = max(leastStage, min(stageBytes, sink.cfg.Budget.Free()/int64(stageShare*sink.cfg.Workers*n)))
	s.account = sink.cfg.Budget.SmallAccount(stageAccount)
	s.columns = make([]*vector.Builder, sink.in.NumFields())
	for _, c := range append(argumentColumns(sink.cfg.Calls), sink.cfg.Keys...) {
		if s.columns[c] == nil {
			s.columns[c] = vector.NewBuilder(sink.in.Field(c).Type)
		}
	}
}

// append adds rows of a batch.
func (s *stage) append(in *input, rows []uint32) error {
	for c, b := range s.columns {
		if b == nil {
			continue
		}
		if err := b.Append(in.cols[c], rows); err != nil {
			return err
		}
	}
	for _, r := range rows {
		s.ordinals = append(s.ordinals, in.rows.At(int(r)))
	}
	s.n += len(rows)
	s.taken += len(rows)
	if s.sink.spills() {
		s.pressed = s.account.Force(s.held())
		return nil
	}
	return s.account.Resize(s.held())
}

func (s *stage) held() int64 {
	n := 8 * int64(cap(s.ordinals)+cap(s.hashes))
	for _, b := range s.columns {
		if b != nil {
			n += b.Size()
		}
	}
	return n
}

// filled returns the bytes that the rows take.
func (s *stage) filled() int64 {
	n := 8 * int64(len(s.ordinals)+len(s.hashes))
	for _, v := range s.in.cols {
		if v != nil {
			n += int64(len(v.Data) + 4*len(v.Offsets) + len(v.Valid))
		}
	}
	return n
}

// full reports whether enough rows wait.
func (s *stage) full() bool { return s.n >= s.limit || s.account.Size() >= s.bytes || s.pressed }

// over reports whether no more rows should wait.
func (s *stage) over() bool {
	return s.n >= stageLimit*s.limit || s.account.Size() >= stageLimit*s.bytes || s.pressed
}

// input returns the rows as a batch, valid until the next append.
func (s *stage) input() *input {
	s.in = input{keys: s.in.keys[:0], cols: vector.Resize(s.in.cols, len(s.columns)), n: s.n, rows: Ordinals{Rows: s.ordinals}, hashes: s.hashes}
	for c, b := range s.columns {
		if b != nil {
			s.in.cols[c] = b.Vector()
		}
	}
	for _, k := range s.sink.cfg.Keys {
		s.in.keys = append(s.in.keys, s.in.cols[k])
	}
	return &s.in
}

// reset empties the stage and keeps its memory, unless long strings have made
// it large.
func (s *stage) reset() error {
	large := s.account.Size() > s.bytes/2 && s.bytes > leastStage || s.pressed
	for c, b := range s.columns {
		switch {
		case b == nil:
		case large:
			s.columns[c] = vector.NewBuilder(s.sink.in.Field(c).Type)
		default:
			b.Reset()
		}
	}
	s.n, s.ordinals, s.hashes, s.pressed = 0, s.ordinals[:0], s.hashes[:0], false
	return s.account.Resize(s.held())
}

// close gives the memory back.
func (s *stage) close() {
	s.columns, s.ordinals, s.hashes = nil, nil, nil
	s.account.Close()
}
