package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// product and geomean come from one state: the number of values, and their
// product as a double-double with an exponent of its own, so that it does not
// overflow on the way, and is right to the last bit or so in any order of rows.
//
//	n
//	p     a double-double from 1/2 to 1, or 0, infinite or NaN; 0 where n is 0
//	e     the product is p·2^e
type product struct {
	slot
	of   reals
	unit doubleDouble // what decimals are divided by; 0: nothing
	kind productKind
}

// productKind says what of a product is the result.
type productKind int

const (
	plainProduct productKind = iota
	geometricMean
)

const productWords = 4

func (k productKind) bind(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	t, f64 := args[0], arrow.PrimitiveTypes.Float64
	switch {
	case t.ID() == arrow.NULL:
		return bindNull(f64), nil
	case !isReal(t):
		return nil, refuse(name, t, "multiplied", name+" takes numbers")
	}
	var unit doubleDouble
	if s := scaleOf(t); s > 0 {
		unit.high, unit.low = pow10[s].double()
	}
	return &Aggregate{
		Result: f64,
		State:  []arrow.DataType{arrow.PrimitiveTypes.Uint64, f64, f64, arrow.PrimitiveTypes.Int64},
		Words:  productWords,
		New: func(slab *Slab, at int) Accumulator {
			return &product{slot: slot{slab, at}, of: newReals(t), unit: unit, kind: k}
		},
	}, nil
}

// Update multiplies with the values of the batch.
func (p *product) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	high, low, valid, some := p.of.load(args[0], len(tickets))
	if !some {
		return nil
	}
	words, stride := p.rows()
	for i, t := range tickets {
		if !valid.Get(i) {
			continue
		}
		x := doubleDouble{high: high[i]}
		if low != nil {
			x.low = low[i]
		}
		if p.unit.high != 0 {
			x = x.by(p.unit)
		}
		if p.kind == geometricMean && x.high < 0 {
			x = doubleDouble{high: math.NaN()} // it has no logarithm
		}
		multiply(words[int(t)*stride:], x, 0, 1)
	}
	return nil
}

// multiply multiplies a state with the product x·2^e of n values. Factors and
// product are brought to between 1/2 and 1, so that no bits are lost below.
func multiply(row []uint64, x doubleDouble, e int64, n uint64) {
	row = row[:productWords]
	x, k := mantissa(x)
	e += k
	if row[0] > 0 {
		y := realOf(row[1:])
		if h := y.high * x.high; h-h != 0 || h == 0 {
			x = doubleDouble{high: h}
		} else {
			x, k = mantissa(x.times(y))
			e += k
		}
		e += int64(row[3])
	}
	row[0] += n
	row[1], row[2] = math.Float64bits(x.high), math.Float64bits(x.low)
	row[3] = uint64(e)
}

// mantissa returns x as f·2^e with f from 1/2 to 1; 0 and what is not finite stay.
func mantissa(x doubleDouble) (f doubleDouble, e int64) {
	if x.high == 0 || !x.finite() {
		return x, 0
	}
	const middle = 1022 // the exponent of numbers from 1/2 to 1, as stored
	b := math.Float64bits(x.high)
	stored := int64(b >> 52 & 0x7ff)
	if k := stored - middle; stored > 0 && k < middle {
		return doubleDouble{math.Float64frombits(b&^(0x7ff<<52) | middle<<52), x.low * math.Float64frombits(uint64(middle+1-k)<<52)}, k
	}
	_, k := math.Frexp(x.high)
	return doubleDouble{math.Ldexp(x.high, -k), math.Ldexp(x.low, -k)}, int64(k)
}

// Merge multiplies with products.
func (p *product) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := p.rows()
	n, e := vector.Values[uint64](states[0]), vector.Values[int64](states[3])
	high, low := vector.Values[float64](states[1]), vector.Values[float64](states[2])
	for i, t := range tickets {
		if n[i] > 0 {
			multiply(words[int(t)*stride:], doubleDouble{high[i], low[i]}, e[i], n[i])
		}
	}
	return nil
}

// State returns the states, a column for each word.
func (p *product) State(lo, hi int) ([]*vector.Vector, error) {
	out := p.wordColumns(lo, hi, productWords)
	out[3].Type = arrow.PrimitiveTypes.Int64
	return out, nil
}

// Final returns the results; a product beyond float64 is infinite.
func (p *product) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := p.rows()
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	for i := range out {
		row := words[(lo+i)*stride:][:productWords]
		n, x, e := int64(row[0]), realOf(row[1:]).float(), int64(row[3])
		switch {
		case n == 0:
			setNull(v, i)
		case x == 0 || x-x != 0:
			out[i] = x + 0 // not −0.0
		case p.kind == geometricMean:
			// With e = q·n + r the root is 2^q·2^((r + log2 p)/n), and the second
			// exponent is small enough to be good to the last bit.
			q, r := e/n, e%n
			if r < 0 {
				q, r = q-1, r+n
			}
			out[i] = math.Ldexp(math.Exp2((float64(r)+math.Log2(x))/float64(n)), int(q))
		default:
			out[i] = math.Ldexp(x, int(max(-1<<30, min(1<<30, e))))
		}
	}
	return v, nil
}

// Bytes returns the memory kept between batches.
func (p *product) Bytes() int64 { return p.of.bytes() }
