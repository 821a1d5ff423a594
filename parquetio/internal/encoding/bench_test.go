package encoding

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/colagg/colagg/vector"
)

// batch is how many values the benchmarks decode at a time, and pageValues how
// many a page has.
const (
	batch      = 8192
	pageValues = 16 * batch
)

func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(rng.Uint32())
	}
	return out
}

// perBatch measures f, which handles one batch, and calls reset when a page is
// through.
func perBatch(b *testing.B, reset func() error, f func() error) {
	b.Helper()
	for i := 0; b.Loop(); i++ {
		if i%(pageValues/batch) == 0 {
			if err := reset(); err != nil {
				b.Fatal(err)
			}
		}
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/value")
}

func nothing() error { return nil }

func BenchmarkHybrid(b *testing.B) {
	dst := make([]uint32, batch)
	for _, width := range []int{1, 3, 7, 8, 9, 13, 17, 20, 29, 31, 32} {
		data := append([]byte{0x83, 0x80, 0x02}, noise(pageValues*width/8+64)...)
		b.Run(fmt.Sprint("packed", width), func(b *testing.B) {
			var h Hybrid
			perBatch(b, func() error { return h.Reset(data, width) }, func() error { return h.Decode(dst) })
		})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	data := encodeHybrid(rng, runny(rng, pageValues, 100), 7)
	b.Run("runs7", func(b *testing.B) {
		var h Hybrid
		perBatch(b, func() error { return h.Reset(data, 7) }, func() error { return h.Decode(dst) })
	})
	b.Run("one-run", func(b *testing.B) {
		var h Hybrid
		perBatch(b, func() error { return h.Reset([]byte{0xfe, 0xff, 0xff, 7, 5}, 7) }, func() error { return h.Decode(dst) })
	})
}

func BenchmarkCheckCodes(b *testing.B) {
	codes := runny(rand.New(rand.NewPCG(1, 2)), batch, 100)
	perBatch(b, nothing, func() error { return CheckCodes(codes, 100) })
}

func BenchmarkLevels(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	dst := vector.NewBitmap(batch)
	for _, max := range []int{1, 2} {
		levels := make([]uint32, pageValues)
		for i := range levels {
			levels[i] = uint32(min(max, rng.IntN(10)))
		}
		data := encodeHybrid(rng, levels, widthOf(max))
		b.Run(fmt.Sprint("decode", max), func(b *testing.B) {
			var l Levels
			perBatch(b, func() error { return l.Reset(data, max) }, func() error {
				_, err := l.Decode(dst, 0, batch)
				return err
			})
		})
	}
	b.Run("all-valid", func(b *testing.B) {
		var l Levels
		perBatch(b, func() error { return l.Reset([]byte{0xfe, 0xff, 0xff, 7, 1}, 1) }, func() error {
			if !l.AllValid(batch) {
				b.Fatal("not all valid")
			}
			return nil
		})
	})
}

func BenchmarkSpread(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	valid, k := vector.NewBitmap(batch), 0
	for i := range batch {
		if rng.IntN(10) > 0 {
			valid.Set(i)
			k++
		}
	}
	for _, width := range []int{1, 4, 8, 16, 12} {
		src, dst := noise(k*width), make([]byte, batch*width)
		b.Run(fmt.Sprint("width", width), func(b *testing.B) {
			perBatch(b, nothing, func() error {
				Spread(dst, src, width, valid, 0)
				return nil
			})
		})
	}
	b.Run("offsets", func(b *testing.B) {
		offsets := make([]int32, batch+1)
		perBatch(b, nothing, func() error {
			SpreadOffsets(offsets, k, valid, 0)
			return nil
		})
	})
	b.Run("bits", func(b *testing.B) {
		dst, src := vector.NewBitmap(batch), noise(batch/8)
		perBatch(b, nothing, func() error {
			SpreadBits(dst, src, valid, 0, batch)
			return nil
		})
	})
}

func BenchmarkStrings(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{12, 60} {
		values := randomStrings(rng, pageValues, most)
		for name, c := range map[string]struct {
			byteDecoder
			data []byte
		}{
			"plain":  {&PlainStrings{}, encodePlainStrings(values)},
			"length": {&DeltaLengthStrings{}, encodeDeltaLength(rng, values)},
			"prefix": {&DeltaStrings{}, encodeDeltaStrings(rng, values)},
		} {
			var s Strings
			b.Run(fmt.Sprint(name, most), func(b *testing.B) {
				perBatch(b, func() error { return c.Reset(c.data) }, func() error {
					s.Offsets, s.Data = s.Offsets[:0], s.Data[:0]
					return c.Decode(&s, batch)
				})
			})
		}
	}
}

func BenchmarkDelta(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{1, 7, 20, 40} {
		values := make([]int64, pageValues)
		for i := range values {
			values[i] = rng.Int64() >> (63 - bits)
		}
		data := encodeDelta(rng, values, 64, 128, 4)
		dst := make([]int64, batch)
		b.Run(fmt.Sprint("bits", bits), func(b *testing.B) {
			var d Delta[int64]
			perBatch(b, func() error { return d.Reset(data) }, func() error { return d.Decode(dst) })
		})
	}
}

func BenchmarkByteStreamSplit(b *testing.B) {
	for _, width := range []int{2, 4, 8, 16} {
		data, dst := noise(pageValues*width), make([]byte, batch*width)
		b.Run(fmt.Sprint("width", width), func(b *testing.B) {
			var p ByteStreamSplit
			perBatch(b, func() error { return p.Reset(data, width) }, func() error { return p.Decode(dst) })
		})
	}
}

func BenchmarkDecimals(b *testing.B) {
	dst := make([][2]uint64, batch)
	for _, width := range []int{5, 9, 16} {
		src := noise(batch * width)
		b.Run(fmt.Sprint("width", width), func(b *testing.B) {
			perBatch(b, nothing, func() error { return FixedDecimals(dst, src, width) })
		})
	}
	b.Run("256-bit", func(b *testing.B) {
		dst, src := make([][4]uint64, batch), noise(batch*20)
		perBatch(b, nothing, func() error { return FixedDecimals(dst, src, 20) })
	})
}
