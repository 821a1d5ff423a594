package expr

import (
	"errors"
	"math"

	"github.com/colagg/colagg/vector"
)

// texts are byte strings, as pieces of one buffer: those of a column or of other
// texts where nothing must be copied, else their own.
type texts struct {
	data     []byte
	from, to []int32
	own      []byte  // what put has added
	spans    []int32 // memory of from and to
	long     bool    // there was no room
	f        *frame
}

var errLong = errors.New("the texts of one batch are longer than 2 GiB")

// at returns the text of row i.
func (t *texts) at(i uint32) []byte { return t.data[t.from[i]:t.to[i]] }

// begin empties the texts, for the rows of f.
func (t *texts) begin(f *frame) {
	t.spans = grow(f, t.spans, 2*f.n)
	t.from, t.to = t.spans[:f.n:f.n], t.spans[f.n:]
	t.own, t.data, t.long, t.f = t.own[:0], nil, false, f
}

// put copies s to row i.
func (t *texts) put(i uint32, s []byte) { t.end(i, append(t.start(i, len(s)), s...)) }

// start begins the text of row i, which is appended to what start returns, about n
// bytes, and ended by end.
func (t *texts) start(i uint32, n int) []byte {
	if n > math.MaxInt32-len(t.own) {
		t.long = true
		return nil
	}
	if cap(t.own)-len(t.own) < n {
		t.grow(n)
	}
	t.from[i] = int32(len(t.own))
	return t.own
}

func (t *texts) grow(n int) {
	before := cap(t.own)
	out := make([]byte, len(t.own), max(2*before, before+n, 1<<10))
	copy(out, t.own)
	t.own = out
	*t.f.held += int64(cap(out) - before)
}

func (t *texts) end(i uint32, out []byte) {
	if t.long || len(out) > math.MaxInt32 {
		t.long, t.from[i], t.to[i] = true, 0, 0
		return
	}
	*t.f.held += int64(cap(out) - cap(t.own))
	t.own, t.data, t.to[i] = out, out, int32(len(out))
}

// share takes the buffer of src, of which the texts are pieces.
func (t *texts) share(src *texts) { t.data = src.data }

// piece makes row i that of src from lo up to hi.
func (t *texts) piece(i uint32, src *texts, lo, hi int) {
	t.from[i], t.to[i] = src.from[i]+int32(lo), src.from[i]+int32(hi)
}

// fits returns an error if there was no room for some text.
func (t *texts) fits() error {
	if t.long {
		return errLong
	}
	return nil
}

// sameText is one text in every row.
type sameText struct {
	text string
	texts
}

func (s *sameText) values(f *frame, rows []uint32) (*texts, []uint32, error) {
	s.begin(f)
	s.own = append(s.own, s.text...)
	s.data = s.own
	clear(s.from)
	for i := range s.to {
		s.to[i] = int32(len(s.text))
	}
	return &s.texts, rows, nil
}

// textColumn reads a column of byte strings, of which nothing is copied.
type textColumn struct {
	col         int
	width       int // of a fixed size, else 0
	texts       texts
	some, valid []uint32
}

func (c *textColumn) values(f *frame, rows []uint32) (*texts, []uint32, error) {
	v := f.cols[c.col]
	t := &c.texts
	if v.Flat() {
		rows, err := f.present(c.col, rows, &c.some)
		if err != nil {
			return nil, nil, err
		}
		if c.width == 0 {
			t.data, t.from, t.to = v.Data, v.Offsets[:f.n], v.Offsets[1:f.n+1]
			return t, rows, nil
		}
		t.begin(f)
		t.data = v.Data
		for _, i := range rows {
			t.from[i], t.to[i] = int32(i)*int32(c.width), int32(i+1)*int32(c.width)
		}
		return t, rows, nil
	}
	if v.Valid != nil {
		c.some = grow(f, c.some, len(rows))
		rows = setBits(c.some, v.Valid, rows)
	}
	if v.Dict.Len == 0 {
		return t, nil, nil
	}
	if v.Dict.Valid != nil {
		c.valid = grow(f, c.valid, len(rows))
		rows = codedRows(c.valid, v, rows)
	}
	t.begin(f)
	t.data = v.Dict.Data
	c.pick(v, rows)
	return t, rows, nil
}

// codedRows puts the rows whose entries are not NULL into dst.
func codedRows(dst []uint32, v *vector.Vector, rows []uint32) []uint32 {
	n := 0
	for _, i := range rows {
		dst[n] = i
		if v.Dict.Valid.Get(v.Code(int(i))) {
			n++
		}
	}
	return dst[:n]
}

func (c *textColumn) pick(v *vector.Vector, rows []uint32) {
	t, d := &c.texts, v.Dict
	for _, i := range rows {
		code := v.Code(int(i))
		if c.width > 0 {
			t.from[i], t.to[i] = int32(code*c.width), int32((code+1)*c.width)
		} else {
			t.from[i], t.to[i] = d.Offsets[code], d.Offsets[code+1]
		}
	}
}
