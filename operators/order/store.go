package order

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

const (
	// chunkRows is from how many rows on a chunk takes no further batch: so
	// batches of the usual size are chunks, with memory that fits exactly, and
	// small ones are put together.
	chunkRows = 4096
	// chunkBytes bounds chunks of long strings.
	chunkBytes = 1 << 20
)

// chunk is a part of the rows that are kept: flat columns, the last one the
// positions.
type chunk struct {
	builders []*vector.Builder // nil if the columns are someone else's
	cols     []*vector.Vector
}

func (c *chunk) rows() int { return c.cols[len(c.cols)-1].Len }

// size returns the bytes that the builders hold.
func (c *chunk) size() (n int64) {
	for _, b := range c.builders {
		n += b.Size()
	}
	return n
}

// full reports whether the chunk takes no further batch.
func (c *chunk) full() bool {
	n := 0
	for _, b := range c.builders {
		if v := b.Vector(); v.Offsets != nil {
			n += len(v.Data)
		}
	}
	return c.builders[0].Len() >= chunkRows || n >= chunkBytes
}

// store keeps rows of batches in chunks, whose memory it uses again.
type store struct {
	types  []arrow.DataType // of the columns, positions included
	chunks []*chunk
	used   int // chunks that have rows
	rows   int
	bytes  int64 // that all chunks hold
	rising bool  // positions have only risen
	last   uint64
	places []uint64
}

func newStore(in *arrow.Schema) *store {
	s := &store{rising: true}
	for _, f := range in.Fields() {
		s.types = append(s.types, f.Type)
	}
	s.types = append(s.types, arrow.PrimitiveTypes.Uint64)
	return s
}

// filled returns the chunks that have rows, to be read.
func (s *store) filled() []*chunk {
	for _, c := range s.chunks[:s.used] {
		c.cols = c.cols[:0]
		for _, b := range c.builders {
			c.cols = append(c.cols, b.Vector())
		}
	}
	return s.chunks[:s.used]
}

// room returns the chunk that takes the next rows.
func (s *store) room() *chunk {
	if s.used > 0 {
		if c := s.chunks[s.used-1]; !c.full() {
			return c
		}
	}
	if s.used == len(s.chunks) {
		c := &chunk{}
		for _, t := range s.types {
			c.builders = append(c.builders, vector.NewBuilder(t))
		}
		s.chunks = append(s.chunks, c)
	}
	s.used++
	return s.chunks[s.used-1]
}

// add keeps the rows of b that sel lists, or all if it is nil.
func (s *store) add(b *vector.Batch, sel []uint32) error {
	n := b.Len
	if sel != nil {
		n = len(sel)
	}
	if n == 0 {
		return nil
	}
	s.places = vector.Resize(s.places, n)
	for i := range s.places {
		s.places[i] = b.Row + uint64(i)
		if sel != nil {
			s.places[i] = b.Row + uint64(sel[i])
		}
	}
	return s.put(b.Cols, sel, s.places)
}

// put keeps rows of cols, at the given positions.
func (s *store) put(cols []*vector.Vector, sel []uint32, places []uint64) error {
	for _, p := range places {
		s.rising = s.rising && (p > s.last || s.rows == 0 && p == places[0])
		s.last = p
	}
	c := s.room()
	before := c.size()
	for i, v := range cols {
		if err := c.builders[i].Append(v, sel); err != nil {
			return err
		}
	}
	position := vector.Vector{Type: arrow.PrimitiveTypes.Uint64, Len: len(places), Data: vector.AsBytes(places)}
	if err := c.builders[len(cols)].Append(&position, nil); err != nil {
		return err
	}
	s.rows += len(places)
	s.bytes += c.size() - before
	return nil
}

// reset drops the rows and keeps the memory.
func (s *store) reset() {
	for _, c := range s.chunks[:s.used] {
		for _, b := range c.builders {
			b.Reset()
		}
	}
	s.used, s.rows, s.rising = 0, 0, true
}

// pick is a row of a chunk.
type pick struct {
	chunk *chunk
	row   uint32
}

// gather returns the picked rows as flat vectors of new memory: as many columns
// as there are types.
func gather(types []arrow.DataType, picks []pick) ([]*vector.Vector, error) {
	out := make([]*vector.Vector, len(types))
	for i, t := range types {
		var err error
		switch w := vector.Width(t); {
		case w == 8:
			out[i] = gatherFixed[uint64](t, i, picks)
		case w == 4:
			out[i] = gatherFixed[uint32](t, i, picks)
		case w == 16:
			out[i] = gatherFixed[[2]uint64](t, i, picks)
		case w == 2:
			out[i] = gatherFixed[uint16](t, i, picks)
		case w == 1:
			out[i] = gatherFixed[uint8](t, i, picks)
		case vector.IsBytes(t):
			out[i], err = gatherBytes(t, i, picks)
		default:
			out[i], err = gatherRows(t, i, picks)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func gatherFixed[T vector.Fixed](t arrow.DataType, col int, picks []pick) *vector.Vector {
	v := vector.New(t, len(picks))
	dst := vector.Values[T](v)
	for k, p := range picks {
		dst[k] = vector.View[T](p.chunk.cols[col].Data)[p.row]
	}
	v.Valid = gatherValid(col, picks)
	return v
}

// gatherValid returns nil where every row has a value.
func gatherValid(col int, picks []pick) vector.Bitmap {
	var valid vector.Bitmap
	for k, p := range picks {
		if p.chunk.cols[col].Valid.Get(int(p.row)) {
			continue
		}
		if valid == nil {
			valid = vector.NewBitmap(len(picks))
			valid.SetRange(0, len(picks))
		}
		valid.Clear(k)
	}
	return valid
}

func gatherBytes(t arrow.DataType, col int, picks []pick) (*vector.Vector, error) {
	v := vector.New(t, len(picks))
	total := 0
	for k, p := range picks {
		u := p.chunk.cols[col]
		total += int(u.Offsets[p.row+1] - u.Offsets[p.row])
		if total > vector.MaxBytes {
			return nil, vector.ErrTooLong
		}
		v.Offsets[k+1] = int32(total)
	}
	v.Data = make([]byte, 0, total)
	for _, p := range picks {
		u := p.chunk.cols[col]
		v.Data = append(v.Data, u.Data[u.Offsets[p.row]:u.Offsets[p.row+1]]...)
	}
	v.Valid = gatherValid(col, picks)
	return v, nil
}

// gatherRows is for types that are rare or have rows of their own kind.
func gatherRows(t arrow.DataType, col int, picks []pick) (*vector.Vector, error) {
	b, one := vector.NewBuilder(t), make([]uint32, 1)
	for _, p := range picks {
		one[0] = p.row
		if err := b.Append(p.chunk.cols[col], one); err != nil {
			return nil, err
		}
	}
	return b.Vector(), nil
}
