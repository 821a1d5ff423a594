package bench

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
)

// answer is what a query gave, without its rows.
type answer struct {
	strategy string
	groups   int64
	checksum uint64 // over all values; the order of rows does not matter
	took     time.Duration
	stats    colagg.Stats
}

// differs returns an error if b is another answer.
func (a answer) differs(b answer) error {
	switch {
	case a.stats.Rows != b.stats.Rows:
		return fmt.Errorf("strategy %s read %d rows where %s read %d", b.strategy, b.stats.Rows, a.strategy, a.stats.Rows)
	case a.groups != b.groups:
		return fmt.Errorf("strategy %s gave %d groups where %s gave %d; one of them is wrong", b.strategy, b.groups, a.strategy, a.groups)
	case a.checksum != b.checksum:
		return fmt.Errorf("strategy %s gave other values than %s in the same number of groups (checksums %016x and %016x); one of them is wrong",
			b.strategy, a.strategy, b.checksum, a.checksum)
	}
	return nil
}

// add takes the rows of rec into account.
func (a *answer) add(rec arrow.Record) error {
	n := int(rec.NumRows())
	sums := make([]uint64, n)
	for k, col := range rec.Columns() {
		switch c := col.(type) {
		case *array.Int64:
			for i, v := range c.Int64Values() {
				sums[i] = mix(sums[i], uint64(v))
			}
		case *array.String:
			for i := range n {
				sums[i] = mixText(sums[i], c.Value(i))
			}
		default:
			return fmt.Errorf("bench: there is no checksum of type %s", col.DataType())
		}
		if col.NullN() > 0 {
			return fmt.Errorf("bench: column %s has NULLs where the input has none", rec.ColumnName(k))
		}
	}
	a.groups += int64(n)
	for _, s := range sums {
		a.checksum += mix(s, 1)
	}
	return nil
}

// mix folds a word into a hash.
func mix(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

func mixText(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	for len(s) >= 8 {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
		s = s[8:]
	}
	var tail uint64
	for i := range len(s) {
		tail = tail<<8 | uint64(s[i])
	}
	return mix(h, tail)
}
