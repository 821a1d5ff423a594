package parquetio

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// badSpot is a file of which one read, the first that begins at a position,
// fails.
type badSpot struct {
	bytesFile
	at    int64
	cause error
	hit   *bool
}

func (b badSpot) Open(ctx context.Context) (ReaderAt, error) {
	r, err := b.bytesFile.Open(ctx)
	return badSpotReader{r, b}, err
}

type badSpotReader struct {
	ReaderAt
	spot badSpot
}

func (b badSpotReader) ReadAt(p []byte, at int64) (int, error) {
	if at == b.spot.at && !*b.spot.hit {
		*b.spot.hit = true
		return 0, b.spot.cause
	}
	return b.ReaderAt.ReadAt(p, at)
}

// dictionaryFile has a dictionary, then codes, then values that need none.
func dictionaryFile() []byte {
	return testFile(4, ints(4, dictionary(2, int64s(7, 8)), coded(2, codes(2, 1)), data(2, int64s(5, 6))))
}

// TestDictionaryErrors lets the read of a dictionary page's header fail. It
// must not look like a chunk without a dictionary.
func TestDictionaryErrors(t *testing.T) {
	for name, cause := range map[string]error{
		"medium": errors.New("connection reset"), "cancelled": context.Canceled, "short": io.EOF,
	} {
		var hit bool
		in := badSpot{dictionaryFile(), int64(len(magic)), cause, &hit}
		f := mustFooter(t, bytesFile(in.bytesFile))
		f.in = in
		err := scanAll(f, []int{0}, ScanOptions{}, func(*vector.Batch) {})
		if cause == io.EOF {
			cause = errShrunk
		}
		if !hit || !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
		if corrupt := errors.As(err, new(*CorruptError)); corrupt != (cause == errShrunk) {
			t.Errorf("%s: corrupt: %t", name, corrupt)
		}
	}
}

// TestDictionaryMemory reads a dictionary with every budget that is too small.
func TestDictionaryMemory(t *testing.T) {
	f := mustFooter(t, bytesFile(dictionaryFile()))
	failed := 0
	for limit := int64(1); ; limit++ {
		err := scanAll(f, []int{0}, ScanOptions{Budget: memory.NewBudget(limit)}, func(*vector.Batch) {})
		if err == nil {
			break
		}
		failed++
		if !errors.Is(err, memory.ErrLimit) || errors.As(err, new(*CorruptError)) {
			t.Fatalf("limit %d: %v", limit, err)
		}
	}
	if failed < 100 {
		t.Errorf("only %d budgets are too small", failed)
	}
}

// TestNoDictionary reads chunks where the dictionary's position is that of
// something else: the pages are found, and the next chunk's are not taken for
// this one's.
func TestNoDictionary(t *testing.T) {
	for _, tt := range []struct {
		name, want, err string
		first           []byte
		values          int64
	}{
		{"damaged", "1 2", "", []byte{0xff, 0xff, 0xff}, 2},
		{"other page", "1 2", "", (&testPage{kind: pageIndex, body: []byte("i")}).bytes(), 2},
		{"too few", "", "fewer values", []byte{0xff, 0xff, 0xff}, 3},
	} {
		pages := data(2, int64s(1, 2))
		c := ints(tt.values)
		c.trailing = join(tt.first, pages.bytes())
		c.dictAt, c.dataAt = 4, int64(4+len(tt.first))
		next := ints(tt.values, data(1, int64s(9)))
		next.name = "y"
		got, err := show(t, testFile(tt.values, c, next), 10)
		if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) || err == nil && got != tt.want {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
}

// TestDataBytes checks where the pages behind a dictionary end.
func TestDataBytes(t *testing.T) {
	for _, tt := range []struct{ dictAt, dataAt, packed, want int64 }{
		{4, 10, 100, 94}, {4, 104, 100, 0}, {4, 105, 100, 100},
	} {
		m := chunkMeta{dictAt: tt.dictAt, dataAt: tt.dataAt, packed: tt.packed}
		if got := m.dataBytes(); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}
