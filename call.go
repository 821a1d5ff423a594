package colagg

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
)

// findFunc finds a column of the table.
type findFunc func(fragment string, ref sql.Column) (int, error)

// boundCall is a call whose names are resolved.
type boundCall struct {
	agg  *hashagg.Aggregate
	args []int  // columns of the table
	text string // spells it, whatever its case and spaces were
}

// bind resolves the names in a call.
func bind(a located[sql.Aggregate], cols []column, find findFunc) (boundCall, error) {
	name := strings.ToLower(a.node.Func.Text)
	if len(a.node.Args) == 0 && name != "count" && slices.Contains(hashagg.Names(), name) {
		return boundCall{}, badFragment(a.fragment, a.node.Start, fmt.Sprintf("name one, as in %s(x)", name), "%s needs a column", name)
	}
	var (
		call  boundCall
		types []arrow.DataType
		shown []string
	)
	for _, ref := range callColumns(a.node) {
		c, err := find(a.fragment, ref)
		if err != nil {
			return call, err
		}
		call.args = append(call.args, c)
		types = append(types, cols[c].typ)
		shown = append(shown, strings.Join(cols[c].path, "."))
	}
	n := len(a.node.Args)
	for i, k := range a.node.Order {
		if a.node.Distinct != nil && !slices.Contains(call.args[:n], call.args[n+i]) {
			return call, badFragment(a.fragment, k.Start, "order by its arguments", "%s with DISTINCT cannot be ordered by %s, which it does not take", name, k.Column)
		}
	}
	m := modifiers(a.node)
	call.text = spellCall(name, shown, m)
	var err error
	if call.agg, err = hashagg.Bind(name, types, m); err != nil {
		return call, bindError(a, err)
	}
	call.args = call.args[:len(call.agg.Args)]
	return call, nil
}

// callColumns lists the arguments and the ORDER BY columns.
func callColumns(a sql.Aggregate) []sql.Column {
	out := slices.Clone(a.Args)
	for _, k := range a.Order {
		out = append(out, k.Column)
	}
	return out
}

var constantKinds = map[sql.ConstantKind]hashagg.ConstantKind{
	sql.Null: hashagg.NullConstant, sql.Number: hashagg.NumberConstant, sql.String: hashagg.TextConstant,
}

func modifiers(a sql.Aggregate) hashagg.Modifiers {
	m := hashagg.Modifiers{Distinct: a.Distinct != nil}
	for _, k := range a.Order {
		m.Order = append(m.Order, hashagg.Direction(k.Direction))
	}
	for _, c := range a.Constants {
		m.Constants = append(m.Constants, hashagg.Constant{Kind: constantKinds[c.Kind], Text: c.Text})
	}
	return m
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

// add makes a bound call one of the query's.
func (p *resolved) add(c boundCall, alias *sql.Name, used map[string]bool) {
	call := hashagg.Call{Agg: c.agg}
	for _, a := range c.args {
		call.Args = append(call.Args, p.read(a))
	}
	if alias != nil {
		call.Name = unique(used, alias.Text)
		p.texts[call.Name] = c.text
	} else {
		call.Name = unique(used, c.text)
	}
	p.calls, p.callTexts = append(p.calls, call), append(p.callTexts, c.text)
}

// bindError points at the part of the call that the error is about.
func bindError(a located[sql.Aggregate], err error) error {
	e := badFragment(a.fragment, a.node.Start, "", "%w", err)
	var bind *hashagg.BindError
	if !errors.As(err, &bind) {
		return e
	}
	e.Hint = bind.Hint
	switch {
	case bind.Part == hashagg.PartDistinct && a.node.Distinct != nil:
		e.Offset = a.node.Distinct.Start
	case bind.Part == hashagg.PartOrder && len(a.node.Order) > 0:
		e.Offset = a.node.Order[0].Start
	case bind.Part == hashagg.PartConstant && bind.Index < len(a.node.Constants):
		e.Offset = a.node.Constants[bind.Index].Start
	}
	return e
}
