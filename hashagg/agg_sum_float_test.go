package hashagg

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// floatKinds make values that sums are likely to get wrong.
var floatKinds = map[string]func(r *rand.Rand) float64{
	"normal":       func(r *rand.Rand) float64 { return r.NormFloat64() * 1000 },
	"any exponent": func(r *rand.Rand) float64 { return math.Ldexp(2*r.Float64()-1, r.IntN(2098)-1073) },
	"subnormal":    func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64() &^ (0x7fe << 52)) },
	"huge":         func(r *rand.Rand) float64 { return math.Ldexp(2*r.Float64()-1, 1024-r.IntN(3)*r.IntN(120)) },
	"ends": func(r *rand.Rand) float64 {
		ends := []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p970, 1, 0x1p-53, 0x1p53, 0, 3}
		return math.Copysign(ends[r.IntN(len(ends))], r.Float64()-0.5)
	},
	"powers of two": func(r *rand.Rand) float64 { return math.Copysign(math.Ldexp(1, r.IntN(300)-150), r.Float64()-0.5) },
	"decimal":       func(r *rand.Rand) float64 { return float64(r.IntN(20001)-10000) / 100 },
	"spread":        func(r *rand.Rand) float64 { return math.Ldexp(2*r.Float64()-1, r.IntN(45)) },
	"one sign":      func(r *rand.Rand) float64 { return math.Ldexp(1+r.Float64(), 34*r.IntN(2)) },
	"infinite": func(r *rand.Rand) float64 {
		if r.IntN(50) == 0 {
			return math.Inf(r.IntN(20) - 1)
		}
		return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000)
	},
	"NaN": func(r *rand.Rand) float64 {
		if r.IntN(100) == 0 {
			return math.NaN()
		}
		return r.NormFloat64()
	},
}

// exactFloats returns the sum and the average of values, each rounded once.
func exactFloats(vals []float64) (sum, avg float64) {
	total := new(big.Float).SetPrec(2400)
	plain := 0.0
	for _, v := range vals {
		if v-v != 0 {
			plain += v
			continue
		}
		total.Add(total, new(big.Float).SetFloat64(v))
	}
	if plain != 0 {
		return plain, plain
	}
	sum, _ = total.Float64()
	q, _ := total.Rat(nil)
	avg, _ = q.Quo(q, new(big.Rat).SetInt64(int64(len(vals)))).Float64()
	return sum + 0, avg + 0
}

// TestFloatSumsAreExact adds values in random order, in batches of random
// length, to the states of one group or of the middle one of three, in several
// accumulators, and merges those in random order.
func TestFloatSumsAreExact(t *testing.T) {
	for kind, value := range floatKinds {
		for _, typ := range []arrow.DataType{float64Type, float32Type} {
			t.Run(fmt.Sprintf("%s/%s", kind, typ), func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, uint64(len(kind))))
				for range 40 {
					vals := make([]float64, 1+r.IntN(1+r.IntN(2000)))
					for i := range vals {
						vals[i] = value(r)
						if i > 0 && r.IntN(3) == 0 {
							vals[i] = -vals[r.IntN(i)] // cancels all but what is small
						}
						if typ == float32Type {
							vals[i] = float64(float32(vals[i]))
						}
					}
					if r.IntN(2) == 0 {
						for _, v := range vals {
							vals = append(vals, -v)
						}
						vals = append(vals, float64(float32(r.NormFloat64())))
					}
					sum, avg := exactFloats(vals)
					for range 4 {
						r.Shuffle(len(vals), func(i, j int) { vals[i], vals[j] = vals[j], vals[i] })
						checkBits(t, "sum", sumInParts(t, r, "sum", typ, vals), sum, vals)
						checkBits(t, "avg", sumInParts(t, r, "avg", typ, vals), avg, vals)
					}
				}
			})
		}
	}
}

func checkBits(t *testing.T, name string, got, want float64, vals []float64) {
	t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
		t.Fatalf("%s of %d values %v: %x, not %x", name, len(vals), vals[:min(len(vals), 20)], got, want)
	}
}

// sumInParts computes sum or avg of values.
func sumInParts(t *testing.T, r *rand.Rand, name string, typ arrow.DataType, vals []float64) float64 {
	t.Helper()
	agg, err := Bind(name, []arrow.DataType{typ}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	groups := 1 + 2*r.IntN(2)
	parts := make([]*harness, 1+r.IntN(4))
	for i := range parts {
		parts[i] = newHarness(t, agg)
		parts[i].grow(groups)
	}
	tickets := make([]uint32, len(vals))
	for i := range tickets {
		tickets[i] = uint32(groups / 2)
	}
	for lo := 0; lo < len(vals); {
		hi := min(len(vals), lo+1+r.IntN(1+r.IntN(len(vals))))
		v := makeVector(t, r, typ, floatCells(vals[lo:hi]...), flat)
		p := parts[r.IntN(len(parts))]
		p.slab.Clustered = r.IntN(2) == 0
		if err := p.acc.Update(tickets[lo:hi], []*vector.Vector{v}, Ordinals{}); err != nil {
			t.Fatal(err)
		}
		lo = hi
	}
	for len(parts) > 1 { // two at a time, so that merged states are merged too
		i := r.IntN(len(parts) - 1)
		parts[i].merge(r, parts[i+1])
		parts = append(parts[:i+1], parts[i+2:]...)
	}
	parts[0].check()
	v, err := parts[0].acc.Final(groups/2, groups/2+1)
	if err != nil {
		t.Fatal(err)
	}
	return vector.Values[float64](v)[0]
}

// TestFloatAveragesRoundOnce has few values of few bits, whose average often is
// in the middle of two float64, or close to it.
func TestFloatAveragesRoundOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 4000 {
		vals := make([]float64, 1+r.IntN(12))
		shift := []int{0, -1074, -1040, 960, 971}[r.IntN(5)]
		for i := range vals {
			vals[i] = math.Ldexp(float64(r.Uint64N(1<<53)-uint64(r.IntN(3))), shift)
		}
		_, want := exactFloats(vals)
		checkBits(t, "avg", sumInParts(t, r, "avg", float64Type, vals), want, vals)
	}
}

