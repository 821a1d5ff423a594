package expr

// logic is a bound condition. negate gives what is true where it is false, and
// NULL where it is NULL; build makes the test of one stream.
type logic interface {
	negate() logic
	build(c *compiler) test
	columns(list []int) []int
}

// truth is a constant: true, false or NULL.
type truth uint8

const (
	isFalse truth = iota
	isTrue
	isNull
)

func (t truth) negate() logic {
	switch t {
	case isTrue:
		return isFalse
	case isFalse:
		return isTrue
	}
	return isNull
}

func (t truth) columns(list []int) []int { return list }

type all []logic // AND
type some []logic

// conjunction and disjunction leave out what is known.
func conjunction(terms ...logic) logic {
	out := all{}
	for _, t := range terms {
		switch t {
		case isTrue:
			continue
		case isFalse:
			return isFalse
		}
		out = append(out, t)
	}
	switch len(out) {
	case 0:
		return isTrue
	case 1:
		return out[0]
	}
	return out
}

func disjunction(terms ...logic) logic {
	out := some{}
	for _, t := range terms {
		switch t {
		case isFalse:
			continue
		case isTrue:
			return isTrue
		}
		out = append(out, t)
	}
	switch len(out) {
	case 0:
		return isFalse
	case 1:
		return out[0]
	}
	return out
}

func (a all) negate() logic  { return disjunction(negated(a)...) }
func (s some) negate() logic { return conjunction(negated(s)...) }

func negated(list []logic) []logic {
	out := make([]logic, len(list))
	for i, l := range list {
		out[i] = l.negate()
	}
	return out
}

func (a all) columns(list []int) []int  { return columnsOf(a, list) }
func (s some) columns(list []int) []int { return columnsOf(s, list) }

func columnsOf(terms []logic, list []int) []int {
	for _, t := range terms {
		list = t.columns(list)
	}
	return list
}

// holds is true where of is, and otherwise false: IS TRUE. fails is the
// opposite: IS NOT TRUE.
type holds struct{ of logic }
type fails struct{ of logic }

func (h holds) negate() logic            { return fails(h) }
func (f fails) negate() logic            { return holds(f) }
func (h holds) columns(list []int) []int { return h.of.columns(list) }
func (f fails) columns(list []int) []int { return f.of.columns(list) }

// known is true where of is true or false, and NULL elsewhere.
func known(of logic) logic { return disjunction(of, of.negate()) }

// boolColumn is a boolean column, or its negation.
type boolColumn struct {
	col  int
	want bool
}

func (b boolColumn) negate() logic            { return boolColumn{b.col, !b.want} }
func (b boolColumn) columns(list []int) []int { return addColumn(list, b.col) }

// missing is true where v is NULL; present where it is not. Values are computed,
// so that what cannot be computed is an error.
type missing struct{ v *value }
type present struct{ v *value }

func (m missing) negate() logic            { return present(m) }
func (p present) negate() logic            { return missing(p) }
func (m missing) columns(list []int) []int { return m.v.columns(list) }
func (p present) columns(list []int) []int { return p.v.columns(list) }

// relation is a comparison.
type relation uint8

const (
	equal relation = iota
	notEqual
	less
	lessEqual
	greaterEqual
	greater
)

func (r relation) negate() relation {
	return [...]relation{notEqual, equal, greaterEqual, greater, less, lessEqual}[r]
}

// swap is the relation of the operands the other way round.
func (r relation) swap() relation {
	return [...]relation{equal, notEqual, greater, greaterEqual, lessEqual, less}[r]
}

// of reports whether r holds for operands that compare as c: below, at or above
// 0.
func (r relation) of(c int) bool {
	switch r {
	case equal:
		return c == 0
	case notEqual:
		return c != 0
	case less:
		return c < 0
	case lessEqual:
		return c <= 0
	case greaterEqual:
		return c >= 0
	}
	return c > 0
}

// compared compares two values; a constant is the right one.
type compared struct {
	rel         relation
	left, right *value
}

func (c compared) negate() logic            { return compared{c.rel.negate(), c.left, c.right} }
func (c compared) columns(list []int) []int { return c.right.columns(c.left.columns(list)) }

// comparedTruths compares two conditions: false is below true.
type comparedTruths struct {
	rel         relation
	left, right logic
}

func (c comparedTruths) negate() logic { return comparedTruths{c.rel.negate(), c.left, c.right} }
func (c comparedTruths) columns(list []int) []int {
	return c.right.columns(c.left.columns(list))
}

// spelled is the same in terms of AND, OR and NOT, with the same true set.
func (c comparedTruths) spelled() logic {
	p, q := c.left, c.right
	notP, notQ := p.negate(), q.negate()
	switch c.rel {
	case equal:
		return disjunction(conjunction(p, q), conjunction(notP, notQ))
	case notEqual:
		return disjunction(conjunction(p, notQ), conjunction(notP, q))
	case less:
		return conjunction(notP, q)
	case lessEqual:
		return disjunction(conjunction(notP, known(q)), conjunction(p, q))
	case greaterEqual:
		return disjunction(conjunction(p, known(q)), conjunction(notP, notQ))
	}
	return conjunction(p, notQ)
}

// among is true where a value is one of a set: of integers, dates and times in
// their unit, of floats as orderedFloat has them, of decimals, or of texts.
type among struct {
	v     *value
	ints  map[int64]struct{}
	wides map[int128]struct{}
	texts map[string]struct{} // nil if there are integers
	want  bool
}

func (a among) negate() logic            { a.want = !a.want; return a }
func (a among) columns(list []int) []int { return a.v.columns(list) }

// matches is LIKE with a pattern, or a regular expression.
type matches struct {
	v       *value
	pattern *pattern // of LIKE, else nil
	match   func([]byte) bool
	want    bool
}

func (m matches) negate() logic            { m.want = !m.want; return m }
func (m matches) columns(list []int) []int { return m.v.columns(list) }

// computed is a boolean that is computed as a value, or its negation.
type computed struct {
	v    *value
	want bool
}

func (c computed) negate() logic            { return computed{c.v, !c.want} }
func (c computed) columns(list []int) []int { return c.v.columns(list) }
