package expr

import (
	"github.com/colagg/colagg/vector"
)

// test computes a true set.
type test interface {
	// rows returns those of rows, in their order, for which the test is true:
	// rows itself, or memory of the test that its next call writes over.
	rows(f *frame, rows []uint32) ([]uint32, error)
}

// maxTests bounds what a condition becomes.
const maxTests = 1 << 14

// compiler makes the tests of one stream.
type compiler struct {
	text  string // of the condition
	coded bool   // a test per dictionary is around
	tests int
	held  int64 // bytes of buffers
}

// compile makes the test of l: through the dictionary, where l is of one column.
// It is nil where there are too many.
func compile(c *compiler, l logic) test {
	if c.tests++; c.tests > maxTests {
		return nil
	}
	cols := l.columns(nil)
	if c.coded || len(cols) != 1 {
		return l.build(c)
	}
	c.coded = true
	defer func() { c.coded = false }()
	return &dictionaryTest{col: cols[0], of: l.build(c), own: frame{held: &c.held}}
}

func compileAll(c *compiler, terms []logic) []test {
	out := make([]test, len(terms))
	for i, t := range terms {
		out[i] = compile(c, t)
	}
	return out
}

func (t truth) build(*compiler) test { return constantTest{t == isTrue} }

type constantTest struct{ yes bool }

func (t constantTest) rows(_ *frame, rows []uint32) ([]uint32, error) {
	if t.yes {
		return rows, nil
	}
	return nil, nil
}

func (a all) build(c *compiler) test { return allTest(compileAll(c, a)) }

type allTest []test

