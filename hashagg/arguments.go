package hashagg

import "github.com/colagg/colagg/vector"

// argumentColumns returns the columns that the calls read, those of filters too,
// each once.
func argumentColumns(calls []Call) (columns []int) {
	seen := map[int]bool{}
	add := func(c int) {
		if !seen[c] {
			seen[c] = true
			columns = append(columns, c)
		}
	}
	for _, call := range calls {
		for _, c := range call.Args {
			add(c)
		}
		if call.Filter.OK {
			add(call.Filter.Column)
		}
	}
	return columns
}

// argumentRows gathers rows of the columns that aggregates read, in memory that
// is kept from batch to batch.
type argumentRows struct {
	cols []*vector.Vector // by column of the batch; nil where it is not read
	rows []uint64
}

// gather returns the rows of columns that sel lists, and their positions, valid
// until the next call.
func (a *argumentRows) gather(columns []int, cols []*vector.Vector, sel []uint32, rows Ordinals) (_ []*vector.Vector, at Ordinals, err error) {
	a.cols = vector.Resize(a.cols, len(cols))
	for _, c := range columns {
		if a.cols[c], err = vector.Gather(a.cols[c], cols[c], sel); err != nil {
			return nil, at, err
		}
	}
	at, a.rows = rows.gather(sel, a.rows)
	return a.cols, at, nil
}
