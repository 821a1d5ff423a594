package hashagg

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// logWindow is the rows of a range of groups: those of group i are starts[i] up
// to starts[i+1] of each column.
type logWindow struct {
	starts    []int32
	cols      []*vector.Vector
	positions []uint64 // nil if the log does not keep them
}

// logSpan is rows of a chunk for one window: lo up to hi, or those of some.
type logSpan struct {
	chunk  *logChunk
	lo, hi int
	some   []uint32 // not nil in a chunk that is not sorted
}

// window returns the rows of tickets lo up to hi, each group's as they were
// appended.
func (l *valueLog) window(lo, hi int) (*logWindow, error) {
	w := &logWindow{starts: make([]int32, hi-lo+1)}
	spans, total := l.spans(lo, hi), 0
	for _, s := range spans {
		total += s.rows()
		for i := range s.rows() {
			w.starts[int(s.ticket(i))-lo+1]++
		}
	}
	if total > vector.MaxBytes {
		return nil, fmt.Errorf("%d values of %d groups: %w", total, hi-lo, vector.ErrTooLong)
	}
	for i := range hi - lo {
		w.starts[i+1] += w.starts[i]
	}
	if l.ordered {
		w.positions = make([]uint64, total)
	}
	refs := make([][]uint64, len(l.columns))
	for k := range l.columns {
		c := &l.columns[k]
		v := &vector.Vector{Type: c.typ, Len: total}
		if vector.IsBytes(c.typ) {
			refs[k] = make([]uint64, total)
		} else {
			v.Data = make([]byte, total*c.width)
		}
		w.cols = append(w.cols, v)
	}
	next := slices.Clone(w.starts)
	var to []uint32
	for _, s := range spans {
		to = vector.Resize(to, s.rows())
		for i := range to {
			t := int(s.ticket(i)) - lo
			to[i] = uint32(next[t])
			next[t]++
		}
		if w.positions != nil {
			for i, at := range to {
				w.positions[at] = s.chunk.position(s.row(i))
			}
		}
		for k := range l.columns {
			s.scatter(k, l.columns[k].width, w.cols[k], refs[k], to)
		}
	}
	for k := range l.columns {
		if err := l.columns[k].finish(w.cols[k], refs[k]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// spans returns where the rows of tickets lo up to hi are.
func (l *valueLog) spans(lo, hi int) (spans []logSpan) {
	for _, c := range l.chunks {
		s := logSpan{chunk: c}
		if c.sorted {
			s.lo, _ = slices.BinarySearch(c.tickets[:c.n], uint32(lo))
			s.hi, _ = slices.BinarySearch(c.tickets[s.lo:c.n], uint32(hi))
			s.hi += s.lo
		} else {
			for i, t := range c.tickets[:c.n] {
				if int(t) >= lo && int(t) < hi {
					s.some = append(s.some, uint32(i))
				}
			}
		}
		if s.rows() > 0 {
			spans = append(spans, s)
		}
	}
	return spans
}

func (s logSpan) rows() int {
	if s.some != nil {
		return len(s.some)
	}
	return s.hi - s.lo
}

// row returns the place in the chunk of row i of the span.
func (s logSpan) row(i int) int {
	if s.some != nil {
		return int(s.some[i])
	}
	return s.lo + i
}

func (s logSpan) ticket(i int) uint32 { return s.chunk.tickets[s.row(i)] }

// scatter copies the span's rows of column k to the rows to of v, or of refs if
// they are byte strings.
func (s logSpan) scatter(k, width int, v *vector.Vector, refs []uint64, to []uint32) {
	data := s.chunk.data[k]
	switch {
	case refs != nil:
		s.spread8(refs, vector.View[uint64](data), to)
	case width == 8:
		s.spread8(vector.View[uint64](v.Data), vector.View[uint64](data), to)
	default:
		for i, at := range to {
			copy(v.Data[int(at)*width:int(at)*width+width], data[s.row(i)*width:])
		}
	}
	if valid := s.chunk.valid[k]; valid != nil {
		if v.Valid == nil {
			v.Valid = vector.NewBitmap(v.Len)
			v.Valid.SetRange(0, v.Len)
		}
		for i, at := range to {
			if !valid.Get(s.row(i)) {
				v.Valid.Clear(int(at))
			}
		}
	}
}

func (s logSpan) spread8(dst, src []uint64, to []uint32) {
	if s.some == nil {
		src = src[s.lo:s.hi]
		for i, at := range to {
			dst[at] = src[i]
		}
		return
	}
	for i, at := range to {
		dst[at] = src[s.some[i]]
	}
}

// finish makes v, whose values are in the form that the log keeps them in, an
// ordinary vector.
func (c *logColumn) finish(v *vector.Vector, refs []uint64) error {
	switch {
	case c.typ.ID() == arrow.BOOL:
		bits := vector.NewBitmap(v.Len)
		for i, b := range v.Data {
			bits[i>>3] |= b << (i & 7)
		}
		v.Data = bits
	case c.typ.ID() == arrow.NULL && v.Valid == nil:
		v.Valid = vector.NewBitmap(v.Len)
	case refs != nil:
		return c.texts.fill(v, refs)
	}
	return nil
}

// fill sets the byte strings of v to those that refs refer to.
func (x *logTexts) fill(v *vector.Vector, refs []uint64) error {
	total := 0
	for _, ref := range refs {
		total += x.length(ref)
	}
	if total > vector.MaxBytes {
		return fmt.Errorf("%d values of %d bytes in all: %w", len(refs), total, vector.ErrTooLong)
	}
	v.Data, v.Offsets = make([]byte, 0, total), make([]int32, len(refs)+1)
	for i, ref := range refs {
		v.Data = x.appendTo(v.Data, ref)
		v.Offsets[i+1] = int32(len(v.Data))
	}
	return nil
}

// states returns the window in exchange form.
func (w *logWindow) states() (out []*vector.Vector) {
	if w.positions != nil {
		v := &vector.Vector{Type: arrow.PrimitiveTypes.Uint64, Len: len(w.positions), Data: vector.AsBytes(w.positions)}
		out = append(out, vector.NewList(w.starts, v))
	}
	for _, v := range w.cols {
		out = append(out, vector.NewList(w.starts, v))
	}
	return out
}
