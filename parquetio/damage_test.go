package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// outcome reads all readable columns of a file, one by one, and returns what
// each came to: a summary or an error. Errors without a type fail the test.
// Checksums are not compared, so that damage reaches the decoders.
func outcome(t testing.TB, file []byte, budget *memory.Budget) map[string]string {
	t.Helper()
	f, err := ReadFooter(context.Background(), bytesFile(file))
	if err != nil {
		if !typed(err) {
			t.Fatalf("footer: error without a type: %v", err)
		}
		return nil
	}
	out := map[string]string{}
	for i, c := range f.Columns() {
		if c.Type == nil || c.Repeated {
			continue
		}
		s := summarizer{t: c.Type}
		err := scanAll(f, []int{i}, ScanOptions{BatchRows: 100, Budget: budget, SkipChecksums: true}, func(b *vector.Batch) { s.add(b.Cols[0]) })
		switch {
		case err == nil:
			out[c.Name()] = fmt.Sprint(s.rows)
			if int64(s.rows) != f.NumRows() {
				t.Fatalf("column %s has %d rows of %d", c.Name(), s.rows, f.NumRows())
			}
		case strings.Contains(err.Error(), "panicked"):
			t.Fatal(err)
		case !typed(err) && !errors.Is(err, memory.ErrLimit) && !errors.Is(err, vector.ErrTooLong):
			t.Fatalf("column %s: error without a type: %v", c.Name(), err)
		}
	}
	return out
}

// damageable returns small real files: those of this package and, where it is
// there, of the collection.
func damageable(t testing.TB) map[string][]byte {
	files := matrixFiles(t)
	dir := os.Getenv("COLAGG_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	for _, name := range []string{
		"alltypes_dictionary", "alltypes_plain", "binary", "delta_byte_array", "datapage_v1-snappy-compressed-checksum",
		"int32_decimal", "nulls.snappy", "rle_boolean_encoding", "fixed_length_decimal", "nullable.impala",
	} {
		file := filepath.Join(dir, "files", "apache__parquet-testing", "data__"+name+".parquet")
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	out := map[string][]byte{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = b
	}
	return out
}

// TestMutations changes one to three bytes of real files, hundreds of times
// each, and expects rows or errors: no panic, no hang, and no memory beyond
// what the budget and the file's size justify.
func TestMutations(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 30
	}
	for name, file := range damageable(t) {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, uint64(len(file))))
			n := rounds
			if len(file) > 10_000 {
				n /= 10
			}
			var before, after runtime.MemStats
			for range n {
				bad := append([]byte(nil), file...)
				for range 1 + rnd.IntN(3) {
					bad[rnd.IntN(len(bad))] = byte(rnd.IntN(256))
				}
				budget := memory.NewBudget(64 << 20)
				runtime.ReadMemStats(&before)
				start := time.Now()
				outcome(t, bad, budget)
				runtime.ReadMemStats(&after)
				if took := time.Since(start); took > 20*time.Second {
					t.Fatalf("took %s", took)
				}
				if got := after.TotalAlloc - before.TotalAlloc; got > 1<<30 {
					t.Fatalf("allocated %d bytes", got)
				}
				if budget.Used() != 0 {
					t.Fatalf("%d bytes of the budget are not given back", budget.Used())
				}
			}
		})
	}
}

// TestCut cuts files at every position.
func TestCut(t *testing.T) {
	for name, file := range damageable(t) {
		step := 1
		if len(file) > 5000 {
			step = 97
		}
		for n := 0; n < len(file); n += step {
			_, err := ReadFooter(context.Background(), bytesFile(file[:n]))
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.RowGroup != -1 || corrupt.File != "memory" {
				t.Fatalf("%s cut after %d of %d bytes: %v", name, n, len(file), err)
			}
		}
	}
}

// TestNotParquet checks the words for files that are something else.
func TestNotParquet(t *testing.T) {
	good := testFile(1, ints(1, data(1, int64s(1))))
	encrypted := append(append([]byte(magicEncrypted), good[4:len(good)-4]...), magicEncrypted...)
	long := append([]byte(nil), good...)
	long[len(long)-5] = 0x7f
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "shorter"},
		{"magic only", []byte("PAR1PAR1"), "shorter"},
		{"text", []byte(strings.Repeat("a,b,c\n", 10)), "not a Parquet file"},
		{"cut", good[:len(good)-1], "cut short"},
		{"footer too long", long, "footer's length"},
		{"encrypted", encrypted, "file is encrypted"},
		{"encrypted and cut", encrypted[:len(encrypted)-9], "file is encrypted"},
	} {
		_, err := ReadFooter(context.Background(), bytesFile(tt.file))
		if err == nil || !typed(err) || !strings.HasPrefix(err.Error(), "memory: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// flaky fails all reads from the nth on.
type flaky struct {
	bytesFile
	left  *int
	cause error
	short bool
}

func (f flaky) Open(context.Context) (ReaderAt, error) {
	r, err := f.bytesFile.Open(context.Background())
	return &flakyReader{r, f}, err
}

type flakyReader struct {
	ReaderAt
	flaky
}

func (f *flakyReader) Name() string { return "flaky" }

func (f *flakyReader) ReadAt(b []byte, at int64) (int, error) {
	if *f.left--; *f.left < 0 {
		if f.short {
			return len(b) / 2, io.EOF
		}
		return 0, f.cause
	}
	return f.ReaderAt.ReadAt(b, at)
}

// TestReadErrors makes sure that errors of the medium are told apart from
// damage, wherever they come up.
func TestReadErrors(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("testdata", "read", "nulls_zstd_v1.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the disk is on fire")
	for _, short := range []bool{false, true} {
		for n := range 1000 {
			left := n
			f, err := ReadFooter(context.Background(), flaky{file, &left, cause, short})
			if err == nil {
				leaves, _ := allReadable(f)
				err = scanAll(f, leaves, ScanOptions{BatchRows: 10}, func(*vector.Batch) {})
			}
			if err == nil {
				break
			}
			if corrupt := errors.As(err, new(*CorruptError)); corrupt != short || !short && !errors.Is(err, cause) {
				t.Fatalf("read %d fails (short: %v): %v", n, short, err)
			}
		}
	}
}

// panicking is a reader that panics once the footer has been read.
type panicking struct{ ReaderAt }

func (panicking) ReadAt([]byte, int64) (int, error) { panic("no such drive") }

type panickingFile struct{ bytesFile }

func (p panickingFile) Open(ctx context.Context) (ReaderAt, error) {
	r, err := p.bytesFile.Open(ctx)
	return panicking{r}, err
}

// TestPanic makes errors of panics.
func TestPanic(t *testing.T) {
	file := testFile(1, ints(1, data(1, int64s(1))))
	f := mustFooter(t, bytesFile(file))
	f.in = panickingFile{file}
	err := scanAll(f, []int{0}, ScanOptions{}, func(*vector.Batch) {})
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) || corrupt.Column != "x" || !strings.Contains(err.Error(), "panicking.ReadAt, line") {
		t.Error(err)
	}
}
