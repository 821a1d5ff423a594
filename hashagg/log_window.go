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
	positions []uint64 // nil if they are not asked for, or not kept
}

// windowParts says what a window has.
type windowParts int

const (
	valuesOnly windowParts = iota
	withPositions
)

// logSpan is the rows of a chunk for one window: those from lo up to lo +
// len(tickets).
type logSpan struct {
	chunk   *logChunk
	lo      int
	tickets []uint32
}

// window returns the rows of tickets lo up to hi, each group's in the order of
// the chunks. It is safe on several goroutines at once.
func (l *valueLog) window(lo, hi int, parts windowParts) (*logWindow, error) {
	l.seal()
	w := &logWindow{starts: make([]int32, hi-lo+1)}
	spans, total := l.spans(lo, hi), 0
	for _, s := range spans {
		total += len(s.tickets)
		for _, t := range s.tickets {
			w.starts[int(t)-lo+1]++
		}
	}
	if total > vector.MaxBytes {
		return nil, fmt.Errorf("%d values of %d groups: %w", total, hi-lo, vector.ErrTooLong)
	}
	for i := range hi - lo {
		w.starts[i+1] += w.starts[i]
	}
	if l.ordered && parts == withPositions {
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
	l.fill(w, spans, lo, refs)
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
		from, _ := slices.BinarySearch(c.tickets[:c.n], uint32(lo))
		n, _ := slices.BinarySearch(c.tickets[from:c.n], uint32(hi))
		if n > 0 {
			spans = append(spans, logSpan{c, from, c.tickets[from : from+n]})
		}
	}
	return spans
}

// fill copies the rows of the spans to where they belong in w, whose first
// ticket is lo.
func (l *valueLog) fill(w *logWindow, spans []logSpan, lo int, refs [][]uint64) {
	next := slices.Clone(w.starts)
	var to []uint32
	for _, s := range spans {
		to = vector.Resize(to, len(s.tickets))
		for i, t := range s.tickets {
			at := &next[int(t)-lo]
			to[i] = uint32(*at)
			*at++
		}
		if w.positions != nil {
			for i, at := range to {
				w.positions[at] = s.chunk.position(s.lo + i)
			}
		}
		for k := range l.columns {
			s.scatter(k, l.columns[k].width, w.cols[k], refs[k], to)
		}
	}
}

// scatter copies the span's rows of column k to the rows to of v, or of refs if
// they are byte strings.
func (s logSpan) scatter(k, width int, v *vector.Vector, refs []uint64, to []uint32) {
	data := s.chunk.data[k][s.lo*width:]
	switch {
	case refs != nil:
		deal(refs, vector.View[uint64](data), to)
	case width == 8:
		deal(vector.View[uint64](v.Data), vector.View[uint64](data), to)
	case width == 4:
		deal(vector.View[uint32](v.Data), vector.View[uint32](data), to)
	default:
		for i, at := range to {
			copy(v.Data[int(at)*width:int(at)*width+width], data[i*width:])
		}
	}
	if valid := s.chunk.valid[k]; valid != nil {
		if v.Valid == nil {
			v.Valid = vector.NewBitmap(v.Len)
			v.Valid.SetRange(0, v.Len)
		}
		for i, at := range to {
			if !valid.Get(s.lo + i) {
				v.Valid.Clear(int(at))
			}
		}
	}
}

func deal[T uint32 | uint64](dst, src []T, to []uint32) {
	src = src[:len(to)]
	for i, at := range to {
		dst[at] = src[i]
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
