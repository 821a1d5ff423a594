package hashagg

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// sums is a column's exact sums and numbers of values by ticket.
type sums struct {
	typ  arrow.DataType
	bits uint // of most values
	dict *vector.Vector
	of   []*big.Int // values of the dictionary
	all  []*big.Int // by ticket
	n    []int64
}

// value returns a random value as stored, and as it is.
func (s *sums) value(r *rand.Rand) ([]byte, *big.Int) {
	u := r.Uint64() >> (64 - s.bits)
	if r.IntN(50) == 0 {
		u = r.Uint64()
	}
	v := int64(u)
	switch s.typ.ID() {
	case arrow.UINT64:
		return vector.AsBytes([]uint64{u}), new(big.Int).SetUint64(u)
	case arrow.UINT32:
		return vector.AsBytes([]uint32{uint32(u)}), big.NewInt(int64(uint32(u)))
	case arrow.INT32:
		return vector.AsBytes([]int32{int32(u)}), big.NewInt(int64(int32(u)))
	case arrow.DECIMAL128:
		v %= 1e18
		return vector.AsBytes([]int64{v, v >> 63}), big.NewInt(v)
	}
	return vector.AsBytes([]int64{v}), big.NewInt(v)
}

// batch adds n values, coded or flat, to the sums and returns them.
func (s *sums) batch(r *rand.Rand, n int) ([]uint32, *vector.Vector) {
	tickets := make([]uint32, n)
	for i := range tickets {
		tickets[i] = uint32(r.IntN(len(s.all)))
		if r.IntN(4) > 0 {
			tickets[i] = tickets[max(i-1, 0)] // in runs
		}
		s.n[tickets[i]]++
	}
	w := vector.Width(s.typ)
	if r.IntN(3) == 0 {
		v := vector.New(s.typ, n)
		for i, t := range tickets {
			p, x := s.value(r)
			copy(v.Data[i*w:], p)
			s.all[t].Add(s.all[t], x)
		}
		return tickets, v
	}
	if s.dict == nil || r.IntN(2) == 0 {
		s.dict, s.of = vector.New(s.typ, 1+r.IntN(30)), nil
		s.dict.ID = vector.NextID()
		for i := range s.dict.Len {
			p, x := s.value(r)
			copy(s.dict.Data[i*w:], p)
			s.of = append(s.of, x)
		}
	}
	v := &vector.Vector{Type: s.typ, Len: n, Dict: s.dict, Codes: make([]uint32, n)}
	for i, t := range tickets {
		v.Codes[i] = uint32(r.IntN(s.dict.Len))
		s.all[t].Add(s.all[t], s.of[v.Codes[i]])
	}
	return tickets, v
}

// check compares the result of ticket t.
func (s *sums) check(t *testing.T, agg *Aggregate, acc Accumulator, ticket int) {
	t.Helper()
	v, err := acc.Final(ticket, ticket+1)
	least, most := new(big.Int).Lsh(big.NewInt(-1), 63), new(big.Int).Lsh(big.NewInt(1), 63)
	if s.typ.ID() == arrow.UINT32 || s.typ.ID() == arrow.UINT64 {
		least, most = new(big.Int), new(big.Int).Lsh(most, 1)
	}
	sum := s.all[ticket]
	var overflow *OverflowError
	if errors.As(err, &overflow) {
		if agg.Result.ID() == arrow.FLOAT64 || agg.Result.ID() == arrow.DECIMAL128 || sum.Cmp(least) >= 0 && sum.Cmp(most) < 0 {
			t.Errorf("%s(%s): %v", agg.Name, s.typ, err)
		}
		return
	}
	if err != nil || v.IsNull(0) != (s.n[ticket] == 0) {
		t.Errorf("%s(%s) of %d values: %v, NULL %v", agg.Name, s.typ, s.n[ticket], err, err == nil && v.IsNull(0))
		return
	}
	if s.n[ticket] == 0 {
		return
	}
	var got, want any
	switch agg.Result.ID() {
	case arrow.FLOAT64:
		f, _ := new(big.Rat).SetFrac(sum, big.NewInt(s.n[ticket])).Float64()
		got, want = vector.Values[float64](v)[0], f
	case arrow.DECIMAL128:
		x := vector.Values[[2]uint64](v)[0]
		high := new(big.Int).Lsh(big.NewInt(int64(x[1])), 64)
		got, want = high.Add(high, new(big.Int).SetUint64(x[0])).String(), sum.String()
	case arrow.UINT64:
		got, want = new(big.Int).SetUint64(vector.Values[uint64](v)[0]).String(), sum.String()
	default:
		got, want = big.NewInt(vector.Values[int64](v)[0]).String(), sum.String()
	}
	if got != want {
		t.Errorf("%s(%s) of %d values of %d bits: %v, not %v", agg.Name, s.typ, s.n[ticket], s.bits, got, want)
	}
}

// TestSumsOfManyRows compares exact sums with big.Int: of values up to and beyond
// what a word of a state takes, in batches with few and with many tickets, coded
// and not, merged from several accumulators.
func TestSumsOfManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	types := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int32,
		arrow.PrimitiveTypes.Uint32, &arrow.Decimal128Type{Precision: 18, Scale: 2}}
	for trial := range 200 {
		s := &sums{typ: types[trial%len(types)], bits: []uint{3, 31, 48, 52, 60, 61, 62, 63, 64}[r.IntN(9)]}
		groups := []int{1, 3, 50, 1000, 1100}[r.IntN(5)]
		s.n = make([]int64, groups)
		for range groups {
			s.all = append(s.all, new(big.Int))
		}
		name := []string{"sum", "avg"}[trial/len(types)%2]
		if s.typ.ID() == arrow.DECIMAL128 {
			name = "sum" // its average is another decimal
		}
		agg, err := Bind(name, []arrow.DataType{s.typ}, Modifiers{})
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]*harness, 3)
		for i := range parts {
			parts[i] = newHarness(t, agg)
			parts[i].grow(groups)
		}
		for range 1 + r.IntN(6) {
			h := parts[r.IntN(len(parts))]
			tickets, v := s.batch(r, []int{10, 300, 5000}[r.IntN(3)])
			h.slab.Clustered = r.IntN(3) == 0
			if err := h.acc.Update(tickets, []*vector.Vector{v}, Ordinals{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, from := range parts[1:] {
			parts[0].merge(r, from)
		}
		parts[0].check()
		for g := range groups {
			s.check(t, agg, parts[0].acc, g)
		}
		if t.Failed() {
			return
		}
	}
}
