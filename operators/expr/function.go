package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
)

// function is a row of the table of functions. bind makes its value of arguments
// that are bound; a constant NULL among them makes NULL of it before, unless nulls
// is set. A NULL in a row makes that row NULL, which the sources of arguments see
// to: bind has nothing to do for it.
type function struct {
	name, args  string // as documented
	about       string // in one line
	least, most int    // arguments; most below 0 is any number
	bind        bindFunc
	nulls       bool
}

type bindFunc func(b *binder, e *sql.Expr, args []*value) (*value, error)

// category is a part of the table of functions.
type category struct {
	name string
	rows []function
}

// categories are all functions.
var categories = []category{
	{"Numbers", numberFunctions},
	{"Strings", textFunctions},
	{"Patterns", patternFunctions},
	{"Dates and times", dateFunctions},
	{"Any type", anyFunctions},
}

// functions are all, by their names.
var functions map[string]function

func init() {
	functions = map[string]function{}
	for _, c := range categories {
		for _, f := range c.rows {
			for _, name := range strings.Split(f.name, ", ") {
				functions[name] = f
			}
		}
	}
	for name, f := range symbols {
		functions[name] = f
	}
}

// Functions returns the names of all functions in their order.
func Functions() []string {
	var names []string
	for name := range functions {
		if _, ok := symbols[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// HasFunction reports whether there is a function of that name, whose case does
// not matter.
func HasFunction(name string) bool {
	name = strings.ToLower(name)
	_, ok := functions[name]
	_, symbol := symbols[name]
	return ok && !symbol
}

// operatorFunctions are the operators that are functions.
var operatorFunctions = map[sql.Op]string{sql.PowerOp: "^", sql.ConcatOp: "||", sql.BitAndOp: "&", sql.BitOrOp: "|", sql.BitXorOp: "#",
	sql.ShiftLeftOp: "<<", sql.ShiftRightOp: ">>", sql.BitNotOp: "~"}

// arguments says how many there are.
func (f function) arguments() string {
	switch {
	case f.most < 0:
		return fmt.Sprintf("%d arguments or more", f.least)
	case f.least < f.most:
		return fmt.Sprintf("%d to %d arguments", f.least, f.most)
	case f.least == 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", f.least)
}

// call binds a call of a function.
func (b *binder) call(e *sql.Expr) (*value, error) {
	name := strings.ToLower(e.Call.Func.Text)
	f, ok := functions[name]
	if _, op := symbols[name]; !ok || op {
		return nil, bad(e, nearestFunction(name), "there is no function %s", name)
	}
	if c := e.Call; c.Star || c.Distinct != nil || c.Order != nil || c.Filter != nil {
		return nil, bad(e, "", "%s takes plain arguments only", name)
	}
	if n := len(e.Args); n < f.least || n > f.most && f.most >= 0 {
		return nil, bad(e, "", "%s takes %s, not %d", name, f.arguments(), n)
	}
	return b.form(e, f, e.Args...)
}

// nearestFunction is a hint: the functions whose names begin alike.
func nearestFunction(name string) string {
	var near []string
	for _, f := range Functions() {
		if len(name) > 2 && (strings.Contains(f, name) || strings.Contains(name, f) || strings.HasPrefix(f, name[:3])) {
			near = append(near, f)
		}
	}
	if len(near) == 0 || len(near) > 8 {
		return "docs/language.md lists the functions"
	}
	return "there is " + strings.Join(near, ", ")
}

// form binds what is written as a call or has a form of its own.
func (b *binder) form(e *sql.Expr, f function, operands ...*sql.Expr) (*value, error) {
	var args []*value
	for _, a := range operands {
		v, err := b.value(a)
		if err != nil {
			return nil, err
		}
		if v.class == otherClass {
			return nil, bad(a, "IS NULL works for every type", "values of type %s cannot be computed with", v.name)
		}
		args = append(args, v)
	}
	if !f.nulls && slices.ContainsFunc(args, func(v *value) bool { return v.class == nullClass }) {
		return nullValue(e), nil
	}
	v, err := f.bind(b, e, args)
	if err != nil {
		return nil, err
	}
	return b.settled(v)
}

// kind is what an argument may be.
type kind uint8

const (
	textual kind = iota // strings
	whole               // integers, in 64 bits
	decimal             // integers and decimals, in 128 bits
	numeric             // all numbers, as float64
	boolean
)

// takes reports whether v may be an argument of the kind.
func (k kind) takes(v *value) bool {
	switch k {
	case textual:
		return v.class == textClass && v.arrowType().ID() == arrow.STRING
	case whole:
		return v.class == intClass
	case decimal:
		return v.class == intClass || v.class == decClass
	case numeric:
		return v.class.number()
	}
	return v.class == boolClass
}

func (k kind) String() string {
	return [...]string{"a string", "an integer", "an integer or decimal", "a number", "a boolean"}[k]
}

// overload is one of the ways to call a function: for arguments of these kinds it
// makes sources of the class of its result.
type overload struct {
	takes  []kind
	result class
	build  func(c *compiler, v *value) any
	typed  func(v *value) error // changes the result's type, or refuses constants; may be nil
}

// overloads binds the first that takes the arguments.
func overloads(list ...overload) bindFunc {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		for _, o := range list {
			if !o.fits(args) {
				continue
			}
			v := &value{class: o.result, node: e, col: -1, args: args}
			if o.typed != nil {
				if err := o.typed(v); err != nil {
					return nil, err
				}
			}
			v.name = v.arrowType().String()
			v.made.build = func(c *compiler) any { return o.build(c, v) }
			return v, nil
		}
		return nil, b.refused(e, list, args)
	}
}

func (o overload) fits(args []*value) bool {
	if len(args) != len(o.takes) {
		return false
	}
	for i, a := range args {
		if !o.takes[i].takes(a) {
			return false
		}
	}
	return true
}

// refused says which argument is not as it should be.
func (b *binder) refused(e *sql.Expr, list []overload, args []*value) error {
	last := list[len(list)-1]
	for _, o := range list {
		if len(o.takes) == len(args) {
			last = o
		}
	}
	name := "this"
	if e.Call != nil {
		name = strings.ToLower(e.Call.Func.Text)
	} else if op, ok := operatorFunctions[e.Op]; ok {
		name = op
	}
	for i, a := range args {
		if k := last.takes[min(i, len(last.takes)-1)]; !k.takes(a) {
			return bad(a.node, "", "%s takes %s, and %s is a %s", name, k, b.spell(a.node), a.name)
		}
	}
	return bad(e, "", "%s does not take these arguments", name)
}

// Loops of functions, by the number of their arguments. Those that may fail are
// made with their errors.

func of1[A, B any](loop func(dst B, a A, rows []uint32) error) func(*compiler, *value) any {
	return func(c *compiler, v *value) any {
		return &unary[A, B]{of: sourceOf[A](c, v.args[0]), loop: loop}
	}
}

func of2[A, B, C any](loop func(dst C, a A, b B, rows []uint32) error) func(*compiler, *value) any {
	return func(c *compiler, v *value) any {
		return &binary[A, B, C]{left: sourceOf[A](c, v.args[0]), right: sourceOf[B](c, v.args[1]), loop: loop}
	}
}

func of3[A, B, C, D any](loop func(dst D, a A, b B, c C, rows []uint32) error) func(*compiler, *value) any {
	return func(c *compiler, v *value) any {
		return &ternary[A, B, C, D]{first: sourceOf[A](c, v.args[0]), second: sourceOf[B](c, v.args[1]), third: sourceOf[C](c, v.args[2]), loop: loop}
	}
}

func fail1[A, B any](make func(over *Error) func(dst B, a A, rows []uint32) error) func(*compiler, *value) any {
	return func(c *compiler, v *value) any { return of1(make(c.failure(v, false)))(c, v) }
}

func fail2[A, B, C any](make func(over *Error) func(dst C, a A, b B, rows []uint32) error) func(*compiler, *value) any {
	return func(c *compiler, v *value) any { return of2(make(c.failure(v, false)))(c, v) }
}
