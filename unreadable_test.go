package colagg

import (
	"errors"
	"strings"
	"testing"

	"github.com/colagg/colagg/internal/sql"
)

// A column of a file that cannot be read is an error with the file.
func TestUnreadableColumn(t *testing.T) {
	cols := testColumns()
	for i := range cols {
		cols[i].file = "in.parquet"
	}
	refs, err := sql.ParseItems("city, odd")
	if err != nil {
		t.Fatal(err)
	}
	_, err = resolver{cols}.find(fragment{text: "city, odd"}, *refs[1].Expr.Column)
	var e *Error
	var u *UnsupportedError
	if !errors.As(err, &e) || e.Kind != Unsupported || e.Offset != 6 || !errors.As(err, &u) {
		t.Fatalf("got %v", err)
	}
	if *u != (UnsupportedError{File: "in.parquet", RowGroup: -1, Column: "odd", What: "it is odd"}) {
		t.Errorf("got %+v", *u)
	}
	if !strings.HasPrefix(err.Error(), `in.parquet: column "odd": it is odd (at position 7`) {
		t.Error(err)
	}
}
