package parquetio

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// int256 is a number of 256 bits in two's complement, lowest word first.
type int256 [4]uint64

// decimalStorage is storage for decimals: the fewest bytes that hold every
// number of the precision.
func decimalStorage(t arrow.DecimalType) (stored, error) {
	p, s := t.GetPrecision(), t.GetScale()
	most := int32(38)
	if t.ID() == arrow.DECIMAL256 {
		most = 76
	}
	if p < 1 || p > most || s < 0 || s > p {
		return stored{}, fmt.Errorf("%s cannot be stored: the precision must be from 1 to %d and the scale from 0 to the precision", t, most)
	}
	return stored{parquet.Types.FixedLenByteArray, decimalWidth(p), schema.NewDecimalLogicalType(p, s)}, nil
}

func pow10(p int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(p)), nil)
}

// decimalWidth returns the fewest bytes whose two's complement holds every
// number of p decimal digits.
func decimalWidth(p int32) int {
	most := pow10(p)
	most.Sub(most, big.NewInt(1))
	return most.BitLen()/8 + 1 // one bit is for the sign
}

// encodeDecimal encodes decimals as big-endian two's complement. A number with
// too many digits would lose its high bytes, so it is refused.
func encodeDecimal(t arrow.DecimalType) encodeFunc {
	var limit int256
	p := pow10(t.GetPrecision())
	for i := range limit {
		limit[i] = new(big.Int).Rsh(p, uint(64*i)).Uint64()
	}
	return encodeFixedBytes(decimalWidth(t.GetPrecision()), func(dst, src []byte) error {
		v := widen(src)
		if !v.abs().less(limit) {
			return fmt.Errorf("a value has more digits than %s", t)
		}
		for i := range dst {
			dst[len(dst)-1-i] = byte(v[i/8] >> (8 * (i % 8)))
		}
		return nil
	})
}

// widen returns the little-endian number src, of 8 to 32 bytes.
func widen(src []byte) int256 {
	var v int256
	n := len(src) / 8
	for i := range n {
		v[i] = binary.LittleEndian.Uint64(src[8*i:])
	}
	for i := n; i < len(v); i++ {
		v[i] = uint64(int64(v[n-1]) >> 63)
	}
	return v
}

// abs returns the magnitude of v as an unsigned number.
func (v int256) abs() int256 {
	if int64(v[3]) >= 0 {
		return v
	}
	var borrow uint64
	for i := range v {
		v[i], borrow = bits.Sub64(0, v[i], borrow)
	}
	return v
}

// less compares unsigned numbers.
func (v int256) less(w int256) bool {
	for i := len(v) - 1; i >= 0; i-- {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}
