package parquetio

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
)

// emptyFooter is a file of one column and no rows, but for the given fields:
// those of FileMetaData, RowGroup and SchemaElement.
func emptyFooter(file, group, element int16, behind string) []byte {
	w := &thriftWriter{}
	w.begin()
	w.i32(1, 2)
	if file != 2 {
		w.list(2, thriftStruct, 2)
		w.begin()
		w.text(4, "root")
		w.i32(5, 1)
		w.end()
		w.begin()
		w.i32(1, physicalInt64)
		w.i32(3, repetitionOptional)
		if element != 4 {
			w.text(4, "i")
		}
		w.end()
	}
	if file != 3 {
		w.i64(3, 0)
	}
	if file != 4 {
		w.list(4, thriftStruct, 1)
		w.begin()
		if group != 1 {
			w.list(1, thriftStruct, 1)
			w.begin()
			described(w)
			w.end()
		}
		if group != 3 {
			w.i64(3, 0)
		}
		w.end()
	}
	w.end()
	return withFooter([]byte(magic), append(w.b, behind...))
}

// TestRequiredFields refuses footers that lack what the format requires: taken
// for 0, it would make an empty file of them.
func TestRequiredFields(t *testing.T) {
	for _, behind := range []string{"", strings.Repeat("Z", 300)} {
		for want, file := range map[string][]byte{
			"":                        emptyFooter(0, 0, 0, behind),
			"FileMetaData.schema":     emptyFooter(2, 0, 0, behind),
			"FileMetaData.num_rows":   emptyFooter(3, 0, 0, behind),
			"FileMetaData.row_groups": emptyFooter(4, 0, 0, behind),
			"RowGroup.columns":        emptyFooter(0, 1, 0, behind),
			"RowGroup.num_rows":       emptyFooter(0, 3, 0, behind),
			"SchemaElement.name":      emptyFooter(0, 0, 4, behind),
		} {
			_, err := ReadFooter(context.Background(), bytesFile(file))
			if want == "" {
				if err != nil {
					t.Errorf("%d bytes behind the footer: %v", len(behind), err)
				}
				continue
			}
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.RowGroup != -1 || !strings.HasSuffix(err.Error(), "lacks the required field "+want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}

// TestBooleanRepetition reads what fastparquet writes with has_nulls="infer":
// repetition types that are booleans. True is OPTIONAL, for the pages have
// levels; without them the first string would be those.
func TestBooleanRepetition(t *testing.T) {
	for _, tt := range []struct {
		file, want string
		nullable   bool
	}{
		{"infer_strings", "[x y]", true},
		{"infer_ints", "[1 2]", false},
	} {
		f := mustFooter(t, diskFile(filepath.Join("testdata", "fastparquet", tt.file+".parquet")))
		c := f.Columns()[0]
		if len(f.Columns()) != 1 || c.Name() != "s" || c.Nullable != tt.nullable {
			t.Fatalf("%s: %+v", tt.file, c)
		}
		var got []string
		err := scanAll(f, []int{0}, ScanOptions{}, func(b *vector.Batch) {
			for i := range b.Len {
				got = append(got, text(c.Type, string(b.Cols[0].Bytes(i))))
			}
		})
		if fmt.Sprint(got) != tt.want || err != nil {
			t.Errorf("%s: %s, %v", tt.file, got, err)
		}
	}
}

// TestAnnotationOfAnotherType reads a column whose converted type is no number:
// it has none. A repetition type that is text is refused, as it decides on what
// the pages hold.
func TestAnnotationOfAnotherType(t *testing.T) {
	c := ints(1, data(1, int64s(5)))
	c.logical = func(w *thriftWriter) { w.text(6, "UTF8") }
	if got, err := show(t, testFile(1, c), 1); got != "5" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	c.logical = func(w *thriftWriter) { w.text(3, "OPTIONAL") }
	if _, err := show(t, testFile(1, c), 1); !errors.Is(err, errThriftType) {
		t.Error(err)
	}
}

// TestUnreadableColumn scans a column whose schema cannot be understood.
func TestUnreadableColumn(t *testing.T) {
	c := ints(1, data(1, int64s(1)))
	c.logical = func(w *thriftWriter) { w.i32(6, 0) } // UTF8
	f := mustFooter(t, bytesFile(testFile(1, c)))
	problem := f.Columns()[0].Problem
	if problem == "" {
		t.Fatal("the column is readable")
	}
	_, err := NewScan([]*File{f}, [][]int{{0}}, []string{"x"}, ScanOptions{})
	for _, err := range []error{err, f.Usable(0)} {
		var u *UnsupportedError
		if !errors.As(err, &u) || u.File != "memory" || u.RowGroup != -1 || u.Column != "x" || u.What != problem {
			t.Errorf("%#v", err)
		}
	}
}
