package hashagg

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// spans are sums and averages of intervals of months, days and nanoseconds, which
// are summed apart. A state is the number of values, the months, the days, and the
// nanoseconds in two words.
type spans struct {
	slot
	name string
	kind spanKind
}

// spanKind says what of sums of intervals is the result.
type spanKind int

const (
	sumOfSpans spanKind = iota
	meanOfSpans
)

// spanWidth is the bytes of an interval: 32 bits of months, 32 of days, 64 of
// nanoseconds.
const spanWidth = 16

func bindSpans(name string, kind spanKind) *Aggregate {
	i64 := arrow.PrimitiveTypes.Int64
	return &Aggregate{
		Result: arrow.FixedWidthTypes.MonthDayNanoInterval,
		State:  []arrow.DataType{arrow.PrimitiveTypes.Uint64, i64, i64, int128Type},
		Words:  5,
		Marks:  true,
		New:    func(slab *Slab, at int) Accumulator { return &spans{slot{slab, at}, name, kind} },
	}
}

// Update adds the values of the batch.
func (s *spans) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	words, stride := s.rows()
	v := args[0]
	for i, t := range tickets {
		if v.IsNull(i) {
			continue
		}
		p := v.Bytes(i)
		parts, nanos := vector.View[int32](p[:8]), vector.View[int64](p[8:])[0]
		addSpan(words[int(t)*stride:], 1, int64(parts[0]), int64(parts[1]), [2]uint64{uint64(nanos), uint64(nanos >> 63)})
	}
	return nil
}

func addSpan(row []uint64, n uint64, months, days int64, nanos [2]uint64) {
	row = row[:5]
	row[0] += n
	row[1] += uint64(months)
	row[2] += uint64(days)
	sum := wideOf(row[3:5]).sub(wideOf(nanos[:]).neg())
	row[3], row[4] = sum[0], sum[1]
}

// Merge adds states.
func (s *spans) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := s.rows()
	n, nanos := vector.Values[uint64](states[0]), vector.Values[[2]uint64](states[3])
	months, days := vector.Values[int64](states[1]), vector.Values[int64](states[2])
	for i, t := range tickets {
		addSpan(words[int(t)*stride:], n[i], months[i], days[i], nanos[i])
	}
	return nil
}

// State returns the numbers and the sums.
func (s *spans) State(lo, hi int) ([]*vector.Vector, error) {
	words, stride := s.rows()
	out := s.wordColumns(lo, hi, 3)
	out[1].Type, out[2].Type = arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64
	nanos := vector.New(int128Type, hi-lo)
	for i, to := range vector.Values[[2]uint64](nanos) {
		copy(to[:], words[(lo+i)*stride+3:])
		vector.Values[[2]uint64](nanos)[i] = to
	}
	return append(out, nanos), nil
}

// Final returns the results, or an *OverflowError if a part does not fit.
func (s *spans) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := s.rows()
	v := vector.New(arrow.FixedWidthTypes.MonthDayNanoInterval, hi-lo)
	for i := range hi - lo {
		row := words[(lo+i)*stride:][:5]
		if row[0] == 0 {
			setNull(v, i)
			continue
		}
		months, days, nanos := int64(row[1]), int64(row[2]), wideOf(row[3:5])
		if s.kind == meanOfSpans {
			months, days, nanos = averageSpan(int64(row[0]), months, days, nanos)
		}
		to := v.Data[i*spanWidth : (i+1)*spanWidth]
		parts := vector.View[int32](to[:8])
		parts[0], parts[1] = int32(months), int32(days)
		vector.View[uint64](to[8:])[0] = nanos[0]
		if int64(parts[0]) != months || int64(parts[1]) != days || wideOf(nanos[:1]) != nanos {
			return nil, &OverflowError{Function: s.name, Value: fmt.Sprintf("%d months %d days %s ns", months, days, nanos), Type: v.Type}
		}
	}
	return v, nil
}

const (
	daysOfMonth = 30
	nanosOfDay  = 24 * 60 * 60 * 1_000_000_000
)

// averageSpan divides sums by n. What is left of months goes to the days, 30 for
// each, and what is left of days to the nanoseconds, as in PostgreSQL, but exactly;
// the nanoseconds are rounded half away from zero.
func averageSpan(n, months, days int64, nanos wide) (int64, int64, wide) {
	left := daysOfMonth * (months % n) // n-th parts of a day, like those below
	whole := days/n + left/n
	rest := days%n + left%n
	whole, rest = whole+rest/n, rest%n
	part := wide{uint64(max(rest, -rest))}.mul(nanosOfDay)
	if rest > 0 {
		part = part.neg()
	}
	return months / n, whole, nanos.sub(part).divRound(uint64(n))
}
