package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/colagg/colagg/vector"
)

var errDisk = errors.New("the disk is full")

// faultySink takes bytes until at, and there does as its mode says.
type faultySink struct {
	buf    bytes.Buffer
	at     int
	mode   string
	failed bool
}

func (s *faultySink) Write(p []byte) (int, error) {
	n := s.at - s.buf.Len()
	if n >= len(p) || s.failed && (s.mode == "once" || s.mode == "short once") {
		return s.buf.Write(p)
	}
	n = max(n, 0)
	if len(p) == 0 {
		return 0, nil
	}
	s.failed = true
	s.buf.Write(p[:n])
	switch s.mode {
	case "once", "sticky":
		return n, errDisk
	case "none taken":
		return 0, errDisk
	case "short once", "short":
		return n, nil
	case "too many":
		return len(p) + 1, nil
	case "negative":
		return -1, nil
	case "panic":
		panic("a sink that panics")
	}
	panic("BUG: mode " + s.mode)
}

// faultBatches give a file with two row groups' worth of dictionary, plain and
// fixed-size columns.
func faultBatches(t testing.TB) (*arrow.Schema, []*vector.Batch) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}},
	}, nil)
	one := batchOf(
		flatOf(t, s.Field(0).Type, le(int64(1)), nil, le(int64(3)), le(int64(4))),
		flatOf(t, s.Field(1).Type, []byte("x"), []byte("y"), []byte("x"), []byte("y")),
		flatOf(t, s.Field(2).Type, le([2]uint64{1}), le([2]uint64{2}), le([2]uint64{3}), le([2]uint64{4})))
	return s, []*vector.Batch{one, one}
}

// writeTo writes the batches, with a row group each, and returns the first
// error of any call.
func writeTo(w io.Writer, s *arrow.Schema, batches []*vector.Batch) error {
	out, err := NewWriter(w, s)
	if err != nil {
		return err
	}
	for _, b := range batches {
		if err := out.Write(b); err != nil {
			if again := out.Write(b); again != err {
				return fmt.Errorf("BUG: Write gave %v after %v", again, err)
			}
			if again := out.Close(); again != err {
				return fmt.Errorf("BUG: Close gave %v after %v", again, err)
			}
			return err
		}
		if err := out.protect(out.flush); err != nil {
			return err
		}
	}
	return out.Close()
}

func TestWriterSinkFails(t *testing.T) {
	s, batches := faultBatches(t)
	var whole bytes.Buffer
	if err := writeTo(&whole, s, batches); err != nil {
		t.Fatal(err)
	}
	r, err := file.NewParquetReader(bytes.NewReader(whole.Bytes()))
	if err != nil || r.NumRows() != 8 || r.NumRowGroups() != 2 {
		t.Fatalf("%d rows in %d row groups, error %v", r.NumRows(), r.NumRowGroups(), err)
	}
	for _, mode := range []string{"once", "sticky", "none taken", "short once", "short", "too many", "negative", "panic"} {
		for at := range whole.Len() {
			err := writeTo(&faultySink{at: at, mode: mode}, s, batches)
			if err == nil {
				t.Fatalf("%s at byte %d of %d: no error", mode, at, whole.Len())
			}
			switch mode {
			case "once", "sticky", "none taken":
				if !errors.Is(err, errDisk) {
					t.Fatalf("%s at byte %d: %v", mode, at, err)
				}
			case "short once", "short":
				if !errors.Is(err, io.ErrShortWrite) {
					t.Fatalf("%s at byte %d: %v", mode, at, err)
				}
			}
		}
		if err := writeTo(&faultySink{at: whole.Len(), mode: mode}, s, batches); err != nil {
			t.Fatalf("%s after the end: %v", mode, err)
		}
	}
}

// TestWriterFailsEarly checks that a full disk stops a long write at once, not
// when the file is closed.
func TestWriterFailsEarly(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	v := vector.New(s.Field(0).Type, 8192)
	sink := &faultySink{at: 3, mode: "sticky"}
	w, err := NewWriter(sink, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(batchOf(v)); !errors.Is(err, errDisk) {
		t.Fatalf("the first Write gave %v", err)
	}
	if sink.buf.Len() != 3 {
		t.Errorf("%d bytes were written after the failure", sink.buf.Len()-3)
	}
}

// TestSinkStaysBroken has an output that works again after it failed once.
func TestSinkStaysBroken(t *testing.T) {
	for _, mode := range []string{"once", "short once"} {
		out := &faultySink{at: 3, mode: mode}
		s := &sink{w: out}
		if _, err := s.Write([]byte("ab")); err != nil {
			t.Fatal(err)
		}
		_, first := s.Write([]byte("cd"))
		if first == nil {
			t.Errorf("%s: no error", mode)
		}
		if n, err := s.Write([]byte("ef")); n != 0 || err != first {
			t.Errorf("%s: later %d bytes were taken, error %v", mode, n, err)
		}
		if got := out.buf.String(); got != "abc" || s.n != 3 {
			t.Errorf("%s: %q was written, %d bytes counted", mode, got, s.n)
		}
	}
}
