package parquetio

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// doubled returns v with a row that does not count before each row, and the
// selection of those that do.
func doubled(t testing.TB, v *vector.Vector) (*vector.Vector, []uint32) {
	t.Helper()
	var twice, sel []uint32
	for i := range uint32(v.Len) {
		twice = append(twice, (i+1)%uint32(v.Len), i)
		sel = append(sel, 2*i+1)
	}
	out, err := vector.Gather(nil, v, twice)
	if err != nil {
		t.Fatal(err)
	}
	return out, sel
}

// typeForms returns the rows of the cases as batches of all forms.
func typeForms(t testing.TB, cases []typeCase) map[string]*vector.Batch {
	forms := make(map[string]*vector.Batch)
	for form, of := range map[string]func(*vector.Vector) (*vector.Vector, []uint32){
		"flat":           func(v *vector.Vector) (*vector.Vector, []uint32) { return v, nil },
		"coded":          func(v *vector.Vector) (*vector.Vector, []uint32) { return codedOf(t, v), nil },
		"selected":       func(v *vector.Vector) (*vector.Vector, []uint32) { return doubled(t, v) },
		"coded selected": func(v *vector.Vector) (*vector.Vector, []uint32) { return doubled(t, codedOf(t, v)) },
	} {
		b := &vector.Batch{}
		for _, c := range cases {
			v := flatOf(t, c.typ, c.values...)
			if c.typ.ID() != arrow.NULL {
				v, b.Sel = of(v)
			} else if b.Sel != nil {
				v = vector.NewNull(c.typ, 2*v.Len)
			}
			b.Cols, b.Len = append(b.Cols, v), v.Len
		}
		forms[form] = b
	}
	return forms
}

type edgeFile struct {
	schema  *arrow.Schema
	batches []*vector.Batch
	want    func(c typeCase) []string
}

// edgeFiles are files of no rows, of NULLs only, of constants, and of columns
// that are not nullable.
func edgeFiles(t testing.TB, cases []typeCase) map[string]edgeFile {
	s := schemaOf(cases)
	empty, nulls, constant, one := &vector.Batch{}, &vector.Batch{Len: 2}, &vector.Batch{Len: 2}, &vector.Batch{Len: 1}
	var required []arrow.Field
	for _, c := range cases {
		first, err := vector.Gather(nil, flatOf(t, c.typ, c.values...), []uint32{0})
		if err != nil {
			t.Fatal(err)
		}
		empty.Cols = append(empty.Cols, vector.New(c.typ, 0))
		nulls.Cols = append(nulls.Cols, vector.NewNull(c.typ, 2))
		constant.Cols = append(constant.Cols, &vector.Vector{Type: c.typ, Len: 2, Dict: first})
		one.Cols = append(one.Cols, first)
		required = append(required, arrow.Field{Name: c.name, Type: c.typ})
	}
	none := func(typeCase) []string { return nil }
	return map[string]edgeFile{
		"no batch":    {s, nil, none},
		"empty batch": {s, []*vector.Batch{empty, empty}, none},
		"nulls":       {s, []*vector.Batch{nulls, nulls}, func(typeCase) []string { return slices.Repeat([]string{"NULL"}, 4) }},
		"mixed":       {s, []*vector.Batch{nulls, empty, constant}, func(c typeCase) []string { return []string{"NULL", "NULL", c.want[0], c.want[0]} }},
		"required":    {arrow.NewSchema(required, nil), []*vector.Batch{one}, func(c typeCase) []string { return c.want[:1] }},
	}
}
