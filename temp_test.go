package colagg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// TestTempOfAQuery writes to a query's temporary space what an operator may,
// and finds it in the figures, and nowhere after Close.
func TestTempOfAQuery(t *testing.T) {
	dir := t.TempDir()
	e, err := New(Options{TempDirs: []string{dir}, MaxTemp: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	res, err := e.Query(context.Background(), Query{From: Files("testdata/trips.parquet")})
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Stats(); s.SpilledBytes != 0 || s.TempFiles != 0 || strings.Contains(res.Plan().String(), "spilled") {
		t.Errorf("a small query: %+v", s)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := &vector.Batch{Cols: []*vector.Vector{vector.New(arrow.PrimitiveTypes.Int64, 100)}, Len: 100}
	f := res.run.temp.File()
	first, err := f.Append(schema, b)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Append(schema, b)
	}
	var known *Error
	if err = classify(err); !errors.As(err, &known) || known.Kind != IO || !errors.Is(err, ErrTempLimit) ||
		!strings.Contains(err.Error(), dir+": limit on temporary disk space reached (64 KiB on disk of at most 64 KiB, ") ||
		!strings.HasSuffix(err.Error(), "; give more with Options.MaxTemp, or more memory with Options.MemoryLimit") {
		t.Errorf("the limit gave %v", err)
	}
	r := res.run.temp.Reader(schema, []spill.Extent{first})
	if got, err := r.Next(context.Background()); err != nil || got.Len != 100 {
		t.Errorf("read back: %v", err)
	}
	_ = r.Close()
	s := res.Stats()
	if s.SpilledBytes < 16*100 || s.UnspilledBytes < 100 || s.TempFiles != 1 || s.PeakTemp != 64<<10 {
		t.Errorf("stats %+v", s)
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
	p := res.Plan()
	if p.Temp != (TempUse{Written: s.SpilledBytes, Read: s.UnspilledBytes, Peak: s.PeakTemp, Files: 1}) {
		t.Errorf("plan %+v", p.Temp)
	}
	if text := p.String(); !strings.Contains(text, " spilled to 1 file, at most 64.0 KiB at once; ") {
		t.Errorf("plan\n%s", text)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 || e.budget.Used() != 0 {
		t.Errorf("left: %v, %v, %d bytes of memory", names, err, e.budget.Used())
	}
}

// TestTempOptions refuses directories that cannot be used, and tells of the
// others when they are.
func TestTempOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(filepath.Dir(file), "gone")
	for _, dir := range []string{file, gone} {
		_, err := New(Options{TempDirs: []string{t.TempDir(), dir}})
		var known *Error
		if !errors.As(err, &known) || known.Kind != IO || !strings.Contains(err.Error(), "making a temporary file in "+dir+": ") ||
			!strings.HasSuffix(err.Error(), "; name another directory with Options.TempDirs") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := New(Options{MaxTemp: -1}); err == nil || !strings.Contains(err.Error(), "Options.MaxTemp is negative") {
		t.Errorf("a negative limit: %v", err)
	}
	if e, err := New(Options{MemoryLimit: 12345}); err != nil || e.MemoryLimit() != 12345 {
		t.Errorf("limit %v", err)
	}
}
