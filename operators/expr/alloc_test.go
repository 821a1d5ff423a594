package expr

import (
	"testing"

	"github.com/colagg/colagg/internal/sql"
)

// TestValuesAllocateNothing computes values over batches of a stream.
func TestValuesAllocateNothing(t *testing.T) {
	for _, src := range []string{
		`i + 1`, `case when i > 0 then i * 2 else n end`, `coalesce(d, i)`, `upper(s) || p`, `substring(s, 2, 3)`, `length(s) > 3 and b`, `concat(s, p, i)`,
		`cast(f as text)`, `round(d, 1)`, `greatest(i, n)`, `i is null`, `lpad(s, 20, p)`, `replace(s, p, 'xyz')`, `cast(d as double) ^ 2`,
	} {
		e, err := sql.ParseExpr(src)
		if err != nil {
			t.Fatal(err)
		}
		v, err := BindValue(src, e, scopeOf(valueColumns))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range valueBatches() {
			var held int64
			c, f := newComputed(v, &held), &frame{held: &held}
			rows := []uint32{0, 1, 2, 3, 4, 5}
			n := testing.AllocsPerRun(10, func() {
				f.reset(b.Cols, b.Len)
				if _, err := c.vector(f, rows); err != nil {
					t.Fatal(err)
				}
			})
			if n > 0 {
				t.Errorf("%s: %g allocations a batch", src, n)
			}
		}
	}
}
