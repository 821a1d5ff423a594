package parquetio

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/colagg/colagg/vector"
)

// The names of the inner levels of a list that the format prescribes.
const (
	listLevel    = "list"
	elementLevel = "element"
)

// valueType returns the type of the values of a column: of the elements, if
// they are lists.
func valueType(t arrow.DataType) arrow.DataType {
	if vector.IsList(t) {
		return vector.Elem(t)
	}
	return t
}

func elementPath(column string) parquet.ColumnPath {
	return parquet.ColumnPath{column, listLevel, elementLevel}
}

// listNode returns the node of a column of lists:
// rep group <name> (LIST) { repeated group list { optional <type> element } }.
func listNode(f arrow.Field, rep parquet.Repetition) (schema.Node, error) {
	element, err := valueNode(arrow.Field{Name: elementLevel, Type: vector.Elem(f.Type)}, parquet.Repetitions.Optional)
	if err != nil {
		return nil, err
	}
	list, err := schema.NewGroupNode(listLevel, parquet.Repetitions.Repeated, schema.FieldList{element}, -1)
	if err != nil {
		return nil, err
	}
	return schema.NewGroupNodeLogical(f.Name, rep, schema.FieldList{list}, schema.NewListLogicalType(), -1)
}

// listSize returns the bytes of the values of row i of lists, at least one for
// each element.
func listSize(v *vector.Vector, i int) int {
	if v.IsNull(i) {
		return 0
	}
	if v.Dict != nil {
		i, v = v.Code(i), v.Dict
	}
	lo, hi := v.Offsets[i], v.Offsets[i+1]
	n := int(hi-lo) * max(1, vector.Width(v.Child.Type))
	if vector.IsBytes(v.Child.Type) {
		n += int(v.Child.Offsets[hi] - v.Child.Offsets[lo])
	}
	return n
}

// writeLists is write of a column of lists. The library gets a piece of the
// elements at a time, however long a list is.
func (c *outColumn) writeLists(cw file.ColumnChunkWriter, v *vector.Vector, rows []uint32) error {
	flat := v
	if v.Dict != nil {
		flat = v.Dict
	}
	c.at, c.levels = c.at[:0], levelPair{c.levels.def[:0], c.levels.rep[:0]}
	there := int16(0) // the level of a list that is not NULL
	if isOptional(c.field) {
		there = 1
	}
	size := 0
	for _, r := range rows {
		i := int(r)
		if v.IsNull(i) {
			if there == 0 {
				return errNull
			}
			c.level(0, 0)
			continue
		}
		if v.Dict != nil {
			i = v.Code(i)
		}
		lo, hi := flat.Offsets[i], flat.Offsets[i+1]
		if lo == hi {
			c.level(there, 0)
		}
		for k := lo; k < hi; k++ {
			n := elementSize(flat.Child, int(k))
			if len(c.levels.def) >= pieceRows || size > 0 && size+n > pieceBytes {
				if err := c.flushLists(cw, flat.Child); err != nil {
					return err
				}
				size = 0
			}
			size += n
			c.element(flat.Child, k, there, int16(min(k-lo, 1)))
		}
	}
	return c.flushLists(cw, flat.Child)
}

// element adds element k of a list; rep is 0 for the first of a row, else 1.
func (c *outColumn) element(child *vector.Vector, k int32, there, rep int16) {
	if child.IsNull(int(k)) {
		c.level(there+1, rep)
		return
	}
	c.level(there+2, rep)
	c.at = append(c.at, uint32(k))
}

func (c *outColumn) level(def, rep int16) {
	c.levels.def, c.levels.rep = append(c.levels.def, def), append(c.levels.rep, rep)
}

func elementSize(child *vector.Vector, k int) int {
	if vector.IsBytes(child.Type) {
		return len(child.Bytes(k))
	}
	return max(1, vector.Width(child.Type))
}

func (c *outColumn) flushLists(cw file.ColumnChunkWriter, child *vector.Vector) error {
	if len(c.levels.def) == 0 {
		return nil
	}
	err := c.encode(cw, child, c.at, c.levels)
	c.at, c.levels = c.at[:0], levelPair{c.levels.def[:0], c.levels.rep[:0]}
	return err
}
