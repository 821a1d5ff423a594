package expr

import "bytes"

// textTest compares a column of byte strings with a constant.
type textTest struct {
	cols     []int
	col      int
	rel      relation
	with     []byte
	buf, out []uint32
}

func (t *textTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.cols, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	v, err := f.flat(t.col)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	n, want := 0, t.rel == equal
	if t.rel == equal || t.rel == notEqual {
		for _, i := range rows {
			t.out[n] = i
			if bytes.Equal(v.Data[v.Offsets[i]:v.Offsets[i+1]], t.with) == want {
				n++
			}
		}
		return t.out[:n], nil
	}
	keeps := t.rel.keeps()
	for _, i := range rows {
		t.out[n] = i
		n += int(keeps >> (bytes.Compare(v.Data[v.Offsets[i]:v.Offsets[i+1]], t.with) + 1) & 1)
	}
	return t.out[:n], nil
}

// textsTest compares two columns of byte strings.
type textsTest struct {
	cols        []int
	left, right int
	rel         relation
	buf, out    []uint32
}

func (t *textsTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.cols, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	a, err := f.flat(t.left)
	if err != nil {
		return nil, err
	}
	b, err := f.flat(t.right)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	n, keeps := 0, t.rel.keeps()
	for _, i := range rows {
		t.out[n] = i
		c := bytes.Compare(a.Data[a.Offsets[i]:a.Offsets[i+1]], b.Data[b.Offsets[i]:b.Offsets[i+1]])
		n += int(keeps >> (c + 1) & 1)
	}
	return t.out[:n], nil
}
