package parquetio

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
)

// TestChecksums damages a byte of each kind of page, which only its checksum
// shows.
func TestChecksums(t *testing.T) {
	summed := func(p testPage) testPage {
		p.checksum = true
		return p
	}
	v2 := summed(testPage{kind: pageDataV2, values: 1, body: int64s(1), plain: true})
	for name, pages := range map[string][]testPage{
		"version 1":  {data(1, int64s(7)), summed(data(1, int64s(1)))},
		"version 2":  {data(1, int64s(7)), v2},
		"dictionary": {summed(dictionary(1, int64s(1))), {kind: pageData, values: 2, encoding: encodingRLEDictionary, body: []byte{0, 4}}},
	} {
		good := testFile(2, ints(2, pages...))
		bad := slices.Clone(good)
		bad[bytes.Index(bad, int64s(1))] = 2
		for _, skip := range []bool{false, true} {
			rows := 0
			read := func(file []byte) error {
				rows = 0
				return scanAll(mustFooter(t, bytesFile(file)), []int{0}, ScanOptions{SkipChecksums: skip}, func(b *vector.Batch) { rows += b.Len })
			}
			if err := read(good); err != nil || rows != 2 {
				t.Errorf("%s, skip %t: %d rows, %v", name, skip, rows, err)
			}
			err := read(bad)
			if skip {
				if err != nil || rows != 2 {
					t.Errorf("%s: not skipped: %v", name, err)
				}
				continue
			}
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || !errors.Is(err, ErrChecksum) || corrupt.File != "memory" || corrupt.RowGroup != 0 || corrupt.Column != "x" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestNoChecksum reads a page whose checksum is said to be 0, as Parquet.jl
// writes it whatever the bytes are.
func TestNoChecksum(t *testing.T) {
	p := data(1, int64s(1))
	p.zeroChecksum = true
	if got, err := show(t, testFile(1, ints(1, p)), 10); err != nil || got != "1" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestCorruptChecksums reads a file of the collection with changed bits, which
// nobody but the checksums notices.
func TestCorruptChecksums(t *testing.T) {
	dir := collection(t)
	const name = "apache__parquet-testing/data__datapage_v1-corrupt-checksum.parquet"
	i := slices.IndexFunc(readExpected(t, dir), func(e expected) bool { return e.File == "files/"+name })
	want := readExpected(t, dir)[i]
	f := mustFooter(t, diskFile(filepath.Join(dir, "files", filepath.FromSlash(name))))
	for leaf, c := range want.Columns {
		diffs := compareColumn(f, leaf, c, ScanOptions{BatchRows: 1000})
		if len(diffs) != 1 || !strings.HasSuffix(diffs[0], ErrChecksum.Error()) {
			t.Errorf("column %s: %q", c.Name, diffs)
		}
		if diffs := compareColumn(f, leaf, c, ScanOptions{BatchRows: 1000, SkipChecksums: true}); len(diffs) > 0 {
			t.Errorf("column %s without checksums: %q", c.Name, diffs)
		}
	}
}

// TestRelease holds the name in the files that colagg writes to the changelog
// and to the library that is used.
func TestRelease(t *testing.T) {
	text := func(file string) string {
		b, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	release, build, _ := strings.Cut(strings.TrimPrefix(createdBy, "colagg version "), " ")
	if !strings.Contains(text("CHANGELOG.md"), release) {
		t.Errorf("the changelog has no %s", release)
	}
	library := strings.TrimSuffix(strings.TrimPrefix(build, "(build arrow-go-"), ")")
	if !strings.Contains(text("go.mod"), "github.com/apache/arrow/go/v17 v"+library+"\n") {
		t.Errorf("%s is not the library in go.mod", build)
	}
}
