package vector

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
)

// Domain is a set of values of one column, as intervals, and whether NULL is in
// it. Values are given by their keys: byte strings in the order of the values,
// which KeyInt, KeyUint, KeyWide and KeyFloat make; those of byte strings are
// the strings themselves.
type Domain struct {
	Null  bool
	Spans []Span // in their order, without a value in two of them
}

// Span is an interval of keys from Lo on and below Hi; a nil Hi is no bound.
type Span struct{ Lo, Hi []byte }

// After is the least key above k.
func After(k []byte) []byte { return append(slices.Clip(k), 0) }

// Point is the interval of one key.
func Point(k []byte) Span { return Span{k, After(k)} }

// IsPoint reports whether s has exactly one key.
func (s Span) IsPoint() bool { return s.Hi != nil && bytes.Equal(After(s.Lo), s.Hi) }

func (s Span) empty() bool { return s.Hi != nil && bytes.Compare(s.Lo, s.Hi) >= 0 }

// AllValues is every value; NULL is none.
func AllValues() Domain { return Domain{Spans: []Span{{}}} }

// Full reports whether every value is in d.
func (d Domain) Full() bool {
	return len(d.Spans) == 1 && len(d.Spans[0].Lo) == 0 && d.Spans[0].Hi == nil
}

// Empty reports whether nothing is in d, not even NULL.
func (d Domain) Empty() bool { return !d.Null && len(d.Spans) == 0 }

// NewDomain returns the values of spans, which may be in any order.
func NewDomain(null bool, spans ...Span) Domain {
	spans = slices.DeleteFunc(spans, Span.empty)
	slices.SortFunc(spans, func(a, b Span) int { return bytes.Compare(a.Lo, b.Lo) })
	d := Domain{Null: null}
	for _, s := range spans {
		last := len(d.Spans) - 1
		switch {
		case last < 0 || d.Spans[last].Hi != nil && bytes.Compare(d.Spans[last].Hi, s.Lo) < 0:
			d.Spans = append(d.Spans, s)
		case s.Hi == nil || d.Spans[last].Hi != nil && bytes.Compare(d.Spans[last].Hi, s.Hi) < 0:
			d.Spans[last].Hi = s.Hi
		}
	}
	return d
}

// Union returns what is in d or in o.
func (d Domain) Union(o Domain) Domain {
	return NewDomain(d.Null || o.Null, slices.Concat(d.Spans, o.Spans)...)
}

// Intersect returns what is in both.
func (d Domain) Intersect(o Domain) Domain {
	out := Domain{Null: d.Null && o.Null}
	for i, j := 0, 0; i < len(d.Spans) && j < len(o.Spans); {
		a, b := d.Spans[i], o.Spans[j]
		s := a
		if bytes.Compare(b.Lo, a.Lo) > 0 {
			s.Lo = b.Lo
		}
		if a.Hi == nil || b.Hi != nil && bytes.Compare(b.Hi, a.Hi) < 0 {
			s.Hi = b.Hi
			j++
		} else {
			i++
		}
		if !s.empty() {
			out.Spans = append(out.Spans, s)
		}
	}
	return out
}

// Complement returns the values that are not in d, and NULL if that is not.
func (d Domain) Complement() Domain {
	out := Domain{Null: !d.Null}
	from, open := []byte(nil), true
	for _, s := range d.Spans {
		if before := (Span{from, s.Lo}); len(s.Lo) > 0 && !before.empty() {
			out.Spans = append(out.Spans, before)
		}
		from, open = s.Hi, s.Hi != nil
	}
	if open {
		out.Spans = append(out.Spans, Span{Lo: from})
	}
	return out
}

// Meets reports whether a value from the key lo to the key hi is in d, hi
// included.
func (d Domain) Meets(lo, hi []byte) bool {
	i, _ := slices.BinarySearchFunc(d.Spans, lo, func(s Span, k []byte) int {
		if s.Hi == nil || bytes.Compare(s.Hi, k) > 0 {
			return 1
		}
		return -1
	})
	return i < len(d.Spans) && bytes.Compare(d.Spans[i].Lo, hi) <= 0
}

// Has reports whether the value with key k is in d.
func (d Domain) Has(k []byte) bool { return d.Meets(k, k) }

// KeyInt is the key of an integer, date or timestamp in 64 bits or fewer, of
// uint64 excepted.
func KeyInt(x int64) []byte { return KeyUint(uint64(x) ^ 1<<63) }

// KeyUint is the key of an uint64.
func KeyUint(x uint64) []byte { return binary.BigEndian.AppendUint64(nil, x) }

// KeyWide is the key of a decimal128, given by its words, lowest first.
func KeyWide(w [2]uint64) []byte { return binary.BigEndian.AppendUint64(KeyInt(int64(w[1])), w[0]) }

// KeyFloat is the key of a float: zeros are equal, and NaNs are one value above
// all others.
func KeyFloat(f float64) []byte {
	switch {
	case f != f:
		return KeyInt(math.MaxInt64)
	case f == 0:
		return KeyInt(0)
	}
	b := int64(math.Float64bits(f))
	return KeyInt(b ^ int64(uint64(b>>63)>>1))
}

// KeyBool is the key of a boolean.
func KeyBool(b bool) []byte {
	if b {
		return []byte{1}
	}
	return []byte{0}
}

// Key returns the key of row i, which is not NULL; ok is false for types whose
// values have none.
func (v *Vector) Key(i int) (k []byte, ok bool) {
	for v.Dict != nil {
		i, v = v.Code(i), v.Dict
	}
	switch v.Type.ID() {
	case arrow.BOOL:
		return KeyBool(Bitmap(v.Data).Get(i)), true
	case arrow.INT8:
		return KeyInt(int64(int8(v.Data[i]))), true
	case arrow.UINT8:
		return KeyInt(int64(v.Data[i])), true
	case arrow.INT16:
		return KeyInt(int64(View[int16](v.Data)[i])), true
	case arrow.UINT16:
		return KeyInt(int64(View[uint16](v.Data)[i])), true
	case arrow.INT32, arrow.DATE32:
		return KeyInt(int64(View[int32](v.Data)[i])), true
	case arrow.UINT32:
		return KeyInt(int64(View[uint32](v.Data)[i])), true
	case arrow.INT64, arrow.DATE64, arrow.TIMESTAMP:
		return KeyInt(View[int64](v.Data)[i]), true
	case arrow.UINT64:
		return KeyUint(View[uint64](v.Data)[i]), true
	case arrow.DECIMAL128:
		return KeyWide(View[[2]uint64](v.Data)[i]), true
	case arrow.FLOAT32:
		return KeyFloat(float64(View[float32](v.Data)[i])), true
	case arrow.FLOAT64:
		return KeyFloat(View[float64](v.Data)[i]), true
	case arrow.STRING, arrow.BINARY:
		return v.Data[v.Offsets[i]:v.Offsets[i+1]], true
	}
	return nil, false
}
