package hashagg

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// joined is string_agg: the strings of a group that are not NULL, one after
// another with a separator between, in the order of the input unless the call
// has one.
type joined struct {
	keeper
	result    arrow.DataType
	separator []byte
	name      string
}

// defaultSeparator is DuckDB's; PostgreSQL has none, and asks for one.
const defaultSeparator = ","

func bindStringAgg(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	if args[0].ID() == arrow.NULL {
		return bindNull(arrow.BinaryTypes.String), nil
	}
	if !vector.IsBytes(args[0]) {
		return nil, refuse(name, args[0], "joined", "string_agg takes text and binary; array_agg takes every type")
	}
	for _, t := range args[1:] {
		if err := refuseLists(name, t); err != nil {
			return nil, err
		}
	}
	separator := defaultSeparator
	if len(m.Constants) > 0 {
		if m.Constants[0].Kind != TextConstant {
			return nil, &BindError{Function: name, Problem: "the separator must be a text", Hint: "write string_agg(column, ', ')", Part: PartConstant}
		}
		separator = m.Constants[0].Text
	}
	keep := kept{types: args, ordered: true, needs: 1, arrangement: arrangement{order: m.Order, from: 1, distinct: m.Distinct}}
	return &Aggregate{
		Result: args[0],
		State:  keep.state(),
		Take:   func(to, from Accumulator) { to.(*joined).log.take(from.(*joined).log) },
		New: func(*Slab, int) Accumulator {
			return &joined{keep.keeper(), args[0], []byte(separator), name}
		},
	}, nil
}

// Final returns the strings, or vector.ErrTooLong.
func (a *joined) Final(lo, hi int) (*vector.Vector, error) {
	starts, elems, err := a.log.arranged(lo, hi, a.arrangement)
	if err != nil {
		return nil, err
	}
	total := len(elems.Data)
	for i := range hi - lo {
		total += max(0, int(starts[i+1]-starts[i])-1) * len(a.separator)
	}
	if total > vector.MaxBytes {
		return nil, fmt.Errorf("%s of %d groups takes %d bytes: %w", a.name, hi-lo, total, vector.ErrTooLong)
	}
	v := &vector.Vector{Type: a.result, Len: hi - lo, Offsets: make([]int32, hi-lo+1), Data: make([]byte, 0, total)}
	for i := range hi - lo {
		if starts[i] == starts[i+1] {
			setNull(v, i)
		}
		for k := starts[i]; k < starts[i+1]; k++ {
			if k > starts[i] {
				v.Data = append(v.Data, a.separator...)
			}
			v.Data = append(v.Data, elems.Data[elems.Offsets[k]:elems.Offsets[k+1]]...)
		}
		v.Offsets[i+1] = int32(len(v.Data))
	}
	return v, nil
}
