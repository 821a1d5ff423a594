package colagg

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr"
)

// boundCall is a call of an aggregate whose names are resolved.
type boundCall struct {
	agg      *hashagg.Aggregate
	args     []expression
	text     string      // spells it, whatever its case and spaces were
	name     string      // of its column
	aliased  bool        // name is an alias
	at       []int       // its arguments among the inputs
	filter   *expression // of FILTER, or nil
	filterAt int         // it among the inputs
}

// call returns the position of the call x among those of the block; alias is
// what its column is called, or empty.
func (b *block) call(x expression, alias string) (int, error) {
	c, err := b.bindCall(x)
	if err != nil {
		return 0, err
	}
	id := identity(x.node)
	if at, ok := b.known["call "+id]; ok {
		return at, nil
	}
	for _, a := range c.args {
		at, err := b.input(a)
		if err != nil {
			return 0, err
		}
		c.at = append(c.at, at)
	}
	if c.filter != nil {
		if c.filterAt, err = b.input(*c.filter); err != nil {
			return 0, err
		}
	}
	c.name, c.aliased = unique(b.names, cmp.Or(alias, c.text)), alias != ""
	b.known["call "+id] = len(b.calls)
	b.calls = append(b.calls, c)
	return len(b.calls) - 1, nil
}

// shown spells the call with its alias.
func (c boundCall) shown() string {
	if c.aliased {
		return c.text + " as " + c.name
	}
	return c.name
}

// bindCall finds the function of a call for the types of its arguments.
func (b *block) bindCall(x expression) (boundCall, error) {
	call, name := x.node.Call, strings.ToLower(x.node.Call.Func.Text)
	columns, constants, err := arguments(x)
	if err != nil {
		return boundCall{}, err
	}
	if len(columns) == 0 && name != "count" && slices.Contains(hashagg.Names(), name) {
		return boundCall{}, badFragment(x.in, x.node.Start, fmt.Sprintf("name one, as in %s(x)", name), "%s needs a column", name)
	}
	n := len(columns)
	m := hashagg.Modifiers{Distinct: call.Distinct != nil}
	for _, k := range call.Order {
		if call.Distinct != nil && !slices.ContainsFunc(columns[:n], func(c expression) bool { return identity(c.node) == identity(k.Expr) }) {
			return boundCall{}, badFragment(x.in, k.Start, "order by its arguments", "%s with DISTINCT cannot be ordered by %s, which it does not take", name, spell(expression{k.Expr, x.in}))
		}
		columns = append(columns, expression{k.Expr, x.in})
		m.Order = append(m.Order, hashagg.Direction(k.Direction))
	}
	for _, c := range constants {
		m.Constants = append(m.Constants, constant(c))
	}
	c := boundCall{args: columns}
	filter := ""
	if call.Filter != nil {
		c.filter = &expression{call.Filter, x.in}
		if filter, err = b.bindFilter(*c.filter); err != nil {
			return c, err
		}
	}
	var types []arrow.DataType
	var texts []string
	for _, a := range columns {
		if anyNode(a.node, aggregate) {
			return c, badFragment(a.in, a.node.Start, "a sub-select in FROM may have the inner one", "an aggregate within %s", name)
		}
		t, err := b.typeOf(a)
		if err != nil {
			return c, err
		}
		text, err := b.spell(a)
		if err != nil {
			return c, err
		}
		types, texts = append(types, t), append(texts, text)
	}
	c.text = spellCall(name, texts, m) + filter
	if c.agg, err = hashagg.Bind(name, types, m); err != nil {
		return c, bindError(x, constants, err)
	}
	c.args = c.args[:len(c.agg.Args)]
	return c, nil
}

// unknownCall is the error for a function that there is none of, or nil.
func unknownCall(x expression) error {
	if x.node.Op != sql.CallOp || aggregate(x.node) || groupingCall(x.node) || expr.HasFunction(x.node.Call.Func.Text) {
		return nil
	}
	e := badFragment(x.in, x.node.Start, "", "unknown function %q", x.node.Call.Func.Text)
	_, err := hashagg.Bind(x.node.Call.Func.Text, nil, hashagg.Modifiers{})
	if bind := (*hashagg.BindError)(nil); errors.As(err, &bind) {
		if e.Hint = bind.Hint; strings.HasSuffix(bind.Problem, "supported yet") {
			e.Err = bind
		}
	}
	return e
}

