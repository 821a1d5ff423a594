package parquetio

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// matrixTypes is what the columns of testdata/read are declared as: the Arrow
// type, the physical type and the annotation.
var matrixTypes = map[string][3]string{
	"bool":      {"bool", "BOOLEAN", ""},
	"int8":      {"int8", "INT32", "INT(8)"},
	"int16":     {"int16", "INT32", "INT(16)"},
	"int32":     {"int32", "INT32", ""},
	"int64":     {"int64", "INT64", ""},
	"uint8":     {"uint8", "INT32", "UINT(8)"},
	"uint16":    {"uint16", "INT32", "UINT(16)"},
	"uint32":    {"uint32", "INT32", "UINT(32)"},
	"uint64":    {"uint64", "INT64", "UINT(64)"},
	"float16":   {"float16", "FIXED_LEN_BYTE_ARRAY(2)", "FLOAT16"},
	"float32":   {"float32", "FLOAT", ""},
	"float64":   {"float64", "DOUBLE", ""},
	"decimal9":  {"decimal(9, 2)", "FIXED_LEN_BYTE_ARRAY(4)", "DECIMAL(9,2)"},
	"decimal18": {"decimal(18, 0)", "FIXED_LEN_BYTE_ARRAY(8)", "DECIMAL(18,0)"},
	"decimal38": {"decimal(38, 10)", "FIXED_LEN_BYTE_ARRAY(16)", "DECIMAL(38,10)"},
	"decimal76": {"decimal256(76, 38)", "FIXED_LEN_BYTE_ARRAY(32)", "DECIMAL(76,38)"},
	"date":      {"date32", "INT32", "DATE"},
	"time_ms":   {"time32[ms]", "INT32", "TIME(ms)"},
	"time_us":   {"time64[us]", "INT64", "TIME(us)"},
	"time_ns":   {"time64[ns]", "INT64", "TIME(ns)"},
	"stamp_ms":  {"timestamp[ms]", "INT64", "TIMESTAMP(ms)"},
	"stamp_us":  {"timestamp[us, tz=UTC]", "INT64", "TIMESTAMP(us,UTC)"},
	"stamp_ns":  {"timestamp[ns]", "INT64", "TIMESTAMP(ns)"},
	"string":    {"utf8", "BYTE_ARRAY", "STRING"},
	"tag":       {"utf8", "BYTE_ARRAY", "STRING"},
	"binary":    {"binary", "BYTE_ARRAY", ""},
	"fixed":     {"fixed_size_binary[5]", "FIXED_LEN_BYTE_ARRAY(5)", ""},
	"null":      {"null", "INT32", "UNKNOWN"},
	"a.b.c":     {"int64", "INT64", ""},
}

// TestTypes checks the declared types of a file that has nearly all.
func TestTypes(t *testing.T) {
	for _, name := range []string{"full_plain_v1", "nulls_plain_v2"} {
		f := mustFooter(t, diskFile(filepath.Join("testdata", "read", name+".parquet")))
		if len(f.Columns()) != len(matrixTypes) {
			t.Errorf("%d columns, want %d", len(f.Columns()), len(matrixTypes))
		}
		for _, c := range f.Columns() {
			want := matrixTypes[c.Name()]
			// The two programs spell times their own way.
			logical := strings.Replace(c.Logical, "TIME(ms,UTC)", "TIME(ms)", 1)
			logical = strings.Replace(strings.Replace(logical, "TIME(us,UTC)", "TIME(us)", 1), "TIME(ns,UTC)", "TIME(ns)", 1)
			if c.Type.String() != want[0] || c.Physical != want[1] || logical != want[2] || c.Problem != "" || c.Repeated {
				t.Errorf("%s: %s, %s, %s (problem %q), want %s", c.Name(), c.Type, c.Physical, c.Logical, c.Problem, want)
			}
			if nullable := strings.HasPrefix(name, "nulls") || c.Name() == "null"; c.Nullable != nullable {
				t.Errorf("%s: nullable %v", c.Name(), c.Nullable)
			}
		}
	}
}

