package encoding

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/colagg/colagg/vector"
)

func TestPlainBools(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		data := noise(rng.IntN(300))
		var p PlainBools
		if err := p.Reset(data); err != nil {
			t.Fatal(err)
		}
		n := len(data) * 8
		err := inSteps(n, rng.Uint64(), func(from, k int) error {
			at := rng.IntN(10)
			dst := vector.NewBitmap(at + k)
			if err := p.Decode(dst, at, k); err != nil {
				return err
			}
			for i := range k {
				if dst.Get(at+i) != getBit(data, from+i) {
					t.Fatalf("value %d is wrong", from+i)
				}
			}
			return nil
		}, func(_, k int) error { return p.Skip(k) })
		if err != nil {
			t.Fatal(err)
		}
		if p.Decode(vector.NewBitmap(1), 0, 1) == nil || p.Skip(1) == nil {
			t.Fatal("no error past the end")
		}
	}
}

func TestRLEBools(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 300 {
		values := runny(rng, rng.IntN(3000), 2)
		runs := encodeHybrid(rng, values, 1)
		testRLEBools(t, append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...), len(values), rng.Uint64())
	}
	var p RLEBools
	for _, data := range [][]byte{{1, 0}, {3, 0, 0, 0, 4, 1}} {
		if p.Reset(data) == nil {
			t.Errorf("no error for the length before %x", data)
		}
	}
	if err := p.Reset(nil); err != nil {
		t.Error("a page without values:", err)
	}
	if p.Skip(1) == nil {
		t.Error("no error for a value of a page without values")
	}
}

// testRLEBools decodes n values in steps and compares with the reference.
func testRLEBools(t *testing.T, data []byte, n int, seed uint64) {
	t.Helper()
	var want []uint32
	ok := len(data) == 0 && n == 0
	if len(data) >= 4 && uint64(binary.LittleEndian.Uint32(data)) <= uint64(len(data)-4) {
		want, ok = refHybrid(data[4:4+binary.LittleEndian.Uint32(data)], 1, n)
	}
	var p RLEBools
	err := p.Reset(data)
	if err == nil {
		err = inSteps(n, seed, func(from, k int) error {
			at := from % 9
			dst := vector.NewBitmap(at + k)
			if err := p.Decode(dst, at, k); err != nil || !ok {
				return err
			}
			for i := range k {
				if dst.Get(at+i) != (want[from+i] == 1) {
					t.Fatalf("value %d is wrong", from+i)
				}
			}
			return nil
		}, func(_, k int) error { return p.Skip(k) })
	} else if ok {
		t.Fatal(err)
	}
	check(t, err, ok)
}