// bindFilter checks a FILTER and spells it.
func (b *block) bindFilter(x expression) (string, error) {
	if anyNode(x.node, aggregate) {
		return "", badFragment(x.in, x.node.Start, "HAVING filters groups", "an aggregate cannot be in FILTER")
	}
	t, err := b.typeOf(x)
	if err != nil {
		return "", err
	}
	text, err := b.spell(x)
	if err == nil && t.ID() != arrow.BOOL && t.ID() != arrow.NULL {
		err = badFragment(x.in, x.node.Start, "compare it with something", "%s is a %s and no condition", text, t)
	}
	return " filter (where " + text + ")", err
}

// arguments splits the arguments of a call: constants come behind the columns, of
// which the function has some in any case.
// One constant of count is as good as a star, unless it is NULL.
func arguments(x expression) (columns []expression, constants []*sql.Expr, err error) {
	least := max(1, hashagg.LeastColumns(x.node.Call.Func.Text))
	for i, a := range x.node.Args {
		if i >= least && literal(a) {
			constants = append(constants, a)
			continue
		}
		if len(constants) > 0 {
			return nil, nil, badFragment(x.in, a.Start, "name the columns first, as in quantile_cont(fare, 0.5)", "%s comes after a constant", spell(expression{a, x.in}))
		}
		columns = append(columns, expression{a, x.in})
	}
	if strings.EqualFold(x.node.Call.Func.Text, "count") && len(columns) == 1 && literal(columns[0].node) && columns[0].node.Op != sql.NullOp && x.node.Call.Distinct == nil {
		columns = nil
	}
	return columns, constants, nil
}

// literal reports whether e is a number, a string or NULL.
func literal(e *sql.Expr) bool {
	if e.Op == sql.NegOp {
		return e.Args[0].Op == sql.NumberOp
	}
	return e.Op == sql.NumberOp || e.Op == sql.StringOp || e.Op == sql.NullOp
}

func constant(e *sql.Expr) hashagg.Constant {
	switch e.Op {
	case sql.NegOp:
		return hashagg.Constant{Kind: hashagg.NumberConstant, Text: "-" + e.Args[0].Text}
	case sql.NumberOp:
		return hashagg.Constant{Kind: hashagg.NumberConstant, Text: e.Text}
	case sql.StringOp:
		return hashagg.Constant{Kind: hashagg.TextConstant, Text: e.Text}
	}
	return hashagg.Constant{Kind: hashagg.NullConstant}
}

// spellCall spells a call of columns, of which those of ORDER BY come last.
func spellCall(name string, columns []string, m hashagg.Modifiers) string {
	args, keys := slices.Clone(columns[:len(columns)-len(m.Order)]), columns[len(columns)-len(m.Order):]
	for _, c := range m.Constants {
		args = append(args, c.String())
	}
	if len(args) == 0 {
		args = []string{"*"}
	}
	var b strings.Builder
	b.WriteString(name + "(")
	if m.Distinct {
		b.WriteString("distinct ")
	}
	b.WriteString(strings.Join(args, ", "))
	for i, k := range keys {
		b.WriteString(map[bool]string{true: " order by ", false: ", "}[i == 0] + k + spellDirection(m.Order[i]))
	}
	return b.String() + ")"
}

// spellDirection spells what is not the default.
func spellDirection(d hashagg.Direction) string {
	out := ""
	if d.Desc {
		out = " desc"
	}
	switch {
	case d.NullsFirst && !d.Desc:
		out += " nulls first"
	case !d.NullsFirst && d.Desc:
		out += " nulls last"
	}
	return out
}

// bindError points at the part of the call that the error is about.
func bindError(x expression, constants []*sql.Expr, err error) error {
	e := badFragment(x.in, x.node.Start, "", "%w", err)
	var bind *hashagg.BindError
	if !errors.As(err, &bind) {
		return e
	}
	e.Hint = bind.Hint
	call := x.node.Call
	switch {
	case bind.Part == hashagg.PartDistinct && call.Distinct != nil:
		e.Offset = call.Distinct.Start
	case bind.Part == hashagg.PartOrder && len(call.Order) > 0:
		e.Offset = call.Order[0].Start
	case bind.Part == hashagg.PartConstant && bind.Index < len(constants):
		e.Offset = constants[bind.Index].Start
	}
	return e
}
