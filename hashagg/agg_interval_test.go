package hashagg

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// spanColumn makes a column of intervals; nil is NULL.
func spanColumn(spans []*arrow.MonthDayNanoInterval) *vector.Vector {
	v := vector.New(arrow.FixedWidthTypes.MonthDayNanoInterval, len(spans))
	for i, s := range spans {
		if s == nil {
			setNull(v, i)
			continue
		}
		p := v.Data[i*spanWidth:]
		vector.View[int32](p)[0], vector.View[int32](p)[1] = s.Months, s.Days
		vector.View[int64](p)[1] = s.Nanoseconds
	}
	return v
}

// spanOf is an interval of months, days and seconds.
func spanOf(months, days int32, seconds float64) *arrow.MonthDayNanoInterval {
	return &arrow.MonthDayNanoInterval{Months: months, Days: days, Nanoseconds: int64(seconds * 1e9)}
}

// sumSpans returns the result of a function of one group, whose rows several
// accumulators share.
func sumSpans(t *testing.T, name string, spans []*arrow.MonthDayNanoInterval, parts int) (string, error) {
	t.Helper()
	agg, err := Bind(name, []arrow.DataType{arrow.FixedWidthTypes.MonthDayNanoInterval}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	hs := make([]*harness, parts)
	for i := range hs {
		hs[i] = newHarness(t, agg)
		hs[i].grow(2)
	}
	for i := range spans {
		if err := hs[i%parts].acc.Update([]uint32{1}, []*vector.Vector{spanColumn(spans[i : i+1])}, Ordinals{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range hs[1:] {
		states, err := h.acc.State(0, 2)
		if err == nil {
			err = hs[0].acc.Merge([]uint32{0, 1}, states)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	hs[0].check()
	v, err := hs[0].acc.Final(0, 2)
	if err != nil {
		return "", err
	}
	if !v.IsNull(0) {
		t.Errorf("%s of nothing is not NULL", name)
	}
	if v.IsNull(1) {
		return "NULL", nil
	}
	p := v.Bytes(1)
	return fmt.Sprintf("%d mons %d days %v s", vector.View[int32](p)[0], vector.View[int32](p)[1], float64(vector.View[int64](p)[1])/1e9), nil
}

// TestSpans has what PostgreSQL 15 answers, but for the last average, of which it
// rounds a part to millionths of a day.
func TestSpans(t *testing.T) {
	month := spanOf(1, 0, 0)
	for _, c := range []struct {
		spans    []*arrow.MonthDayNanoInterval
		sum, avg string
	}{
		{[]*arrow.MonthDayNanoInterval{nil}, "NULL", "NULL"},
		{[]*arrow.MonthDayNanoInterval{spanOf(0, 1, 3), spanOf(0, 0, 2), nil}, "0 mons 1 days 5 s", "0 mons 0 days 43202.5 s"},
		{[]*arrow.MonthDayNanoInterval{month, spanOf(2, 0, 0), spanOf(0, 2, 0)}, "3 mons 2 days 0 s", "1 mons 0 days 57600 s"},
		{[]*arrow.MonthDayNanoInterval{spanOf(1, -1, 0), spanOf(0, 0, 2), nil}, "1 mons -1 days 2 s", "0 mons 15 days -43199 s"},
		{[]*arrow.MonthDayNanoInterval{spanOf(-7, 3, 0), spanOf(0, 1, 20*3600), spanOf(0, 1, 21*3600+1.5), spanOf(0, 5, 0)}, "-7 mons 10 days 147601.5 s", "-1 mons -20 days 36900.375 s"},
		{[]*arrow.MonthDayNanoInterval{spanOf(11, 29, 86399), month, month, month, month, month, spanOf(0, 6, 0)}, "16 mons 35 days 86399 s", "2 mons 13 days 61714.142857143 s"},
	} {
		for _, parts := range []int{1, 3} {
			for name, want := range map[string]string{"sum": c.sum, "avg": c.avg} {
				if got, err := sumSpans(t, name, c.spans, parts); err != nil || got != want {
					t.Errorf("%s, %d parts: %s, not %s (%v)", name, parts, got, want, err)
				}
			}
		}
	}
	_, err := sumSpans(t, "sum", []*arrow.MonthDayNanoInterval{spanOf(math.MaxInt32, 0, 0), month}, 1)
	var overflow *OverflowError
	if !errors.As(err, &overflow) || overflow.Value != "2147483648 months 0 days 0 ns" {
		t.Errorf("error is %v", err)
	}
}
