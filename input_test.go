package colagg_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"github.com/colagg/colagg"
)

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// countingInput is a file in memory that knows how often it was opened and how
// many readers are open, and that fails when it is told to.
type countingInput struct {
	data         []byte
	opened, open atomic.Int64
	reads        atomic.Int64
	failOpen     error
	failRead     error
	failAfter    int64 // reads that still work
	onRead       func()
}

func (in *countingInput) Name() string { return "counted.parquet" }

func (in *countingInput) Open(context.Context) (colagg.ReaderAt, error) {
	if in.failOpen != nil {
		return nil, in.failOpen
	}
	in.opened.Add(1)
	in.open.Add(1)
	return &countingReader{in: in, Reader: bytes.NewReader(in.data)}, nil
}

type countingReader struct {
	in *countingInput
	*bytes.Reader
	closed bool
}

func (r *countingReader) Size() int64 { return int64(len(r.in.data)) }

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	if r.in.onRead != nil {
		r.in.onRead()
	}
	if n := r.in.reads.Add(1); r.in.failRead != nil && n > r.in.failAfter {
		return 0, r.in.failRead
	}
	return r.Reader.ReadAt(p, off)
}

func (r *countingReader) Close() error {
	if r.closed {
		return errors.New("closed twice")
	}
	r.closed = true
	r.in.open.Add(-1)
	return nil
}

var errBroken = errors.New("the line is broken")

func TestInputErrors(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 4})
	data := readFile(t, trips)
	q := colagg.Query{GroupBy: []string{"city"}, Aggs: []string{"sum(fare)"}}

	q.From = colagg.Inputs(&countingInput{failOpen: errBroken})
	err := failQuery(t, e, q)
	if got := wantError(t, err, colagg.IO, "counted.parquet: the line is broken"); !errors.Is(err, errBroken) || got.Source != "counted.parquet" {
		t.Errorf("got %#v", got)
	}
	q.From = colagg.Inputs(&countingInput{failOpen: os.ErrNotExist})
	wantError(t, failQuery(t, e, q), colagg.NotFound, "counted.parquet: file does not exist")

	seen := 0
	for after := int64(0); ; after++ {
		in := &countingInput{data: data, failRead: errBroken, failAfter: after}
		q.From = colagg.Inputs(in)
		res, err := e.Query(t.Context(), q)
		if n := in.open.Load(); n != 0 {
			t.Fatalf("failure of read %d leaves %d open", after+1, n)
		}
		if err == nil {
			res.Release()
			break
		}
		seen++
		wantError(t, err, colagg.IO, "counted.parquet: the line is broken")
		if !errors.Is(err, errBroken) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
	if seen < 3 {
		t.Errorf("only %d reads failed", seen)
	}

	q.From = colagg.Inputs()
	wantError(t, failQuery(t, e, q), colagg.BadQuery, "no input files")
	q.From = colagg.Inputs(nil)
	wantError(t, failQuery(t, e, q), colagg.BadQuery, "input 0 is nil")
}

func TestDamagedFiles(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{})
	data := readFile(t, trips)
	q := colagg.Query{GroupBy: []string{"city"}, Aggs: []string{"sum(fare)"}}
	for name, bad := range map[string][]byte{
		"empty":      nil,
		"no Parquet": bytes.Repeat([]byte("text\n"), 100),
		"cut":        data[:len(data)/2],
		"no pages":   append(append([]byte("PAR1"), make([]byte, len(data)-40004)...), data[len(data)-40000:]...),
	} {
		t.Run(name, func(t *testing.T) {
			q.From = colagg.Inputs(&countingInput{data: bad})
			err := failQuery(t, e, q)
			wantError(t, err, colagg.Corrupt, "counted.parquet: ")
			var c *colagg.CorruptError
			if !errors.As(err, &c) || c.File != "counted.parquet" {
				t.Errorf("no CorruptError in %v", err)
			}
		})
	}
}
