package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/colagg/colagg/operators/expr/calendar"
	"github.com/colagg/colagg/vector"
)

// source computes values, as a container of them. Those of row i are at i of the
// container, which is the batch's or the source's own, until its next call. Of the
// rows asked for it returns those that have a value; only these have meaning, and
// the others are NULL.
type source[S any] interface {
	values(f *frame, rows []uint32) (S, []uint32, error)
}

// vec is a source of values of fixed width.
type vec[T any] = source[[]T]

// same is one value in every row.
type same[T any] struct {
	value T
	buf   []T
}

func (s *same[T]) values(f *frame, rows []uint32) ([]T, []uint32, error) {
	if len(s.buf) < f.n {
		s.buf = grow(f, s.buf, f.n)
		for i := range s.buf {
			s.buf[i] = s.value
		}
	}
	return s.buf, rows, nil
}

// unary is a function of one source, of containers A and B; the loop is over rows
// that have values.
type unary[A, B any] struct {
	of   source[A]
	loop func(dst B, src A, rows []uint32) error
	buf  B
}

// mapped is a unary function of values of fixed width.
type mapped[A, B any] = unary[[]A, []B]

func (m *unary[A, B]) values(f *frame, rows []uint32) (B, []uint32, error) {
	src, rows, err := m.of.values(f, rows)
	if err != nil {
		return m.buf, nil, err
	}
	fit(f, &m.buf)
	return m.buf, rows, finished(m.buf, m.loop(m.buf, src, rows))
}

// binary is a function of two.
type binary[A, B, C any] struct {
	left  source[A]
	right source[B]
	loop  func(dst C, a A, b B, rows []uint32) error
	buf   C
}

// joined is a binary function of values of fixed width, and paired one whose types
// are the same.
type (
	joined[A, B, C any] = binary[[]A, []B, []C]
	paired[T any]       = binary[[]T, []T, []T]
)

func (p *binary[A, B, C]) values(f *frame, rows []uint32) (C, []uint32, error) {
	a, rows, err := p.left.values(f, rows)
	if err != nil {
		return p.buf, nil, err
	}
	b, rows, err := p.right.values(f, rows)
	if err != nil {
		return p.buf, nil, err
	}
	fit(f, &p.buf)
	return p.buf, rows, finished(p.buf, p.loop(p.buf, a, b, rows))
}

// ternary is a function of three.
type ternary[A, B, C, D any] struct {
	first  source[A]
	second source[B]
	third  source[C]
	loop   func(dst D, a A, b B, c C, rows []uint32) error
	buf    D
}

func (p *ternary[A, B, C, D]) values(f *frame, rows []uint32) (D, []uint32, error) {
	a, rows, err := p.first.values(f, rows)
	if err != nil {
		return p.buf, nil, err
	}
	b, rows, err := p.second.values(f, rows)
	if err != nil {
		return p.buf, nil, err
	}
	c, rows, err := p.third.values(f, rows)
	if err != nil {
		return p.buf, nil, err
	}
	fit(f, &p.buf)
	return p.buf, rows, finished(p.buf, p.loop(p.buf, a, b, c, rows))
}

// fit makes the container big enough for the frame.
func fit[S any](f *frame, s *S) {
	switch s := any(s).(type) {
	case *[]int64:
		*s = grow(f, *s, f.n)
	case *[]int128:
		*s = grow(f, *s, f.n)
	case *[]float64:
		*s = grow(f, *s, f.n)
	case *[]bool:
		*s = grow(f, *s, f.n)
	case *[]calendar.Interval:
		*s = grow(f, *s, f.n)
	case **texts:
		if *s == nil {
			*s = &texts{}
		}
		(*s).begin(f)
	}
}

// finished returns err, or that texts had no room.
func finished[S any](s S, err error) error {
	if t, ok := any(s).(*texts); ok && err == nil {
		return t.fits()
	}
	return err
}

// move copies the values of rows from src to dst.
func move[S any](dst, src S, rows []uint32) {
	switch dst := any(dst).(type) {
	case []int64:
		pickRows(dst, any(src).([]int64), rows)
	case []int128:
		pickRows(dst, any(src).([]int128), rows)
	case []float64:
		pickRows(dst, any(src).([]float64), rows)
	case []bool:
		pickRows(dst, any(src).([]bool), rows)
	case []calendar.Interval:
		pickRows(dst, any(src).([]calendar.Interval), rows)
	case *texts:
		src := any(src).(*texts)
		for _, i := range rows {
			dst.put(i, src.at(i))
		}
	}
}

func pickRows[T any](dst, src []T, rows []uint32) {
	for _, i := range rows {
		dst[i] = src[i]
	}
}

// column reads a column; load gives its values, in dst if they must be
// converted.
type column[T any] struct {
	col  int
	load func(dst []T, v *vector.Vector, rows []uint32) []T
	buf  []T
	some []uint32
}

func (c *column[T]) values(f *frame, rows []uint32) ([]T, []uint32, error) {
	rows, err := f.present(c.col, rows, &c.some)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	v, err := f.flat(c.col)
	if err != nil {
		return nil, nil, err
	}
	c.buf = grow(f, c.buf, f.n)
	return c.load(c.buf, v, rows), rows, nil
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

type number64 interface {
	integer | ~float32 | ~float64
}

func convert[T, S number64](dst []T, src []S, rows []uint32) []T {
	for _, i := range rows {
		dst[i] = T(src[i])
	}
	return dst
}

// loadInts reads integers, dates, times, timestamps and durations.
func loadInts(dst []int64, v *vector.Vector, rows []uint32) []int64 {
	switch v.Type.ID() {
	case arrow.INT8:
		return convert(dst, vector.Values[int8](v), rows)
	case arrow.INT16:
		return convert(dst, vector.Values[int16](v), rows)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return convert(dst, vector.Values[int32](v), rows)
	case arrow.UINT8:
		return convert(dst, vector.Values[uint8](v), rows)
	case arrow.UINT16:
		return convert(dst, vector.Values[uint16](v), rows)
	case arrow.UINT32:
		return convert(dst, vector.Values[uint32](v), rows)
	}
	return vector.Values[int64](v)
}

func loadFloats(dst []float64, v *vector.Vector, rows []uint32) []float64 {
	switch v.Type.ID() {
	case arrow.FLOAT16:
		src := vector.Values[uint16](v)
		for _, i := range rows {
			dst[i] = float64(float16.FromBits(src[i]).Float32())
		}
		return dst
	case arrow.FLOAT32:
		return convert(dst, vector.Values[float32](v), rows)
	}
	return vector.Values[float64](v)
}

// loadDecimals reads decimals and uint64.
func loadDecimals(dst []int128, v *vector.Vector, rows []uint32) []int128 {
	if v.Type.ID() != arrow.UINT64 {
		return vector.Values[int128](v)
	}
	src := vector.Values[uint64](v)
	for _, i := range rows {
		dst[i] = int128{src[i], 0}
	}
	return dst
}
