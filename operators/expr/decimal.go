package expr

import (
	"fmt"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// maxDigits is the most digits that decimals are computed with.
const maxDigits = 38

// intDigits is how many digits an int64 has at most.
const intDigits = 19

// asDecimal makes v a decimal of so many digits, 38 at most, of which scale stand
// behind the point. Values that the digits cannot hold must be errors before they
// are seen: sums and keys of few digits take 64 bits.
func (v *value) asDecimal(digits, scale int) {
	t := &arrow.Decimal128Type{Precision: int32(min(max(digits, scale, 1), maxDigits)), Scale: int32(scale)}
	v.class, v.scale, v.typ, v.name = decClass, scale, t, decimalName(t)
}

func decimalName(t *arrow.Decimal128Type) string {
	return fmt.Sprintf("decimal(%d, %d)", t.Precision, t.Scale)
}

// precision is the number of digits that values of v, an integer or a decimal,
// have at most.
func (v *value) precision() int {
	if v.lit != nil {
		return max(len(new(big.Int).Abs(v.lit.exact).String()), v.scale, 1)
	}
	switch t := v.typ.(type) {
	case *arrow.Decimal128Type:
		return int(t.Precision)
	case *arrow.Int8Type, *arrow.Uint8Type:
		return 3
	case *arrow.Int16Type, *arrow.Uint16Type:
		return 5
	case *arrow.Int32Type, *arrow.Uint32Type:
		return 10
	case *arrow.Uint64Type:
		return 20
	}
	if v.class == intClass {
		return intDigits
	}
	return maxDigits
}

// wholeDigits is how many of the digits stand before the point.
func (v *value) wholeDigits() int { return v.precision() - v.scale }

// loadDecimals256 makes a column of decimals of up to 76 digits, whose values must
// have no more than 38.
func (c *compiler) loadDecimals256(v *value) vec[int128] {
	over := c.failure(v, false)
	over.Type = fmt.Sprintf("decimal(38, %d)", v.scale)
	of := &column[[4]uint64]{col: v.col, load: func(_ [][4]uint64, v *vector.Vector, _ []uint32) [][4]uint64 {
		return vector.Values[[4]uint64](v)
	}}
	return &mapped[[4]uint64, int128]{of: of, loop: func(dst []int128, src [][4]uint64, rows []uint32) error {
		for _, i := range rows {
			x := src[i]
			low := int128{x[0], x[1]}
			sign := uint64(int64(x[1]) >> 63)
			if x[2] != sign || x[3] != sign || !low.fits() {
				return over
			}
			dst[i] = low
		}
		return nil
	}}
}
