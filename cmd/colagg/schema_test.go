package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSchemaTable(t *testing.T) {
	got := must(t, "schema", data("trips.parquet"), data("nested.parquet"))
	for _, want := range []string{
		data("trips.parquet") + ": 5,000 rows in 4 row groups of 1,100 to 1,300, 90 KiB\n",
		"written by parquet-cpp-arrow version ",
		"│ pickup             │ INT64 TIMESTAMP(us,UTC)               │ timestamp[us, tz=UTC] │ no    │ RLE DELTA_BINARY_PACKED  │ SNAPPY │",
		"│ tip                │ FIXED_LEN_BYTE_ARRAY(5) DECIMAL(10,2) │",
		"tags.list.element cannot be queried: it is part of a list\n\n" + data("nested.parquet") + ": 5 rows in 3 row groups of 1 to 2",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := must(t, "schema", data("names.parquet")); !strings.Contains(got, `│ "say ""hi""" │ INT64 `) || !strings.Contains(got, ": 4 rows in 1 row group, ") {
		t.Errorf("%s", got)
	}
}

func TestSchemaJSON(t *testing.T) {
	var files []schemaFile
	if err := json.Unmarshal([]byte(must(t, "schema", "--format", "json", data("trips.parquet"), data("no_rows.parquet"))), &files); err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	f := files[0]
	if f.Name != data("trips.parquet") || f.Rows != 5000 || len(f.RowGroups) != 4 || len(f.Columns) != 13 || f.Size < 80_000 || f.CreatedBy == "" {
		t.Errorf("%+v", f)
	}
	c := f.Columns[7]
	if c.Name != "tip" || c.Physical != "FIXED_LEN_BYTE_ARRAY(5)" || c.Logical != "DECIMAL(10,2)" || !c.Nullable || c.Values != 5000 ||
		len(c.Codecs) != 1 || c.Codecs[0] != "SNAPPY" || len(c.Encodings) == 0 || c.Compressed <= 0 || c.Uncompressed <= 0 {
		t.Errorf("%+v", c)
	}
	var rows int64
	for _, g := range f.RowGroups {
		rows += g.Rows
	}
	if rows != 5000 || files[1].Rows != 0 {
		t.Errorf("%d rows in row groups, %d in the second file", rows, files[1].Rows)
	}
}

func TestVersionAndHelp(t *testing.T) {
	for _, args := range []string{"version", "--version"} {
		if got := must(t, args); !strings.HasPrefix(got, "colagg version ") || !strings.Contains(got, "go1.") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %s", args, got)
		}
	}
	for _, args := range []string{"--help", "query --help", "schema --help", "version --help", "help query", ""} {
		if got := must(t, strings.Fields(args)...); !strings.Contains(got, "Usage:") || !strings.Contains(got, "Examples:\n  colagg ") {
			t.Errorf("%s: %s", args, got)
		}
	}
}
