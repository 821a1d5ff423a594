package hashagg

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// isDecimal reports whether values of type t are scaled integers of 128 or 256
// bits.
func isDecimal(t arrow.DataType) bool {
	return t.ID() == arrow.DECIMAL128 || t.ID() == arrow.DECIMAL256
}

// averageType returns the type of the average of decimals of type t: four more
// digits after the point. It has as many digits before the point as t, so that
// no average overflows: Decimal256 where 38 digits are too few, and fewer than
// four more digits where 76 are.
func averageType(t arrow.DataType) arrow.DataType {
	d := t.(arrow.DecimalType)
	p, s := d.GetPrecision(), d.GetScale()
	more := min(4, 76-p)
	if t.ID() == arrow.DECIMAL128 && p+more <= 38 {
		return &arrow.Decimal128Type{Precision: p + more, Scale: s + more}
	}
	return &arrow.Decimal256Type{Precision: p + more, Scale: s + more}
}

// unscaled writes an integer as the decimal of type t that it stands for.
func unscaled(w wide, t arrow.DataType) string {
	s, sign := w.String(), ""
	if w.negative() {
		s, sign = s[1:], "-"
	}
	scale := int(t.(arrow.DecimalType).GetScale())
	switch {
	case scale < 0:
		return sign + s + strings.Repeat("0", -scale)
	case scale == 0:
		return sign + s
	case len(s) <= scale:
		s = strings.Repeat("0", scale+1-len(s)) + s
	}
	return sign + s[:len(s)-scale] + "." + s[len(s)-scale:]
}
