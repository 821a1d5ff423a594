package encoding

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colagg/colagg/vector"
)

func TestNarrow(t *testing.T) {
	src := []int32{0, -128, 127, 5, -1}
	dst := make([]int8, len(src))
	if err := Narrow(dst, src); err != nil || !slices.Equal(dst, []int8{0, -128, 127, 5, -1}) {
		t.Errorf("got %v, %v", dst, err)
	}
	in := []int32{0, 65535, 300}
	place := vector.View[uint16](vector.AsBytes(in))[:3]
	if err := Narrow(place, in); err != nil || !slices.Equal(place, []uint16{0, 65535, 300}) {
		t.Errorf("in place: got %v, %v", place, err)
	}
	for _, err := range []error{
		Narrow(make([]int8, 2), []int32{1, 128}),
		Narrow(make([]uint8, 2), []int32{1, -1}),
		Narrow(make([]int16, 2), []int32{1, -32769}),
		Narrow(make([]uint16, 2), []int32{1, 65536}),
	} {
		if err == nil || !strings.Contains(err.Error(), "value 1 is") {
			t.Errorf("error %v for a value out of range", err)
		}
	}
}

func int96(day int32, nanos int64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(nanos))
	return binary.LittleEndian.AppendUint32(b, uint32(day))
}

func TestInt96(t *testing.T) {
	for _, c := range []struct {
		day   int32
		nanos int64
		want  string
	}{
		{2440588, 0, "1970-01-01T00:00:00Z"},
		{2440587, 86_399_999_999_999, "1969-12-31T23:59:59.999999Z"},
		{2440588, -1, "1969-12-31T23:59:59.999999Z"},
		{2440588, 1_999, "1970-01-01T00:00:00.000001Z"},
		{2440588, 90_000_000_000_000, "1970-01-02T01:00:00Z"},
		{2451545, 43_200_000_000_000, "2000-01-01T12:00:00Z"},
		{2299161, 0, "1582-10-15T00:00:00Z"},
		{5373484, 86_399_999_999_000, "9999-12-31T23:59:59.999999Z"},
		{1721426, 0, "0001-01-01T00:00:00Z"},
	} {
		var got [1]int64
		if err := Int96Micros(got[:], int96(c.day, c.nanos)); err != nil {
			t.Fatal(err)
		}
		if text := time.UnixMicro(got[0]).UTC().Format(time.RFC3339Nano); text != c.want {
			t.Errorf("day %d, %d ns: got %s, want %s", c.day, c.nanos, text, c.want)
		}
	}
	for _, day := range []int32{math.MaxInt32, math.MinInt32, 2440588 + 106751991, 2440588 - 106751991} {
		src := append(int96(2440588, 0), int96(day, 0)...)
		if err := Int96Micros(make([]int64, 2), src); err == nil || !strings.Contains(err.Error(), "timestamp 1 is") {
			t.Errorf("day %d: error %v", day, err)
		}
	}
	var got [2]int64
	src := append(int96(2440588+106751990, 86_399_999_999_999), int96(2440588-106751990, math.MinInt64)...)
	if err := Int96Micros(got[:1], src); err != nil || got[0] < math.MaxInt64-1<<38 {
		t.Errorf("the last day: %d, %v", got[0], err)
	}
	if err := Int96Micros(got[:], src); err == nil {
		t.Error("no error for a time of day before the first day")
	}
}
