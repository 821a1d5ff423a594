package parquetio

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/colagg/colagg/vector"
)

// textOf returns the value of a row in the form of readScript, but for
// floating-point numbers, which come as decimal text.
func textOf(v *vector.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	b := v.Bytes(i)
	word := func(k int) uint64 { return vector.View[uint64](b)[k] }
	switch t := v.Type.(type) {
	case *arrow.BooleanType:
		return strconv.FormatBool(b[0] != 0)
	case *arrow.Float16Type:
		return fmt.Sprint(halfFloat(vector.View[uint16](b)[0]))
	case *arrow.Float32Type:
		return fmt.Sprint(vector.View[float32](b)[0])
	case *arrow.Float64Type:
		return fmt.Sprint(vector.View[float64](b)[0])
	case *arrow.Decimal128Type:
		return decimal128.New(int64(word(1)), word(0)).ToString(t.Scale)
	case *arrow.Decimal256Type:
		return decimal256.New(word(3), word(2), word(1), word(0)).ToString(t.Scale)
	case *arrow.StringType, *arrow.BinaryType, *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("%x", b)
	case arrow.FixedWidthDataType:
		var wide [8]byte
		copy(wide[:], b)
		if !arrow.IsUnsignedInteger(t.ID()) && b[len(b)-1] >= 0x80 {
			for k := len(b); k < 8; k++ {
				wide[k] = 0xff
			}
		}
		if n := vector.View[uint64](wide[:])[0]; arrow.IsUnsignedInteger(t.ID()) {
			return strconv.FormatUint(n, 10)
		} else {
			return strconv.FormatInt(int64(n), 10)
		}
	}
	return "a value of type " + v.Type.String()
}

// halfFloat is here because the library's conversion has the smallest numbers
// wrong.
func halfFloat(h uint16) float64 {
	exp, frac := int(h>>10&0x1f), float64(h&0x3ff)
	v := math.Ldexp(frac, -24)
	switch {
	case exp == 0x1f && frac != 0:
		return math.NaN()
	case exp == 0x1f:
		v = math.Inf(1)
	case exp > 0:
		v = math.Ldexp(1024+frac, exp-25)
	}
	return math.Copysign(v, 1-2*float64(h>>15))
}

// equalText compares values in text form; numbers of type float bit by bit.
func equalText(typ arrow.DataType, got, want string) bool {
	if !arrow.IsFloating(typ.ID()) || want == "NULL" {
		return got == want
	}
	g, err1 := strconv.ParseFloat(got, 64)
	w, err2 := strconv.ParseFloat(want, 64)
	return err1 == nil && err2 == nil && (math.Float64bits(g) == math.Float64bits(w) || g != g && w != w)
}

// checkReadBack reads all columns of a file in batches of several sizes.
func checkReadBack(t *testing.T, name string, data []byte, cases []typeCase, want func(typeCase) []string) {
	t.Helper()
	f := mustFooter(t, bytesFile(data))
	for _, rows := range []int{1, 3, 8192} {
		n := 0
		err := scanAll(f, leafRange(len(cases)), ScanOptions{BatchRows: rows}, func(b *vector.Batch) {
			for k, v := range b.Cols {
				for i := range b.Len {
					w := want(cases[k])
					if n+i >= len(w) {
						t.Fatalf("%s: more than %d rows", name, len(w))
					}
					if got := textOf(v, i); !equalText(v.Type, got, w[n+i]) {
						t.Errorf("%s, %s, row %d, batches of %d: %s, not %s", name, cases[k].name, n+i, rows, got, w[n+i])
					}
				}
			}
			n += b.Len
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n != len(want(cases[0])) {
			t.Errorf("%s: %d rows, not %d", name, n, len(want(cases[0])))
		}
	}
}

func leafRange(n int) []int {
	leaves := make([]int, n)
	for i := range leaves {
		leaves[i] = i
	}
	return leaves
}

func TestWriterTypesReadBack(t *testing.T) {
	cases := typeCases()
	for form, b := range typeForms(t, cases) {
		checkReadBack(t, form, written(t, schemaOf(cases), b), cases, func(c typeCase) []string { return c.want })
	}
	for name, f := range edgeFiles(t, cases) {
		checkReadBack(t, name, written(t, f.schema, f.batches...), cases, f.want)
	}
}

// TestWriterColumnsReadBack compares the types that are found in a file with
// those that were written, or what they are stored as.
func TestWriterColumnsReadBack(t *testing.T) {
	cases := typeCases()
	stored := map[string]arrow.DataType{
		"date64":  arrow.FixedWidthTypes.Date32,
		"time32s": arrow.FixedWidthTypes.Time32ms,
		"tss":     &arrow.TimestampType{Unit: arrow.Millisecond},
		"tsusz":   &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	}
	for name, f := range edgeFiles(t, cases) {
		for i, col := range mustFooter(t, bytesFile(written(t, f.schema, f.batches...))).Columns() {
			want := cases[i].typ
			if s := stored[cases[i].name]; s != nil {
				want = s
			}
			if col.Name() != cases[i].name || !arrow.TypeEqual(col.Type, want) || col.Nullable != isOptional(f.schema.Field(i)) {
				t.Errorf("%s, %s: column %q of type %s, nullable %v; want %s", name, cases[i].name, col.Name(), col.Type, col.Nullable, want)
			}
		}
	}
}

func TestWriterLargeReadBack(t *testing.T) {
	names := []string{"row", "few", "many", "uniq", "dec"}
	f := mustFooter(t, bytesFile(largeFile(t)))
	n := 0
	err := scanAll(f, leafRange(len(names)), ScanOptions{BatchRows: 1000}, func(b *vector.Batch) {
		for k, v := range b.Cols {
			for i := range b.Len {
				want := largeValue(names[k], n+i)
				if v.IsNull(i) != (want == nil) || want != nil && !bytes.Equal(v.Bytes(i), want) {
					t.Fatalf("%s, row %d: %x, not %x", names[k], n+i, v.Bytes(i), want)
				}
			}
		}
		n += b.Len
	})
	if err != nil || n != largeRows {
		t.Errorf("%d rows, error %v", n, err)
	}
}