func TestDivRound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	told := 0
	for range 20000 {
		hi := math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000)
		lo := math.Ldexp(r.NormFloat64()*hi, -53-r.IntN(60)*r.IntN(2))
		n := 1 + r.Uint64()>>r.IntN(64)
		got, ok := divRound(hi, lo, n)
		if !ok {
			continue
		}
		told++
		q := new(big.Rat).Add(new(big.Rat).SetFloat64(hi), new(big.Rat).SetFloat64(lo))
		want, _ := q.Quo(q, new(big.Rat).SetInt(new(big.Int).SetUint64(n))).Float64()
		checkBits(t, fmt.Sprintf("quotient by %d", n), got, want, []float64{hi, lo})
	}
	if told < 10000 {
		t.Errorf("only %d of 20000 quotients told", told)
	}
}

func TestLimbs(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 3000 {
		var l limbs
		total := new(big.Float).SetPrec(2400)
		for range r.IntN(20) {
			x := floatKinds["any exponent"](r)
			l.add(x)
			total.Add(total, new(big.Float).SetFloat64(x))
			if r.IntN(4) == 0 {
				var twice limbs
				twice.merge(l.appendTo(nil))
				twice.merge(l.appendTo(nil))
				l = twice
				total.Add(total, total)
			}
		}
		n := max(1, r.Uint64()>>r.IntN(65))
		q, _ := total.Rat(nil)
		want, _ := q.Quo(q, new(big.Rat).SetInt(new(big.Int).SetUint64(n))).Float64()
		checkBits(t, "quotient", l.quotient(n), want+0, nil)
	}
}

// TestAddBlock has blocks with the greatest sums, and the greatest losses, that
// their reach allows, around the reach from which on blocks are refused.
func TestAddBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	added := map[bool]int{}
	for trial := range 3000 {
		vals := make([]float64, blockRows-trial%7)
		least := math.Ldexp(1+0x1p-52, r.IntN(1900)-1000)
		most := math.Ldexp(least, 28+r.IntN(12))
		total := new(big.Float).SetPrec(2400)
		for i := range vals {
			switch x := most * (2 - 0x1p-42 + 0x1p-52); { // loses nearly half of a last place
			case i < 8 || trial%5 == 0 && r.IntN(2) == 0:
				vals[i] = least
			case trial%2 == 0:
				vals[i] = x
			case trial%3 == 0:
				vals[i] = -x
			default:
				vals[i] = math.Copysign(most*(1+r.Float64()), r.Float64()-0.5)
			}
			total.Add(total, new(big.Float).SetFloat64(vals[i]))
		}
		hi, lo, ok := addBlock(vals, math.Float64bits(least)-1, int64(math.Float64bits(most*(2-0x1p-52))-1))
		added[ok]++
		got := new(big.Float).SetPrec(2400).SetFloat64(hi)
		if got.Add(got, new(big.Float).SetFloat64(lo)); ok && got.Cmp(total) != 0 {
			t.Fatalf("block of %g to %g: %s, not %s", least, most, got.Text('p', 0), total.Text('p', 0))
		}
	}
	if added[true] < 500 || added[false] < 500 {
		t.Errorf("%d blocks added, %d refused", added[true], added[false])
	}
}

// TestFloatSumBytes has limbs reported, emptied by Reset, and used again.
func TestFloatSumBytes(t *testing.T) {
	agg, err := Bind("sum", []arrow.DataType{float64Type}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, agg)
	r := rand.New(rand.NewPCG(1, 1))
	for range 2 {
		h.grow(100)
		if got := h.result(7); got != "NULL" {
			t.Errorf("sum of nothing is %s", got)
		}
		v := makeVector(t, r, float64Type, floatCells(1e300, 1, 1e-300, -1e300, -1), flat)
		before := h.acc.Bytes()
		if err := h.acc.Update([]uint32{7, 7, 7, 7, 7}, []*vector.Vector{v}, Ordinals{}); err != nil {
			t.Fatal(err)
		}
		if got := h.result(7); got != "1e-300" {
			t.Errorf("sum is %s", got)
		}
		if grown := h.acc.Bytes(); grown < int64(limbsBytes) || grown < before {
			t.Errorf("%d bytes with limbs, %d without", grown, before)
		}
		h.reset()
	}
}
