package parquetio

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// columnValues is a column's schema and a hash of all its values in order, or
// why they cannot be read.
type columnValues struct {
	name     string
	t        arrow.DataType
	nullable bool
	rows     int64
	hash     uint64
	err      error
}

// sameSchema reports whether two columns are the same to a reader.
func (v columnValues) sameSchema(w columnValues) bool {
	return v.name == w.name && v.nullable == w.nullable && v.t != nil && arrow.TypeEqual(v.t, w.t)
}

// valuesOf reads all columns of a file, one by one, and compares checksums.
func valuesOf(file []byte) ([]columnValues, error) {
	f, err := ReadFooter(context.Background(), bytesFile(file))
	if err != nil {
		return nil, err
	}
	var out []columnValues
	for i, c := range f.Columns() {
		h := fnv.New64a()
		v := columnValues{name: c.Name(), t: c.Type, nullable: c.Nullable}
		v.err = scanAll(f, []int{i}, ScanOptions{BatchRows: 30, Budget: memory.NewBudget(64 << 20)}, func(b *vector.Batch) {
			v.rows += int64(b.Len)
			col := b.Cols[0]
			for i := range col.Len {
				if col.IsNull(i) {
					h.Write([]byte{0})
					continue
				}
				p := col.Bytes(i)
				h.Write(binary.AppendUvarint([]byte{1}, uint64(len(p))))
				h.Write(p)
			}
		})
		v.hash = h.Sum64()
		out = append(out, v)
	}
	return out, nil
}

// headersOf returns where the headers of all pages begin and end.
func headersOf(t *testing.T, file []byte) map[int]int {
	out := map[int]int{}
	for _, g := range mustFooter(t, bytesFile(file)).meta.groups {
		for _, c := range g.chunks {
			start := c.dataAt
			if c.dictAt > 0 {
				start = c.dictAt
			}
			for at := int(start); at < int(start+c.packed); {
				h, n, err := parsePageHeader(file[at:])
				if err != nil {
					t.Fatal(err)
				}
				out[at] = at + n
				at += n + h.packed
			}
		}
	}
	return out
}

// undetectable reports whether the change at a position makes a header say that
// the same bytes are encoded in another way, or that the levels end elsewhere.
// Checksums do not cover that.
func undetectable(headers map[int]int, file, bad []byte, at int) bool {
	for start, end := range headers {
		if at < start || at >= end {
			continue
		}
		was, _, _ := parsePageHeader(file[start:])
		is, _, err := parsePageHeader(bad[start:])
		return err == nil && (is.encoding != was.encoding || is.defEncoding != was.defEncoding ||
			is.defBytes != was.defBytes || is.repBytes != was.repBytes)
	}
	return false
}

// mutate changes a byte, by one bit, to any other or to its neighbour.
func mutate(rnd *rand.Rand, b *byte) {
	switch rnd.IntN(3) {
	case 0:
		*b ^= 1 << rnd.IntN(8)
	case 1:
		*b += byte(1 + rnd.IntN(255))
	case 2:
		*b += byte(2*rnd.IntN(2)) - 1
	}
}

// TestDamagedValues changes bytes of files whose pages have checksums, a
// thousand times, and expects the right values or an error. A column whose name
// or type has changed is another column, and not compared.
func TestDamagedValues(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "read", "*_sums_*.parquet"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	const rounds = 1000
	read, refused := 0, 0
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := valuesOf(file)
		if err != nil {
			t.Fatal(err)
		}
		headers := headersOf(t, file)
		rnd := rand.New(rand.NewPCG(2, uint64(len(file))))
		for range rounds / len(files) {
			bad := slices.Clone(file)
			at := rnd.IntN(len(bad))
			mutate(rnd, &bad[at])
			got, err := valuesOf(bad)
			if err != nil {
				if !typed(err) {
					t.Fatalf("%s, byte %d: %v", name, at, err)
				}
				refused++
				continue
			}
			for i, w := range want {
				switch {
				case i >= len(got) || !got[i].sameSchema(w):
				case got[i].err != nil:
					if !typed(got[i].err) && !errors.Is(got[i].err, memory.ErrLimit) {
						t.Errorf("%s, byte %d: %v", name, at, got[i].err)
					}
					refused++
				case got[i].hash == w.hash && got[i].rows == w.rows:
					read++
				case !undetectable(headers, file, bad, at):
					t.Errorf("%s: byte %d of %d is %#x, not %#x: column %s is read wrong", name, at, len(file), bad[at], file[at], w.name)
				}
			}
		}
	}
	if read < rounds || refused < rounds/10 {
		t.Errorf("only %d columns are read, only %d refused", read, refused)
	}
}
