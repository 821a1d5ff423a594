package vector

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

func TestArrowRoundTrip(t *testing.T) {
	eachArray(t, func(t *testing.T, a arrow.Array) {
		v := fromArrow(t, a)
		same(t, v, a, upTo(a.Len()))
		if IsBytes(v.Type) && len(v.Offsets) != v.Len+1 {
			t.Errorf("%d offsets for %d rows", len(v.Offsets), v.Len)
		}
	})
}

// TestArrowThroughIPC has arrays whose first offset is not 0: their slices
// become arrays without an offset of their own.
func TestArrowThroughIPC(t *testing.T) {
	whole := filled(t, arrow.BinaryTypes.String, []string{"one", "three", "", "eleven"}, 40, 3)
	a := array.NewSlice(whole, 17, 33)
	v := fromArrow(t, a)
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: v.Type, Nullable: true}}, nil)
	rec, err := ToRecord(schema, &Batch{Cols: []*Vector{v}, Len: v.Len})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(schema))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() || !array.Equal(r.Record().Column(0), a) {
		t.Errorf("error %v, record %v, want %v", r.Err(), r.Record(), a)
	}
}

func TestArrowLarge(t *testing.T) {
	for _, c := range []struct{ large, small arrow.DataType }{
		{arrow.BinaryTypes.LargeString, arrow.BinaryTypes.String},
		{arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.Binary},
	} {
		values := []string{"", "aaaa", "bbbbbbbb", "cccccccccccc"}
		large, small := filled(t, c.large, values, 40, 5), filled(t, c.small, values, 40, 5)
		for _, s := range [][2]int64{{0, 40}, {0, 0}, {40, 40}, {7, 21}, {39, 40}} {
			v := fromArrow(t, array.NewSlice(large, s[0], s[1]))
			same(t, v, array.NewSlice(small, s[0], s[1]), upTo(int(s[1]-s[0])))
		}
	}
	v := &Vector{Type: arrow.BinaryTypes.String, Len: 2}
	if err := v.setLarge([]int64{5, 6, 6 + MaxBytes}, 0, nil); !errors.Is(err, ErrTooLong) {
		t.Errorf("error %v for more bytes than a vector holds", err)
	}
}

// TestArrowWithoutBuffers has the arrays that other implementations make when
// there is nothing to store.
func TestArrowWithoutBuffers(t *testing.T) {
	for _, l := range literals {
		bufs := make([]*memory.Buffer, len(l.typ.Layout().Buffers))
		d := array.NewData(l.typ, 0, bufs, nil, 0, 0)
		a := array.MakeFromData(d)
		d.Release()
		same(t, fromArrow(t, a), a, nil)
	}
	empties := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 12)), nil}, nil, 0, 0)
	defer empties.Release()
	a := array.MakeFromData(empties)
	same(t, fromArrow(t, a), a, upTo(2))
}

func TestArrowRefuses(t *testing.T) {
	list := array.NewBuilder(memory.DefaultAllocator, arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int64))).NewArray()
	if _, err := FromArrow(list); err == nil {
		t.Error("a list of lists became a vector")
	}
	if _, err := VectorType(list.DataType()); err == nil {
		t.Error("a list of lists has a vector type")
	}
	for _, typ := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString} {
		d := array.NewData(typ, 9, make([]*memory.Buffer, 3), nil, 0, 0)
		if _, err := FromArrow(bareArray{d}); err == nil {
			t.Errorf("%s: an array of nine rows without a buffer became a vector", typ)
		}
	}
	short := array.NewData(arrow.PrimitiveTypes.Int8, 9, []*memory.Buffer{memory.NewBufferBytes([]byte{1}), memory.NewBufferBytes(make([]byte, 9))}, nil, 1, 0)
	if _, err := FromArrow(bareArray{short}); err == nil {
		t.Error("a validity bitmap that is too short was taken")
	}
}

// bareArray is an array that nobody has checked.
type bareArray struct{ d *array.Data }

func (a bareArray) DataType() arrow.DataType       { return a.d.DataType() }
func (a bareArray) Data() arrow.ArrayData          { return a.d }
func (a bareArray) Len() int                       { return a.d.Len() }
func (a bareArray) NullN() int                     { return a.d.NullN() }
func (bareArray) NullBitmapBytes() []byte          { return nil }
func (bareArray) IsNull(int) bool                  { return false }
func (bareArray) IsValid(int) bool                 { return true }
func (bareArray) ValueStr(int) string              { return "" }
func (bareArray) GetOneForMarshal(int) interface{} { return nil }
func (bareArray) MarshalJSON() ([]byte, error)     { return nil, nil }
func (bareArray) String() string                   { return "" }
func (bareArray) Retain()                          {}
func (bareArray) Release()                         {}

// dictionary returns a dictionary array over values with NULL indexes and a
// NULL entry, and the plain array that it stands for.
func dictionary(t *testing.T, index, value arrow.DataType, values []string) (coded *array.Dictionary, plain arrow.Array) {
	t.Helper()
	dict := filled(t, value, values, 5, 4)
	indexes := filled(t, index, []string{"1", "3", "0", "2", "4"}, 40, 6)
	coded = array.NewDictionaryArray(&arrow.DictionaryType{IndexType: index, ValueType: value}, indexes, dict)
	b := array.NewBuilder(memory.DefaultAllocator, value)
	for i := range coded.Len() {
		if k := coded.GetValueIndex(i); coded.IsNull(i) || dict.IsNull(k) {
			b.AppendNull()
		} else if err := b.AppendValueFromString(dict.ValueStr(k)); err != nil {
			t.Fatal(err)
		}
	}
	return coded, b.NewArray()
}

func TestArrowDictionary(t *testing.T) {
	ids := map[uint64]bool{0: true}
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64} {
		for _, l := range []int{9, 18, 19, 20, 0} {
			coded, plain := dictionary(t, index, literals[l].typ, literals[l].values)
			for _, s := range [][2]int64{{0, 40}, {0, 0}, {5, 23}, {39, 40}} {
				v := fromArrow(t, array.NewSlice(coded, s[0], s[1]))
				if v.Flat() || v.Codes == nil || ids[v.Dict.ID] {
					t.Fatalf("%s with dictionary %d", v, v.Dict.ID)
				}
				ids[v.Dict.ID] = true
				same(t, v, array.NewSlice(plain, s[0], s[1]), upTo(v.Len))
			}
		}
	}
}

func TestArrowDictionaryWithBadIndex(t *testing.T) {
	dict := filled(t, arrow.BinaryTypes.String, []string{"a"}, 2, 0)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: dict.DataType()}
	d := array.NewDataWithDictionary(typ, 1, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{2})}, 0, 0, dict.Data().(*array.Data))
	if _, err := FromArrow(array.NewDictionaryData(d)); err == nil {
		t.Error("an index past the dictionary was taken")
	}
}
