package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/colagg/colagg/operators/expr/calendar"
	"github.com/colagg/colagg/vector"
)

// output makes vectors of a value; they are its own until the next call.
type output struct {
	typ   arrow.DataType
	fill  func(f *frame, rows []uint32) (have []uint32, err error) // sets data and offsets
	vec   vector.Vector
	data  []byte // memory of what vec has
	text  []int32
	valid vector.Bitmap
}

// newOutput makes the output of v, which is no NULL.
func newOutput(c *compiler, v *value) *output {
	o := &output{typ: v.arrowType()}
	switch v.class {
	case boolClass:
		o.fill = filled(c.truths(v), o.bits)
	case decClass:
		o.fill = filled(c.unscaled(v), o.decimals)
	case floatClass:
		o.fill = filled(c.floats(v), o.floats)
	case textClass:
		of := c.texts(v)
		o.fill = func(f *frame, rows []uint32) ([]uint32, error) {
			x, have, err := of.values(f, rows)
			if err == nil {
				err = o.texts(f, x, have)
			}
			return have, err
		}
	case intervalClass:
		o.fill = filled(c.spans(v), o.intervals)
	default:
		o.fill = filled(c.ints(v), o.integers)
	}
	return o
}

func filled[S any](of source[S], put func(f *frame, x S, rows []uint32)) func(*frame, []uint32) ([]uint32, error) {
	return func(f *frame, rows []uint32) ([]uint32, error) {
		x, have, err := of.values(f, rows)
		if err == nil && len(have) > 0 {
			put(f, x, have)
		}
		return have, err
	}
}

// vector computes rows of the frame; the others are NULL or have no meaning.
func (o *output) vector(f *frame, rows []uint32) (*vector.Vector, error) {
	o.vec = vector.Vector{Type: o.typ, Len: f.n}
	have, err := o.fill(f, rows)
	if err != nil {
		return nil, err
	}
	switch {
	case vector.IsBytes(o.typ):
	case o.typ.ID() == arrow.BOOL:
		o.vec.Data = o.room(f, (f.n+7)/8)
	case o.vec.Data == nil:
		o.vec.Data = o.room(f, f.n*vector.Width(o.typ))
	}
	if len(have) == len(rows) {
		return &o.vec, nil
	}
	o.valid = grow(f, o.valid, (f.n+7)/8)
	clear(o.valid)
	for _, i := range have {
		o.valid.Set(int(i))
	}
	o.vec.Valid = o.valid
	return &o.vec, nil
}

func (o *output) room(f *frame, n int) []byte {
	o.data = grow(f, o.data, n)
	return o.data
}

func (o *output) bits(f *frame, x []bool, rows []uint32) {
	bits := vector.Bitmap(o.room(f, (f.n+7)/8))
	clear(bits)
	for _, i := range rows {
		if x[i] {
			bits.Set(int(i))
		}
	}
}

func (o *output) integers(f *frame, x []int64, rows []uint32) {
	switch vector.Width(o.typ) {
	case 1:
		convert(vector.View[int8](o.room(f, f.n)), x, rows)
	case 2:
		convert(vector.View[int16](o.room(f, 2*f.n)), x, rows)
	case 4:
		convert(vector.View[int32](o.room(f, 4*f.n)), x, rows)
	default:
		o.vec.Data = vector.AsBytes(x[:f.n])
	}
}

func (o *output) decimals(f *frame, x []int128, rows []uint32) {
	if o.typ.ID() != arrow.UINT64 {
		o.vec.Data = vector.AsBytes(x[:f.n])
		return
	}
	dst := vector.View[uint64](o.room(f, 8*f.n))
	for _, i := range rows {
		dst[i] = x[i][0]
	}
}

func (o *output) floats(f *frame, x []float64, rows []uint32) {
	switch o.typ.ID() {
	case arrow.FLOAT32:
		convert(vector.View[float32](o.room(f, 4*f.n)), x, rows)
	case arrow.FLOAT16:
		dst := vector.View[uint16](o.room(f, 2*f.n))
		for _, i := range rows {
			dst[i] = float16.New(float32(x[i])).Uint16()
		}
	default:
		o.vec.Data = vector.AsBytes(x[:f.n])
	}
}

func (o *output) intervals(f *frame, x []calendar.Interval, rows []uint32) {
	dst := vector.View[[2]uint64](o.room(f, 16*f.n))
	for _, i := range rows {
		dst[i] = [2]uint64{uint64(uint32(x[i].Months)) | uint64(uint32(x[i].Days))<<32, uint64(x[i].Nanos)}
	}
}

// texts puts pieces one behind the other, as Arrow wants them.
func (o *output) texts(f *frame, x *texts, rows []uint32) error {
	total := 0
	for _, i := range rows {
		total += int(x.to[i] - x.from[i])
	}
	if total > 1<<31-1 {
		return errLong
	}
	o.text = grow(f, o.text, f.n+1)
	data, next := o.room(f, total)[:0], 0
	for _, i := range rows {
		for ; next <= int(i); next++ {
			o.text[next] = int32(len(data))
		}
		data = append(data, x.at(i)...)
	}
	for ; next <= f.n; next++ {
		o.text[next] = int32(len(data))
	}
	o.vec.Data, o.vec.Offsets = data, o.text
	return nil
}
