package encoding

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// The fuzz targets give a decoder any bytes as a page and compare what it
// makes of them with the reference decoders: the same values, or both an
// error. n, the number of values, is kept small where a page can stand for
// many.

func FuzzHybrid(f *testing.F) {
	f.Add([]byte{3, 0x88, 0xC6, 0xFA, 8, 5}, uint8(3), uint16(12), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, width uint8, n uint16, seed uint64) {
		testHybrid(t, data, int(width%33), int(n), seed)
	})
}

func FuzzCodes(f *testing.F) {
	f.Add([]byte{3, 3, 0x88, 0xC6, 0xFA}, uint16(8), uint32(5))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, entries uint32) {
		var h Hybrid
		if h.ResetCodes(data) != nil {
			if len(data) == 0 || data[0] <= 32 {
				t.Fatal("a good width is refused")
			}
			return
		}
		codes := make([]uint32, n)
		if h.DecodeCodes(codes, int(entries)) != nil {
			return
		}
		for _, c := range codes {
			if c >= entries {
				t.Fatalf("code %d of %d entries", c, entries)
			}
		}
	})
}

func FuzzLevels(f *testing.F) {
	f.Add([]byte{3, 0b11001101, 6, 1, 4, 0}, uint8(1), uint16(13), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, max uint8, n uint16, seed uint64) {
		levels, ok := refHybrid(data, widthOf(int(max)), int(n))
		ok = ok && (n == 0 || slices.Max(levels) <= uint32(max))
		var l Levels
		if err := l.Reset(slices.Clip(data), int(max)); err != nil {
			t.Fatal(err)
		}
		if !ok {
			levels = make([]uint32, n)
		}
		testLevels(t, &l, levels, ok, int(max), seed)
	})
}

func FuzzPackedLevels(f *testing.F) {
	f.Add([]byte{0x05, 0x39, 0x77}, uint8(7), uint16(8), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, max uint8, n uint16, seed uint64) {
		width := widthOf(int(max))
		levels, ok := make([]uint32, n), int(n)*width <= len(data)*8
		for i := range int(n) * width {
			if ok && data[i/8]>>(7-i%8)&1 != 0 {
				levels[i/width] |= 1 << (width - 1 - i%width)
			}
		}
		var l Levels
		rest, err := l.ResetPacked(slices.Clip(data), int(max), int(n))
		check(t, err, ok)
		if !ok {
			return
		}
		if len(rest) != len(data)-(int(n)*width+7)/8 {
			t.Fatalf("%d bytes follow", len(rest))
		}
		testLevels(t, &l, levels, n == 0 || slices.Max(levels) <= uint32(max), int(max), seed)
	})
}

func FuzzBoolean(f *testing.F) {
	f.Add([]byte{4, 0, 0, 0, 3, 0x55, 20, 1}, uint16(18), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, seed uint64) {
		testRLEBools(t, data, int(n), seed)
	})
}

func FuzzDelta32(f *testing.F) {
	f.Add([]byte{128, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0}, uint16(8), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, seed uint64) {
		testDelta(t, data, 32, int(n), seed)
	})
}

func FuzzDelta64(f *testing.F) {
	f.Add([]byte{128, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0}, uint16(8), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, seed uint64) {
		testDelta(t, data, 64, int(n), seed)
	})
}

func FuzzPlainByteArray(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00ab\x00\x00\x00\x00"), uint16(2), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, seed uint64) {
		want, ok := refPlainStrings(data, int(n))
		testStrings(t, &PlainStrings{}, data, int(n), want, ok, seed)
	})
}

// modest reports whether a delta page claims so few values that the reference
// can count them.
func modest(data []byte) bool {
	var d Delta[int32]
	return d.Reset(data) != nil || d.Len() <= math.MaxUint16
}

func FuzzDeltaLength(f *testing.F) {
	f.Add([]byte("\x80\x01\x04\x02\x04\x00\x00\x00\x00\x00abcd"), uint16(2), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, seed uint64) {
		if !modest(data) {
			return
		}
		want, ok := refDeltaLength(data, int(n))
		testStrings(t, &DeltaLengthStrings{}, data, int(n), want, ok, seed)
	})
}

func FuzzDeltaByteArray(f *testing.F) {
	f.Add([]byte("\x80\x01\x04\x02\x00\x02\x00\x00\x00\x00\x80\x01\x04\x02\x04\x00\x00\x00\x00\x00abcd"), uint16(2), uint8(3), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, width uint8, seed uint64) {
		n %= 400
		if !modest(data) {
			return
		}
		if _, rest, ok := refDelta(data, 32, -1); ok && !modest(rest) {
			return
		}
		want, ok := refDeltaStrings(data, int(n))
		testStrings(t, &DeltaStrings{}, data, int(n), want, ok, seed)
		if width == 0 {
			return
		}
		for _, v := range want {
			ok = ok && len(v) == int(width)
		}
		testFixed(t, data, int(width), int(n), bytes.Join(want, nil), ok, seed)
	})
}

func FuzzByteStreamSplit(f *testing.F) {
	f.Add([]byte("aabbccdd"), uint8(4), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, width uint8, seed uint64) {
		if width == 0 || len(data)%int(width) != 0 {
			var p ByteStreamSplit
			if p.Reset(data, int(width)) == nil {
				t.Fatalf("%d bytes of width %d are not refused", len(data), width)
			}
			return
		}
		testSplit(t, data, int(width), seed)
	})
}

func FuzzDecimals(f *testing.F) {
	f.Add([]byte{0xff, 0xfe, 0, 1}, uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, width uint8) {
		if width == 0 {
			return
		}
		n := len(data) / int(width)
		data = slices.Clip(data[:n*int(width)])
		s := Strings{Data: data, Offsets: []int32{0}}
		all128, all256 := true, true
		for i := range n {
			v := bigOfBytes(data[i*int(width) : (i+1)*int(width)])
			all128, all256 = all128 && fits(v, 128), all256 && fits(v, 256)
			s.Offsets = append(s.Offsets, int32((i+1)*int(width)))
		}
		testDecimals(t, data, int(width), make([][2]uint64, n), all128, &s)
		testDecimals(t, data, int(width), make([][4]uint64, n), all256, &s)
	})
}
