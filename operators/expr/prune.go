package expr

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// Domains returns, for columns by their positions, sets of values that a row
// must have one of for the condition to be true, so that other rows need not be
// read. They are necessary and not sufficient: what a set cannot say (arithmetic,
// functions, comparisons of columns, IS NOT TRUE) restricts no column, or only not
// to be NULL. possible is false if no row can satisfy the condition.
//
// Rows that are left out because of it are not computed: what would be an error
// in one, such as a division by zero, does not come up.
func (c *Condition) Domains() (domains map[int]vector.Domain, possible bool) {
	n := necessary(c.logic)
	for _, d := range n.of {
		if d.Empty() {
			n.never = true
		}
	}
	return n.of, !n.never
}

// Columns returns the positions of the columns that the condition is of, rising.
func (c *Condition) Columns() []int {
	cols := c.logic.columns(nil)
	slices.Sort(cols)
	return cols
}

// need is what must hold where a condition is true.
type need struct {
	never bool
	of    map[int]vector.Domain
}

func necessary(l logic) need {
	switch l := l.(type) {
	case truth:
		return need{never: l != isTrue}
	case all:
		return needAll(l)
	case some:
		return needSome(l)
	case holds:
		return necessary(l.of)
	case boolColumn:
		return needs(l.col, vector.NewDomain(false, vector.Point(vector.KeyBool(l.want))))
	case missing:
		if l.v.col >= 0 {
			return needs(l.v.col, vector.Domain{Null: true})
		}
	case present:
		return needValues(l.v)
	case compared:
		return needCompared(l)
	case comparedTruths:
		return necessary(l.spelled())
	case among:
		return needAmong(l)
	case matches:
		return needMatch(l)
	}
	return need{}
}

func needs(col int, d vector.Domain) need { return need{of: map[int]vector.Domain{col: d}} }

func needAll(terms []logic) need {
	out := need{of: map[int]vector.Domain{}}
	for _, t := range terms {
		n := necessary(t)
		out.never = out.never || n.never
		for col, d := range n.of {
			if before, ok := out.of[col]; ok {
				d = d.Intersect(before)
			}
			out.of[col] = d
		}
	}
	return out
}

// needSome restricts the columns that all terms restrict which can be true.
func needSome(terms []logic) need {
	out := need{never: true}
	for _, t := range terms {
		n := necessary(t)
		switch {
		case n.never:
		case out.never:
			out = n
		default:
			both := map[int]vector.Domain{}
			for col, d := range n.of {
				if before, ok := out.of[col]; ok {
					both[col] = d.Union(before)
				}
			}
			out.of = both
		}
	}
	return out
}

// needValues says that those of values which are columns are not NULL.
func needValues(values ...*value) need {
	out := need{of: map[int]vector.Domain{}}
	for _, v := range values {
		if v.col >= 0 {
			out.of[v.col] = vector.AllValues()
		}
	}
	return out
}

func needCompared(c compared) need {
	if c.left.col < 0 || !c.right.constant() {
		return needValues(c.left, c.right)
	}
	at, past, ok := place(c.left, c.right)
	if !ok {
		return needValues(c.left, c.right)
	}
	var spans []vector.Span
	if c.rel.of(-1) {
		spans = append(spans, vector.Span{Hi: at})
	}
	if c.rel.of(0) {
		spans = append(spans, vector.Span{Lo: at, Hi: past})
	}
	if c.rel.of(1) {
		spans = append(spans, vector.Span{Lo: past})
	}
	return needs(c.left.col, vector.NewDomain(false, spans...))
}

// beyondKeys is above the keys of all numbers, which are 16 bytes at most.
var beyondKeys = bytes.Repeat([]byte{0xff}, 17)

// place returns the first key that is not below the constant c and the first that
// is above it, among those of column v; ok is false if they are not compared in
// the column's own type.
func place(v, c *value) (at, past []byte, ok bool) {
	switch {
	case v.class == textClass:
		at = []byte(c.lit.text)
	case v.class == floatClass:
		at = vector.KeyFloat(c.asFloat())
	case !keyed(v.typ) || !c.class.exact():
		return nil, nil, false
	default:
		if at, ok = exactKey(v.typ, c.lit.exact); !ok {
			at = []byte{}
			if c.lit.exact.Sign() > 0 {
				at = beyondKeys
			}
			return at, at, true
		}
	}
	return at, vector.After(at), true
}

// keyed reports whether columns of type t are compared by integers that have
// keys.
func keyed(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.DECIMAL128, arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return true
	}
	return false
}

// exactKey is the key of x in a column of type t; ok is false if the type has no
// such value.
func exactKey(t arrow.DataType, x *big.Int) (k []byte, ok bool) {
	switch t.ID() {
	case arrow.UINT64:
		if !x.IsUint64() {
			return nil, false
		}
		return vector.KeyUint(x.Uint64()), true
	case arrow.DECIMAL128:
		w, ok := toInt128(x)
		return vector.KeyWide(w), ok
	}
	if !x.IsInt64() {
		return nil, false
	}
	return vector.KeyInt(x.Int64()), true
}

// manyHoles is up to how many values of NOT IN are left out one by one.
const manyHoles = 64

func needAmong(a among) need {
	if a.v.col < 0 || a.texts == nil && !keyed(a.v.typ) || !a.want && len(a.ints)+len(a.wides)+len(a.texts) > manyHoles {
		return needValues(a.v)
	}
	var points []vector.Span
	for x := range a.ints {
		if k, ok := exactKey(a.v.typ, big.NewInt(x)); ok {
			points = append(points, vector.Point(k))
		}
	}
	for x := range a.wides {
		if k, ok := exactKey(a.v.typ, x.big()); ok {
			points = append(points, vector.Point(k))
		}
	}
	for s := range a.texts {
		points = append(points, vector.Point([]byte(s)))
	}
	d := vector.NewDomain(false, points...)
	if !a.want {
		d = d.Complement()
		d.Null = false
	}
	return needs(a.v.col, d)
}

// needMatch is of what a pattern begins with.
func needMatch(m matches) need {
	if m.v.col < 0 || !m.want || m.pattern == nil || m.pattern.fold {
		return needValues(m.v)
	}
	var prefix []byte
	whole := len(m.pattern.parts) == 1
	for _, s := range m.pattern.parts[0] {
		if whole = whole && !s.any; s.any {
			break
		}
		prefix = utf8.AppendRune(prefix, s.r)
	}
	span := vector.Span{Lo: prefix, Hi: afterPrefix(prefix)}
	if whole {
		span = vector.Point(prefix)
	}
	return needs(m.v.col, vector.NewDomain(false, span))
}

// afterPrefix is the least string above all that begin with p; nil if there is
// none.
func afterPrefix(p []byte) []byte {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] < math.MaxUint8 {
			out := slices.Clone(p[:i+1])
			out[i]++
			return out
		}
	}
	return nil
}
