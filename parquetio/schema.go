package parquetio

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// Column is a leaf of a file's schema.
type Column struct {
	Path     []string       // names from the root, e.g. ["a", "b"]
	Type     arrow.DataType // nil if colagg cannot read the column
	Nullable bool           // some field on the path is optional
	Repeated bool           // below a repeated field: cannot be queried
	Physical string         // e.g. "INT64", "FIXED_LEN_BYTE_ARRAY(16)"
	Logical  string         // e.g. "DECIMAL(10,2)", "TIMESTAMP(us,UTC)"; "" if there is none
	Problem  string         // why Type is nil
	// Container is "list" or "map" where Repeated, by the outermost of them,
	// which the first Depth names of Path lead to; else it is "".
	Container string
	Depth     int

	leaf leaf
}

// Name returns the path joined by dots.
func (c Column) Name() string { return strings.Join(c.Path, ".") }

// leaf is how a column's values are stored.
type leaf struct {
	physical int8
	width    int // bytes of a stored value; 0 for BOOLEAN and BYTE_ARRAY
	maxDef   int // definition level of a value that is there
	unsigned bool
	convert  converter // nil: stored as in Arrow
}

// maxSchemaDepth bounds the nesting of groups.
const maxSchemaDepth = 1000

// Repetition types of the format.
const (
	repetitionRequired = 0
	repetitionOptional = 1
	repetitionRepeated = 2
)

// openGroup is a group of which children are still to come.
type openGroup struct {
	left     int32
	maxDef   int
	nullable bool
	repeated bool
	// container is the outermost list or map, of which depth names are the
	// path; "" is none. One without a repeated field in it is none.
	container string
	depth     int
}

// enter notes that a field is a list or a map, unless one is around it.
func (g *openGroup) enter(e *schemaElement, depth int) {
	if g.container != "" {
		return
	}
	switch id := annotation(e).id; {
	case id == logicalMap:
		g.container, g.depth = "map", depth
	case id == logicalList || e.repetition == repetitionRepeated:
		g.container, g.depth = "list", depth
	}
}

var errSchema = errors.New("the schema's tree is broken")

// leaves flattens the schema, which is a tree written depth first, into its
// leaves. The root's name and repetition mean nothing.
func leaves(schema []schemaElement) ([]Column, error) {
	if len(schema) == 0 {
		return nil, errors.New("there is no schema")
	}
	if schema[0].children < 0 || int(schema[0].children) > len(schema)-1 {
		return nil, errSchema
	}
	stack := []openGroup{{left: schema[0].children}}
	var path []string
	cols := make([]Column, 0, len(schema)-1)
	for i := 1; i < len(schema); i++ {
		e := &schema[i]
		for stack[len(stack)-1].left == 0 {
			if len(stack) == 1 {
				return nil, errSchema
			}
			stack, path = stack[:len(stack)-1], path[:len(path)-1]
		}
		top := &stack[len(stack)-1]
		top.left--
		g := *top
		g.enter(e, len(path)+1)
		switch e.repetition {
		case repetitionOptional:
			g.maxDef++
			g.nullable = true
		case repetitionRepeated:
			g.maxDef++
			g.repeated = true
		}
		if e.physical >= 0 && e.children == 0 {
			cols = append(cols, newColumn(e, append(slices.Clone(path), e.name), g))
			continue
		}
		if e.children < 0 || int(e.children) > len(schema)-1-i || len(stack) > maxSchemaDepth {
			return nil, errSchema
		}
		g.left = e.children
		stack, path = append(stack, g), append(path, e.name)
	}
	for _, g := range stack {
		if g.left != 0 {
			return nil, errSchema
		}
	}
	return cols, nil
}

func newColumn(e *schemaElement, path []string, g openGroup) Column {
	c := Column{Path: path, Nullable: g.nullable || g.repeated, Repeated: g.repeated}
	if c.Repeated {
		c.Container, c.Depth = g.container, g.depth
	}
	c.leaf.physical, c.leaf.maxDef = e.physical, g.maxDef
	c.Physical = physicalName(e)
	c.Logical = logicalName(e)
	if err := c.assign(e); err != nil {
		c.Type, c.Problem = nil, err.Error()
	}
	return c
}

func physicalName(e *schemaElement) string {
	switch {
	case e.physical == physicalFixed:
		return fmt.Sprintf("FIXED_LEN_BYTE_ARRAY(%d)", e.length)
	case int(e.physical) < len(physicalNames):
		return physicalNames[e.physical]
	}
	return fmt.Sprintf("type %d", e.physical)
}