// TestAnnotations maps annotations to types, the older ones too.
func TestAnnotations(t *testing.T) {
	fixed := func(n int32) schemaElement { return schemaElement{physical: physicalFixed, length: n, converted: -1} }
	older := func(physical, converted int8) schemaElement {
		return schemaElement{physical: physical, converted: converted, precision: 7, scale: 2, length: 4}
	}
	newer := func(physical int8, l logicalType) schemaElement {
		return schemaElement{physical: physical, converted: -1, logical: l, length: 4}
	}
	interval := fixed(12)
	interval.converted = 21
	for _, tt := range []struct {
		e             schemaElement
		want, logical string
	}{
		{older(physicalByteArray, 0), "utf8", "STRING"},
		{older(physicalByteArray, 4), "utf8", "ENUM"}, {older(physicalByteArray, 19), "utf8", "JSON"},
		{older(physicalByteArray, 20), "binary", "BSON"},
		{older(physicalInt32, 5), "decimal(7, 2)", "DECIMAL(7,2)"},
		{older(physicalInt64, 5), "decimal(7, 2)", "DECIMAL(7,2)"},
		{older(physicalByteArray, 5), "decimal(7, 2)", "DECIMAL(7,2)"},
		{older(physicalFixed, 5), "decimal(7, 2)", "DECIMAL(7,2)"},
		{older(physicalDouble, 5), "", "DECIMAL(7,2)"},
		{older(physicalInt32, 6), "date32", "DATE"},
		{older(physicalInt32, 7), "time32[ms]", "TIME(ms)"},
		{older(physicalInt64, 8), "time64[us]", "TIME(us)"},
		{older(physicalInt64, 9), "timestamp[ms]", "TIMESTAMP(ms)"},
		{older(physicalInt64, 10), "timestamp[us]", "TIMESTAMP(us)"},
		{older(physicalInt32, 10), "", "TIMESTAMP(us)"},
		{older(physicalInt32, 11), "uint8", "UINT(8)"},
		{older(physicalInt32, 12), "uint16", "UINT(16)"},
		{older(physicalInt32, 13), "uint32", "UINT(32)"},
		{older(physicalInt64, 14), "uint64", "UINT(64)"},
		{older(physicalInt32, 14), "", "UINT(64)"},
		{older(physicalInt32, 15), "int8", "INT(8)"},
		{older(physicalInt32, 16), "int16", "INT(16)"},
		{older(physicalInt32, 17), "int32", "INT(32)"},
		{older(physicalInt64, 18), "int64", "INT(64)"},
		{older(physicalInt64, 99), "int64", "converted type 99"},
		{interval, "fixed_size_binary[12]", "INTERVAL"},
		{newer(physicalInt64, logicalType{id: logicalTimestamp, a: unitNanos, flag: true}), "timestamp[ns, tz=UTC]", "TIMESTAMP(ns,UTC)"},
		{newer(physicalInt64, logicalType{id: logicalTimestamp, a: 9}), "int64", "TIMESTAMP(?)"},
		{newer(physicalInt32, logicalType{id: logicalInteger, a: 24}), "", "UINT(24)"},
		{newer(physicalByteArray, logicalType{id: logicalDecimal, a: 38, b: 76}), "decimal256(76, 38)", "DECIMAL(76,38)"},
		{newer(physicalByteArray, logicalType{id: logicalDecimal, a: 0, b: 77}), "", "DECIMAL(77,0)"},
		{newer(physicalByteArray, logicalType{id: logicalDecimal, a: 5, b: 4}), "", "DECIMAL(4,5)"},
		{newer(physicalInt64, logicalType{id: logicalDecimal, a: 5, b: 40}), "", "DECIMAL(40,5)"},
		{newer(physicalFixed, logicalType{id: logicalUUID}), "", "UUID"},
		{newer(physicalFixed, logicalType{id: logicalFloat16}), "", "FLOAT16"},
		{newer(physicalByteArray, logicalType{id: logicalGeometry}), "binary", "GEOMETRY"},
		{newer(physicalByteArray, logicalType{id: 44}), "binary", "logical type 44"},
		{newer(physicalInt32, logicalType{id: logicalUnknown}), "null", "UNKNOWN"},
		{newer(physicalInt96, logicalType{}), "timestamp[us]", ""},
		{newer(physicalFixed, logicalType{}), "fixed_size_binary[4]", ""},
		{fixed(0), "", ""},
		{fixed(maxFixed + 1), "", ""},
		{newer(9, logicalType{}), "", ""},
	} {
		c := newColumn(&tt.e, []string{"x"}, openGroup{})
		got := ""
		if c.Type != nil {
			got = c.Type.String()
		}
		if got != tt.want || c.Logical != tt.logical || (c.Problem == "") != (got != "") {
			t.Errorf("%+v: %q, %q, problem %q; want %q, %q", tt.e, got, c.Logical, c.Problem, tt.want, tt.logical)
		}
	}
}

