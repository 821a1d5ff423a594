package expr

// fewEntries is up to how many entries of a list are looked through one by one:
// a look into the map takes about as long as that many comparisons.
const fewEntries = 8

func (a among) build(c *compiler) test {
	cols := a.v.columns(nil)
	if a.texts != nil {
		return &textSetTest{cols: cols, col: a.v.col, set: a.texts, want: a.want}
	}
	t := &intSetTest{cols: cols, of: c.ints(a.v), set: a.ints, want: a.want}
	if len(a.ints) <= fewEntries {
		t.few = []int64{}
		for x := range a.ints {
			t.few = append(t.few, x)
		}
	}
	return t
}

type intSetTest struct {
	cols     []int
	of       vec[int64]
	set      map[int64]struct{}
	few      []int64 // not nil if they are looked through
	want     bool
	buf, out []uint32
}

func (t *intSetTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.cols, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	v, err := t.of.values(f, rows)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	n := 0
	for _, i := range rows {
		t.out[n] = i
		found := false
		if t.few != nil {
			for _, x := range t.few {
				found = found || x == v[i]
			}
		} else {
			_, found = t.set[v[i]]
		}
		if found == t.want {
			n++
		}
	}
	return t.out[:n], nil
}

type textSetTest struct {
	cols     []int
	col      int
	set      map[string]struct{}
	want     bool
	buf, out []uint32
}

func (t *textSetTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.cols, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	v, err := f.flat(t.col)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	n := 0
	for _, i := range rows {
		t.out[n] = i
		if _, found := t.set[string(v.Data[v.Offsets[i]:v.Offsets[i+1]])]; found == t.want {
			n++
		}
	}
	return t.out[:n], nil
}
