package hashagg

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		constant Constant
		text     string
		float    float64
		isFloat  bool
		integer  int64
		isInt    bool
	}{
		{Constant{}, "null", 0, false, 0, false},
		{Constant{NumberConstant, "-0.5"}, "-0.5", -0.5, true, 0, false},
		{Constant{NumberConstant, ".25"}, ".25", 0.25, true, 0, false},
		{Constant{NumberConstant, "3."}, "3.", 3, true, 0, false},
		{Constant{NumberConstant, "12"}, "12", 12, true, 12, true},
		{Constant{NumberConstant, "1e400"}, "1e400", 0, false, 0, false},
		{Constant{NumberConstant, "9223372036854775808"}, "9223372036854775808", 1 << 63, true, 0, false},
		{Constant{TextConstant, "it's"}, "'it''s'", 0, false, 0, false},
		{Constant{TextConstant, "1"}, "'1'", 0, false, 0, false},
	} {
		if got := c.constant.String(); got != c.text {
			t.Errorf("%v is spelled %s", c.constant, got)
		}
		if f, ok := c.constant.Float64(); ok != c.isFloat || ok && f != c.float {
			t.Errorf("%s as a float64: %v, %v", c.text, f, ok)
		}
		if n, ok := c.constant.Int64(); ok != c.isInt || ok && n != c.integer {
			t.Errorf("%s as an int64: %v, %v", c.text, n, ok)
		}
	}
}

// picky takes everything, and keeps what it is given.
var picky = function{name: "picky", columns: bounds{1, 2}, constants: bounds{1, 1}, distinct: taken, order: taken, usage: "picky(column, 0.5)"}

func TestModifiersAreAccepted(t *testing.T) {
	all := Modifiers{Distinct: true, Order: []Direction{{Desc: true}}}
	for _, c := range []struct {
		f        function
		distinct bool
		order    int
		problem  string
		part     Part
	}{
		{picky, true, 1, "", PartCall},
		{function{name: "f", distinct: dropped, order: dropped}, false, 0, "", PartCall},
		{function{name: "f", distinct: refused, order: taken}, false, 0, "f: does not take DISTINCT", PartDistinct},
		{function{name: "f", distinct: dropped, order: refused}, false, 0, "f: does not take ORDER BY", PartOrder},
	} {
		got, err := c.f.accept(all)
		var b *BindError
		if errors.As(err, &b) {
			if b.Error() != c.problem || b.Part != c.part || b.Hint == "" {
				t.Errorf("%s: %v (%s), part %d", c.problem, err, b.Hint, b.Part)
			}
		} else if c.problem != "" || got.Distinct != c.distinct || len(got.Order) != c.order {
			t.Errorf("%+v: %+v, %v", c.f, got, err)
		}
	}
}

func TestNumbersOfArguments(t *testing.T) {
	sum, none := function{name: "sum", columns: oneColumn}, function{name: "many", columns: bounds{1, 3}}
	for _, c := range []struct {
		f                  function
		columns, constants int
		want, hint         string
		part               Part
	}{
		{sum, 1, 0, "", "", PartCall},
		{sum, 0, 0, "sum: takes one argument, not 0", "write sum(column)", PartCall},
		{sum, 1, 1, "sum: takes one argument, not 2", "write sum(column)", PartConstant},
		{none, 1, 1, "many: takes columns, not constants", "write many(column)", PartConstant},
		{picky, 1, 1, "", "", PartCall},
		{picky, 2, 1, "", "", PartCall},
		{picky, 3, 1, "picky: takes 1 or 2 columns, not 3", "write picky(column, 0.5)", PartCall},
		{picky, 1, 0, "picky: takes one constant, not 0", "write picky(column, 0.5)", PartCall},
		{picky, 1, 3, "picky: takes one constant, not 3", "write picky(column, 0.5)", PartConstant},
	} {
		err := c.f.counts(c.columns, c.constants)
		if c.want == "" && err == nil {
			continue
		}
		var b *BindError
		if !errors.As(err, &b) || b.Error() != c.want || b.Hint != c.hint || b.Part != c.part {
			t.Errorf("%d columns and %d constants: %#v", c.columns, c.constants, err)
		}
	}
}

// TestOrderColumns holds that what is dropped is not among the arguments.
func TestOrderColumns(t *testing.T) {
	i64, text := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	agg, err := Bind("Max", []arrow.DataType{i64, text}, Modifiers{Distinct: true, Order: []Direction{{}}})
	if err != nil || agg.Name != "max" || len(agg.Args) != 1 {
		t.Errorf("%+v, %v", agg, err)
	}
	if agg, err = Bind("count", []arrow.DataType{text}, Modifiers{Order: []Direction{{}}}); err != nil || len(agg.Args) != 0 {
		t.Errorf("%+v, %v", agg, err)
	}
}