// TestUUID maps the annotation of 16 bytes, which older writers do not have.
func TestUUID(t *testing.T) {
	uuid := newColumn(&schemaElement{physical: physicalFixed, length: 16, converted: -1, logical: logicalType{id: logicalUUID}}, nil, openGroup{})
	if uuid.Type.String() != "fixed_size_binary[16]" {
		t.Error(uuid.Type)
	}
}

// TestSchemaTree flattens trees, broken ones too.
func TestSchemaTree(t *testing.T) {
	group := func(name string, children int32, repetition int8) schemaElement {
		return schemaElement{name: name, physical: -1, converted: -1, children: children, repetition: repetition}
	}
	leaf := func(name string, repetition int8) schemaElement {
		return schemaElement{name: name, physical: physicalInt64, converted: -1, repetition: repetition}
	}
	good := []schemaElement{
		group("root", 4, 0), leaf("a", 0), group("b", 2, repetitionOptional), leaf("c", repetitionOptional),
		group("d", 1, repetitionRepeated), leaf("e", 0), group("empty", 0, 0), leaf("f", repetitionRepeated),
	}
	cols, err := leaves(good)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cols {
		got = append(got, c.Name())
	}
	checkContainers(t, group, leaf)
	if strings.Join(got, " ") != "a b.c b.d.e f" || cols[1].leaf.maxDef != 2 || !cols[2].Repeated || !cols[3].Repeated || cols[0].Nullable || !cols[1].Nullable {
		t.Errorf("%s: %+v", got, cols)
	}
	for name, bad := range map[string][]schemaElement{
		"empty":             nil,
		"too few":           {group("root", 2, 0), leaf("a", 0)},
		"too many":          {group("root", 1, 0), leaf("a", 0), leaf("b", 0)},
		"open group":        {group("root", 1, 0), group("a", 1, 0)},
		"negative":          {group("root", -1, 0), leaf("a", 0)},
		"negative child":    {group("root", 1, 0), group("a", -5, 0)},
		"more than follow":  {group("root", 1, 0), group("a", 1<<30, 0), leaf("b", 0)},
		"root without any":  {group("root", 0, 0), leaf("a", 0)},
		"too deep":          deep(maxSchemaDepth + 2),
		"leaf with a child": {group("root", 1, 0), {name: "a", physical: physicalInt64, children: 1}},
	} {
		if cols, err := leaves(bad); err == nil {
			t.Errorf("%s: %d columns", name, len(cols))
		}
	}
}

func deep(n int) []schemaElement {
	var out []schemaElement
	for range n {
		out = append(out, schemaElement{physical: -1, children: 1})
	}
	return append(out, schemaElement{physical: physicalInt64})
}

// checkContainers looks at what columns are said to be part of.
func checkContainers(t *testing.T, group func(string, int32, int8) schemaElement, leaf func(string, int8) schemaElement) {
	t.Helper()
	mark := func(e schemaElement, converted int8, logical int16) schemaElement {
		e.converted, e.logical.id = converted, logical
		return e
	}
	cols, err := leaves([]schemaElement{
		group("root", 5, 0),
		mark(group("list", 1, repetitionOptional), 3, 0), group("list", 1, repetitionRepeated), leaf("element", 0),
		group("s", 2, 0), leaf("x", 0),
		mark(group("map", 1, 0), -1, logicalMap), group("key_value", 2, repetitionRepeated), leaf("key", 0),
		mark(group("value", 1, 0), 3, 0), group("list", 1, repetitionRepeated), leaf("element", 0),
		mark(group("none", 1, 0), 1, 0), leaf("y", 0),
		leaf("bare", repetitionRepeated),
		group("bag", 1, repetitionRepeated), mark(group("m", 1, 0), 2, 0), group("kv", 1, repetitionRepeated), leaf("k", 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cols {
		got = append(got, fmt.Sprintf("%s %t %s %d", c.Name(), c.Repeated, c.Container, c.Depth))
	}
	want := "list.list.element true list 1|s.x false  0|s.map.key_value.key true map 2|s.map.key_value.value.list.element true map 2|" +
		"none.y false  0|bare true list 1|bag.m.kv.k true list 1"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}
