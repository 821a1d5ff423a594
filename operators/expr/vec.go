package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/colagg/colagg/vector"
)

// vec computes values. Those of row i are at i of the slice, which is the
// batch's or the vec's own, until its next call; only the given rows, in which no
// column is NULL, have meaning.
type vec[T any] interface {
	values(f *frame, rows []uint32) ([]T, error)
}

// same is one value in every row.
type same[T any] struct {
	value T
	buf   []T
}

func (s *same[T]) values(f *frame, _ []uint32) ([]T, error) {
	if len(s.buf) < f.n {
		s.buf = grow(f, s.buf, f.n)
		for i := range s.buf {
			s.buf[i] = s.value
		}
	}
	return s.buf, nil
}

// mapped is a function of one vec; each is a loop over rows.
type mapped[A, B any] struct {
	of   vec[A]
	loop func(dst []B, src []A, rows []uint32) error
	buf  []B
}

func (m *mapped[A, B]) values(f *frame, rows []uint32) ([]B, error) {
	src, err := m.of.values(f, rows)
	if err != nil {
		return nil, err
	}
	m.buf = grow(f, m.buf, f.n)
	return m.buf, m.loop(m.buf, src, rows)
}

// paired is a function of two.
type paired[T any] struct {
	left, right vec[T]
	loop        func(dst, a, b []T, rows []uint32) error
	buf         []T
}

func (p *paired[T]) values(f *frame, rows []uint32) ([]T, error) {
	a, err := p.left.values(f, rows)
	if err != nil {
		return nil, err
	}
	b, err := p.right.values(f, rows)
	if err != nil {
		return nil, err
	}
	p.buf = grow(f, p.buf, f.n)
	return p.buf, p.loop(p.buf, a, b, rows)
}

// joined is a function of two of other types.
type joined[A, B, C any] struct {
	left  vec[A]
	right vec[B]
	loop  func(dst []C, a []A, b []B, rows []uint32) error
	buf   []C
}

func (j *joined[A, B, C]) values(f *frame, rows []uint32) ([]C, error) {
	a, err := j.left.values(f, rows)
	if err != nil {
		return nil, err
	}
	b, err := j.right.values(f, rows)
	if err != nil {
		return nil, err
	}
	j.buf = grow(f, j.buf, f.n)
	return j.buf, j.loop(j.buf, a, b, rows)
}

// column reads a column; load gives its values, in dst if they must be
// converted.
type column[T any] struct {
	col  int
	load func(dst []T, v *vector.Vector, rows []uint32) []T
	buf  []T
}

func (c *column[T]) values(f *frame, rows []uint32) ([]T, error) {
	v, err := f.flat(c.col)
	if err != nil {
		return nil, err
	}
	c.buf = grow(f, c.buf, f.n)
	return c.load(c.buf, v, rows), nil
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
