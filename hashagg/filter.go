package hashagg

import (
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// Filter is FILTER (WHERE …) of a call: a boolean column of the batch. Only rows
// where it is true count for the call; those where it is false or NULL do not.
// They belong to their groups all the same. The zero value is no filter.
type Filter struct {
	Column int
	OK     bool
}

// check returns an error if the column cannot be a filter.
func (f Filter) check(in *arrow.Schema, name string) error {
	if !f.OK {
		return nil
	}
	if t := in.Field(f.Column).Type; t.ID() != arrow.BOOL && t.ID() != arrow.NULL {
		return fmt.Errorf("hashagg: the filter of %s must be a bool, not %s", name, typeName(t))
	}
	return nil
}

// callRows are rows of a batch that count for a call.
type callRows struct {
	tickets []uint32
	cols    []*vector.Vector // by column of the batch
	rows    Ordinals
}

// filters are the filters of calls. Calls with the same one share the rows that
// pass it.
type filters struct {
	of   []int // by call: the number of its filter, or -1
	each []passing
}

// passing are the rows that pass a filter, in memory that is kept from batch to
// batch.
type passing struct {
	column  int
	columns []int // that its calls read
	sel     []uint32
	tickets []uint32
	args    argumentRows
	now     callRows
}

func newFilters(calls []Call) (f filters) {
	number := map[int]int{}
	var of [][]Call // without their filters
	for _, c := range calls {
		k := -1
		if column := c.Filter.Column; c.Filter.OK {
			var there bool
			if k, there = number[column]; !there {
				k = len(of)
				number[column] = k
				f.each, of = append(f.each, passing{column: column}), append(of, nil)
			}
			c.Filter = Filter{}
			of[k] = append(of[k], c)
		}
		f.of = append(f.of, k)
	}
	for k := range f.each {
		f.each[k].columns = argumentColumns(of[k])
	}
	return f
}

// load finds the rows of a batch that pass each filter.
func (f *filters) load(all callRows) (err error) {
	for k := range f.each {
		p := &f.each[k]
		p.sel = trueRows(p.sel[:0], all.cols[p.column], len(all.tickets))
		if p.now = all; len(p.sel) == len(all.tickets) {
			continue
		}
		p.tickets = vector.Resize(p.tickets, len(p.sel))
		for i, r := range p.sel {
			p.tickets[i] = all.tickets[r]
		}
		p.now.tickets = p.tickets
		if p.now.cols, p.now.rows, err = p.args.gather(p.columns, all.cols, p.sel, all.rows); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the rows that count for call i of all those of the batch, which
// has been loaded; valid until the next load.
func (f *filters) rows(i int, all *callRows) *callRows {
	if k := f.of[i]; k >= 0 {
		return &f.each[k].now
	}
	return all
}

// trueRows appends to sel the rows of the first n in which v is true.
func trueRows(sel []uint32, v *vector.Vector, n int) []uint32 {
	switch {
	case v.Type.ID() == arrow.NULL:
		return sel
	case v.Dict != nil:
		for i := range n {
			if !v.IsNull(i) && vector.Bitmap(v.Dict.Data).Get(v.Code(i)) {
				sel = append(sel, uint32(i))
			}
		}
		return sel
	}
	for base := 0; base < n; base += 64 {
		w := validWord(v.Data, base, n)
		if v.Valid != nil {
			w &= validWord(v.Valid, base, n)
		}
		for ; w != 0; w &= w - 1 {
			sel = append(sel, uint32(base+bits.TrailingZeros64(w)))
		}
	}
	return sel
}
