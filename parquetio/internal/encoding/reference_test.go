package encoding

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// Slow decoders, one bit and one value at a time, to compare with. Each says
// whether the page is good for n values.

// refBits reads width bits from position bit on.
func refBits(data []byte, bit, width int) (v uint64, ok bool) {
	for i := range width {
		p := bit + i
		if p/8 >= len(data) {
			return 0, false
		}
		if data[p/8]&(1<<(p%8)) != 0 {
			v |= 1 << i
		}
	}
	return v, true
}

func refHybrid(data []byte, width, n int) (out []uint32, ok bool) {
	for len(out) < n {
		if width == 0 && len(data) == 0 {
			return append(out, make([]uint32, n-len(out))...), true
		}
		h, k := binary.Uvarint(data)
		if k <= 0 || h >= 1<<32 {
			return nil, false
		}
		data = data[k:]
		count := int(h / 2)
		if h%2 == 1 {
			for i := range count * 8 {
				v, ok := refBits(data, i*width, width)
				if !ok || len(out) == n {
					break
				}
				out = append(out, uint32(v))
			}
			data = data[min(count*width, len(data)):]
			continue
		}
		size := (width + 7) / 8
		if size > len(data) {
			return nil, false
		}
		var b [8]byte
		copy(b[:], data[:size])
		v := binary.LittleEndian.Uint64(b[:])
		if v >= 1<<width {
			return nil, false
		}
		for ; count > 0 && len(out) < n; count-- {
			out = append(out, uint32(v))
		}
		data = data[size:]
	}
	return out, true
}

// refDelta decodes a page of the given bit size, sign-extended, and returns
// what follows the last block if n is the whole page (-1).
func refDelta(data []byte, size, n int) (out []int64, rest []byte, ok bool) {
	if len(data) == 0 {
		return nil, nil, n <= 0
	}
	var head [4]uint64
	for i := range head {
		v, k := binary.Uvarint(data)
		if k <= 0 {
			return nil, nil, false
		}
		head[i], data = v, data[k:]
	}
	block, minis, count := head[0], head[1], head[2]
	if block == 0 || block > 65536 || block%128 != 0 || minis == 0 || block%minis != 0 || block/minis%8 != 0 {
		return nil, nil, false
	}
	if count > 1<<31-1 || n > int(count) {
		return nil, nil, false
	}
	if n < 0 {
		n = int(count)
	}
	v := int64(head[3]>>1) ^ -int64(head[3]&1)
	if n > 0 {
		out = append(out, wrap(v, size))
	}
	per := int(block / minis)
	for len(out) < n {
		u, k := binary.Uvarint(data)
		if k <= 0 || len(data) < k+int(minis) {
			return nil, nil, false
		}
		lowest := int64(u>>1) ^ -int64(u&1)
		widths := data[k : k+int(minis)]
		data = data[k+int(minis):]
		for _, w := range widths {
			if len(out) == n {
				break
			}
			if w > 64 {
				return nil, nil, false
			}
			need := min(per, int(count)-len(out))
			for i := range need {
				d, ok := refBits(data, i*int(w), int(w))
				if !ok {
					return nil, nil, false
				}
				v += lowest + int64(d)
				if len(out) < n {
					out = append(out, wrap(v, size))
				}
			}
			data = data[min(per*int(w)/8, len(data)):]
		}
	}
	return out, data, true
}

func wrap(v int64, size int) int64 {
	if size == 32 {
		return int64(int32(v))
	}
	return v
}

func refDeltaLength(data []byte, n int) (out [][]byte, ok bool) {
	_, bodies, ok := refDelta(data, 32, -1)
	if !ok {
		return nil, false
	}
	lengths, _, ok := refDelta(data, 32, n)
	if !ok {
		return nil, false
	}
	for _, k := range lengths {
		if k < 0 || int(k) > len(bodies) {
			return nil, false
		}
		out = append(out, bodies[:k])
		bodies = bodies[k:]
	}
	return out, true
}

func refDeltaStrings(data []byte, n int) (out [][]byte, ok bool) {
	_, rest, ok := refDelta(data, 32, -1)
	if !ok {
		return nil, false
	}
	prefixes, _, ok := refDelta(data, 32, n)
	if !ok {
		return nil, false
	}
	suffixes, ok := refDeltaLength(rest, n)
	if !ok {
		return nil, false
	}
	var last []byte
	for i, k := range prefixes {
		if k < 0 || int(k) > len(last) {
			return nil, false
		}
		last = slices.Concat(last[:k], suffixes[i])
		out = append(out, last)
	}
	return out, true
}

func refPlainStrings(data []byte, n int) (out [][]byte, ok bool) {
	for range n {
		if len(data) < 4 {
			return nil, false
		}
		k := int(binary.LittleEndian.Uint32(data))
		if k > len(data)-4 {
			return nil, false
		}
		out = append(out, data[4:4+k])
		data = data[4+k:]
	}
	return out, true
}

// values returns the strings of s as slices.
func (s *Strings) values() [][]byte {
	var out [][]byte
	for i := 1; i < len(s.Offsets); i++ {
		out = append(out, s.Data[s.Offsets[i-1]:s.Offsets[i]])
	}
	return out
}

func sameStrings(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

// inSteps calls decode and skip for parts of n values in turn, of sizes that
// depend on seed. It stops at an error.
func inSteps(n int, seed uint64, decode, skip func(from, k int) error) error {
	rng := rand.New(rand.NewPCG(seed, 7))
	for from := 0; from < n; {
		k := min(n-from, 1+rng.IntN(1<<rng.IntN(11)))
		step := decode
		if rng.IntN(3) == 0 {
			step = skip
		}
		if err := step(from, k); err != nil {
			return err
		}
		from += k
	}
	return nil
}

// check fails the test if a decoder and its reference disagree on whether the
// page is good.
func check(t *testing.T, err error, ok bool) {
	t.Helper()
	if (err == nil) != ok {
		t.Fatalf("error %v, but the reference says good = %v", err, ok)
	}
}
