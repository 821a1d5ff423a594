package encoding

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// batch is how many values the benchmarks decode at a time.
const batch = 8192

func perValue(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
}

func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(rng.Uint32())
	}
	return out
}

func BenchmarkUnpack32(b *testing.B) {
	dst := make([]uint32, batch)
	for _, width := range []uint{1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17, 20, 24, 29, 31, 32} {
		src := noise(batch*int(width)/8 + 8)
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			for b.Loop() {
				unpack32(dst, src, 0, width)
			}
			perValue(b, batch)
		})
	}
}
