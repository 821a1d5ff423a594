package encoding

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Encoders that make random use of what the format leaves open.

// bitWriter packs values, lowest bit first.
type bitWriter struct {
	out []byte
	n   int
}

func (w *bitWriter) put(v uint64, width int) {
	for i := range width {
		if w.n%8 == 0 {
			w.out = append(w.out, 0)
		}
		w.out[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

func encodeHybrid(rng *rand.Rand, values []uint32, width int) []byte {
	var out []byte
	for len(values) > 0 {
		n := 1 + rng.IntN(1<<rng.IntN(10))
		same := 1
		for same < len(values) && values[same] == values[0] {
			same++
		}
		if same >= 4 || rng.IntN(8) == 0 {
			n = min(n, same)
			out = binary.AppendUvarint(out, uint64(n)*2)
			for i := range (width + 7) / 8 {
				out = append(out, byte(values[0]>>(8*i)))
			}
			values = values[n:]
			continue
		}
		groups := (n + 7) / 8
		out = binary.AppendUvarint(out, uint64(groups)*2+1)
		var w bitWriter
		for range groups * 8 {
			if len(values) == 0 {
				w.put(0, width)
				continue
			}
			w.put(uint64(values[0]), width)
			values = values[1:]
		}
		out = append(out, w.out...)
	}
	return out
}

// runny returns n values below limit, with repetitions among them.
func runny(rng *rand.Rand, n int, limit uint64) []uint32 {
	out := make([]uint32, n)
	for i := 0; i < n; {
		v, k := uint32(rng.Uint64N(limit)), 1
		if rng.IntN(4) == 0 {
			k = 1 + rng.IntN(300)
		}
		for ; k > 0 && i < n; i, k = i+1, k-1 {
			out[i] = v
		}
	}
	return out
}

func appendZigzag(out []byte, v int64) []byte {
	return binary.AppendUvarint(out, uint64(v)<<1^uint64(v>>63))
}

// encodeDelta encodes values of the given bit size in blocks of block values
// with so many miniblocks.
func encodeDelta(rng *rand.Rand, values []int64, size, block, minis int) []byte {
	var out []byte
	out = binary.AppendUvarint(out, uint64(block))
	out = binary.AppendUvarint(out, uint64(minis))
	out = binary.AppendUvarint(out, uint64(len(values)))
	if len(values) == 0 {
		return append(out, 0)
	}
	out = appendZigzag(out, values[0])
	for at := 1; at < len(values); at += block {
		deltas := make([]int64, min(block, len(values)-at))
		lowest := int64(0)
		for i := range deltas {
			deltas[i] = wrap(values[at+i]-values[at+i-1], size)
			if i == 0 || deltas[i] < lowest {
				lowest = deltas[i]
			}
		}
		out = appendZigzag(out, lowest)
		per := block / minis
		var widths []byte
		var bodies bitWriter
		for m := range minis {
			if m*per >= len(deltas) {
				widths = append(widths, byte(rng.Uint32())) // not needed: any value
				continue
			}
			mini := deltas[m*per : min(m*per+per, len(deltas))]
			width := 0
			for _, d := range mini {
				width = max(width, bits.Len64(lower(d-lowest, size)))
			}
			widths = append(widths, byte(width))
			for i := range per {
				if i < len(mini) {
					bodies.put(lower(mini[i]-lowest, size), width)
				} else {
					bodies.put(0, width)
				}
			}
		}
		out = append(append(out, widths...), bodies.out...)
	}
	return out
}

func lower(v int64, size int) uint64 {
	if size == 32 {
		return uint64(uint32(v))
	}
	return uint64(v)
}

func encodeDeltaLength(rng *rand.Rand, values [][]byte) []byte {
	lengths := make([]int64, len(values))
	var bodies []byte
	for i, v := range values {
		lengths[i] = int64(len(v))
		bodies = append(bodies, v...)
	}
	return append(encodeDelta(rng, lengths, 32, 128, 4), bodies...)
}

func encodeDeltaStrings(rng *rand.Rand, values [][]byte) []byte {
	prefixes := make([]int64, len(values))
	suffixes := make([][]byte, len(values))
	var last []byte
	for i, v := range values {
		k := 0
		for k < len(v) && k < len(last) && v[k] == last[k] && rng.IntN(50) > 0 {
			k++
		}
		prefixes[i], suffixes[i], last = int64(k), v[k:], v
	}
	return append(encodeDelta(rng, prefixes, 32, 256, 8), encodeDeltaLength(rng, suffixes)...)
}

func encodePlainStrings(values [][]byte) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(v)))
		out = append(out, v...)
	}
	return out
}

// randomStrings returns n strings of up to most bytes with common beginnings.
func randomStrings(rng *rand.Rand, n, most int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		k := rng.IntN(most + 1)
		if rng.IntN(20) == 0 {
			k *= 10
		}
		b := make([]byte, k)
		for j := range b {
			b[j] = 'a' + byte(rng.IntN(26))>>rng.IntN(5)
		}
		out[i] = b
	}
	return out
}