func (t allTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	var err error
	for _, term := range t {
		if len(rows) == 0 {
			break
		}
		if rows, err = term.rows(f, rows); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (s some) build(c *compiler) test { return &someTest{terms: compileAll(c, s)} }

type someTest struct {
	terms     []test
	marks     marks
	rest, out []uint32
}

func (t *someTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	t.marks.begin(f)
	rest := rows
	for _, term := range t.terms {
		if len(rest) == 0 {
			break
		}
		found, err := term.rows(f, rest)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		t.marks.set(found)
		t.rest = grow(f, t.rest, len(rest))
		rest = t.marks.without(t.rest, rest)
	}
	t.out = grow(f, t.out, len(rows))
	return t.marks.with(t.out, rows), nil
}

// marks is a set of rows.
type marks []byte

func (m *marks) begin(f *frame) {
	*m = grow(f, *m, f.n)
	clear(*m)
}

func (m marks) set(rows []uint32) {
	for _, i := range rows {
		m[i] = 1
	}
}

func (m marks) with(dst, rows []uint32) []uint32 {
	n := 0
	for _, i := range rows {
		dst[n] = i
		n += int(m[i])
	}
	return dst[:n]
}

func (m marks) without(dst, rows []uint32) []uint32 {
	n := 0
	for _, i := range rows {
		dst[n] = i
		n += int(1 - m[i])
	}
	return dst[:n]
}

func (h holds) build(c *compiler) test { return compile(c, h.of) }

func (l fails) build(c *compiler) test { return &failsTest{of: compile(c, l.of)} }

type failsTest struct {
	of    test
	marks marks
	out   []uint32
}

func (t *failsTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	found, err := t.of.rows(f, rows)
	if err != nil || len(found) == 0 {
		return rows, err
	}
	t.marks.begin(f)
	t.marks.set(found)
	t.out = grow(f, t.out, len(rows))
	return t.marks.without(t.out, rows), nil
}

func (b boolColumn) build(*compiler) test { return &boolTest{boolColumn: b} }

type boolTest struct {
	boolColumn
	buf, out []uint32
}

func (t *boolTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.col, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	v, err := f.flat(t.col)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	if t.want {
		return setBits(t.out, v.Data, rows), nil
	}
	return clearBits(t.out, v.Data, rows), nil
}

func (t computed) build(c *compiler) test {
	return &oneTest[[]bool]{of: c.truths(t.v), keep: func(dst []uint32, v []bool, rows []uint32) []uint32 {
		n := 0
		for _, i := range rows {
			dst[n] = i
			if v[i] == t.want {
				n++
			}
		}
		return dst[:n]
	}}
}

func (m missing) build(c *compiler) test { return compile(c, fails{holds{present(m)}}) }

func (p present) build(c *compiler) test {
	if p.v.col >= 0 {
		return &columnTest{col: p.v.col}
	}
	return presentTest{c.evaluation(p.v)}
}

// columnTest is true where a column has a value.
type columnTest struct {
	col int
	buf []uint32
}

func (t *columnTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	return f.present(t.col, rows, &t.buf)
}

// presentTest is true where there is a value, which is computed.
type presentTest struct {
	of func(*frame, []uint32) ([]uint32, error)
}

func (t presentTest) rows(f *frame, rows []uint32) ([]uint32, error) { return t.of(f, rows) }

func (c comparedTruths) build(k *compiler) test { return compile(k, c.spelled()) }

// dictionaryTest is a test of one column, which is done per entry of a
// dictionary where there is one.
type dictionaryTest struct {
	col   int
	of    test
	own   frame
	id    uint64 // of the dictionary that yes is of; 0 is none
	fails uint64 // the last one with an entry that made the test fail
	ids   []uint32
	yes   []byte // for each entry, and then for NULL
	out   []uint32
	shown []*vector.Vector
}

func (t *dictionaryTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	v := f.cols[t.col]
	if v.Flat() || v.Dict.ID == 0 && v.Dict.Len > len(rows) || v.Dict.ID != 0 && v.Dict.ID == t.fails || len(rows) == 0 {
		return t.of.rows(f, rows)
	}
	if v.Dict.ID == 0 || v.Dict.ID != t.id {
		if !t.look(f, v.Dict) {
			t.fails = v.Dict.ID
			return t.of.rows(f, rows)
		}
	}
	t.out = grow(f, t.out, len(rows))
	out, n := t.out, 0
	null := t.yes[v.Dict.Len]
	switch {
	case v.Codes == nil && v.Valid == nil:
		if t.yes[0] == 0 {
			return nil, nil
		}
		return rows, nil
	case v.Codes == nil:
		for _, i := range rows {
			out[n] = i
			if v.Valid.Get(int(i)) {
				n += int(t.yes[0])
			} else {
				n += int(null)
			}
		}
	case v.Valid == nil:
		for _, i := range rows {
			out[n] = i
			n += int(t.yes[v.Codes[i]])
		}
	default:
		for _, i := range rows {
			out[n] = i
			if v.Valid.Get(int(i)) {
				n += int(t.yes[v.Codes[i]])
			} else {
				n += int(null)
			}
		}
	}
	return out[:n], nil
}

// look tests the entries of dict; false is that one made the test fail, which no
// row may have.
func (t *dictionaryTest) look(f *frame, dict *vector.Vector) bool {
	t.id = 0
	t.shown = grow(f, t.shown, len(f.cols))
	clear(t.shown)
	t.yes = grow(f, t.yes, dict.Len+1)
	clear(t.yes)
	t.ids = grow(f, t.ids, max(1, dict.Len))
	for i := range t.ids {
		t.ids[i] = uint32(i)
	}
	t.shown[t.col] = dict
	t.own.reset(t.shown, dict.Len)
	found, err := t.of.rows(&t.own, t.ids[:dict.Len])
	if err != nil {
		return false
	}
	marks(t.yes).set(found)
	t.shown[t.col] = vector.NewNull(dict.Type, 1)
	t.own.reset(t.shown, 1)
	if found, err = t.of.rows(&t.own, t.ids[:1]); err != nil {
		return false
	}
	t.yes[dict.Len] = byte(len(found))
	t.id = dict.ID
	return true
}
