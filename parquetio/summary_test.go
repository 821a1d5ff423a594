package parquetio

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/colagg/colagg/vector"
)

// summary is what other engines' answers are compared with.
type summary struct {
	rows, count, distinct int
	min, max, sum         string  // "" where there is none
	magnitude             float64 // sum of the absolute values of floats
}

// summarizer aggregates a column by the plainest means.
type summarizer struct {
	t      arrow.DataType
	rows   int
	raw    map[string]*int // rows by the bytes of their value
	values map[string]int  // the same, equal floats as one
}

func (s *summarizer) add(v *vector.Vector) {
	if s.raw == nil {
		s.raw = map[string]*int{}
	}
	s.rows += v.Len
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		b := v.Bytes(i)
		if n := s.raw[string(b)]; n != nil {
			*n++
			continue
		}
		one := 1
		s.raw[string(b)] = &one
	}
}

// canonical makes equal floats equal bytes.
func canonical(t arrow.DataType, b string) string {
	if f, ok := float(t, b); ok && (math.IsNaN(f) || f == 0) {
		return strings.Map(func(rune) rune { return -1 }, b) + fmt.Sprint(math.Abs(f))
	}
	return b
}

func float(t arrow.DataType, b string) (float64, bool) {
	switch t.ID() {
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
	default:
		return 0, false
	}
	switch {
	case b == "NaN":
		return math.NaN(), true
	case b == "0":
		return 0, true
	case t.ID() == arrow.FLOAT16:
		return float64(float16.FromLEBytes([]byte(b)).Float32()), true
	case t.ID() == arrow.FLOAT32:
		return float64(vector.View[float32]([]byte(b))[0]), true
	}
	return vector.View[float64]([]byte(b))[0], true
}

func (s *summarizer) summary() summary {
	s.values = map[string]int{}
	for k, n := range s.raw {
		s.values[canonical(s.t, k)] += *n
	}
	out := summary{rows: s.rows, distinct: len(s.values)}
	var least, most string
	for k, n := range s.values {
		if out.count == 0 || compare(s.t, k, least) < 0 {
			least = k
		}
		if out.count == 0 || compare(s.t, k, most) > 0 {
			most = k
		}
		out.count += n
	}
	if out.count == 0 {
		return out
	}
	out.min, out.max = text(s.t, least), text(s.t, most)
	out.sum, out.magnitude = s.total()
	return out
}

func (s *summarizer) total() (sum string, magnitude float64) {
	if _, ok := number(s.t, ""); ok {
		sum := new(big.Int)
		for k, n := range s.values {
			v, _ := number(s.t, k)
			sum.Add(sum, new(big.Int).Mul(v, big.NewInt(int64(n))))
		}
		return scaled(sum, s.t), 0
	}
	if _, ok := float(s.t, "0"); !ok {
		return "", 0
	}
	var total float64
	for k, n := range s.values {
		f, _ := float(s.t, k)
		total += f * float64(n)
		magnitude += math.Abs(f) * float64(n)
	}
	return strconv.FormatFloat(total, 'g', -1, 64), magnitude
}

var signedness = map[arrow.Type]bool{
	arrow.INT8: true, arrow.INT16: true, arrow.INT32: true, arrow.INT64: true,
	arrow.UINT8: false, arrow.UINT16: false, arrow.UINT32: false, arrow.UINT64: false,
	arrow.DECIMAL128: true, arrow.DECIMAL256: true,
}

// number returns the integer that a value of a numeric type holds.
func number(t arrow.DataType, b string) (*big.Int, bool) {
	signed, ok := signedness[t.ID()]
	if !ok {
		return nil, false
	}
	p := []byte(b)
	slices.Reverse(p)
	v := new(big.Int).SetBytes(p)
	if signed && len(p) > 0 && p[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
	}
	return v, true
}

func scaled(v *big.Int, t arrow.DataType) string {
	d, ok := t.(arrow.DecimalType)
	if !ok || d.GetScale() == 0 {
		return v.String()
	}
	s := new(big.Int).Abs(v).String()
	n := int(d.GetScale())
	if len(s) <= n {
		s = strings.Repeat("0", n-len(s)+1) + s
	}
	s = s[:len(s)-n] + "." + s[len(s)-n:]
	if d.GetPrecision() == d.GetScale() {
		s = strings.TrimPrefix(s, "0")
	}
	if v.Sign() < 0 {
		s = "-" + s
	}
	return s
}

func integer(b string) int64 {
	if len(b) == 4 {
		return int64(vector.View[int32]([]byte(b))[0])
	}
	return vector.View[int64]([]byte(b))[0]
}

func temporal(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.DATE32, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP:
		return true
	}
	return false
}

func compare(t arrow.DataType, a, b string) int {
	if x, ok := number(t, a); ok {
		y, _ := number(t, b)
		return x.Cmp(y)
	}
	if x, ok := float(t, a); ok {
		y, _ := float(t, b)
		if math.IsNaN(x) || math.IsNaN(y) {
			return map[bool]int{true: 1}[math.IsNaN(x)] - map[bool]int{true: 1}[math.IsNaN(y)]
		}
		return cmp.Compare(x, y)
	}
	if temporal(t) {
		return cmp.Compare(integer(a), integer(b))
	}
	return bytes.Compare([]byte(a), []byte(b))
}

// text writes a value as DuckDB casts it to VARCHAR.
func text(t arrow.DataType, b string) string {
	if v, ok := number(t, b); ok {
		return scaled(v, t)
	}
	if f, ok := float(t, b); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	switch t := t.(type) {
	case *arrow.BooleanType:
		return strconv.FormatBool(b[0] != 0)
	case *arrow.StringType:
		return b
	case *arrow.Date32Type:
		return era(time.Unix(integer(b)*86400, 0).UTC(), "")
	case *arrow.TimestampType:
		return era(at(integer(b), t.Unit), " 15:04:05.999999999")
	case *arrow.Time32Type:
		return at(integer(b), t.Unit).Format("15:04:05.999999999")
	case *arrow.Time64Type:
		return at(integer(b), t.Unit).Format("15:04:05.999999999")
	}
	return strings.ToUpper(hex.EncodeToString([]byte(b)))
}

func at(v int64, unit arrow.TimeUnit) time.Time {
	per := int64(time.Second / unit.Multiplier())
	return time.Unix(v/per, v%per*int64(unit.Multiplier())).UTC()
}

// era writes a date, and the clock by its layout behind it.
func era(t time.Time, clock string) string {
	if y := t.Year(); y <= 0 {
		return fmt.Sprintf("%04d", 1-y) + t.Format("-01-02 (BC)"+clock)
	}
	return t.Format("2006-01-02" + clock)
}
