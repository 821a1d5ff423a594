package parquetio

import (
	"os"
	"testing"

	"github.com/colagg/colagg/memory"
)

// FuzzFooter parses any bytes as a footer.
func FuzzFooter(f *testing.F) {
	for _, file := range matrixFiles(f) {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		n := leUint32(b[len(b)-tailSize:])
		f.Add(b[len(b)-tailSize-int(n) : len(b)-tailSize])
	}
	f.Fuzz(func(t *testing.T, footer []byte) {
		file := &File{in: bytesFile(nil), size: 1 << 20, end: 1 << 20}
		if file.parse(footer) == nil {
			file.RowGroups()
			for i, c := range file.Columns() {
				if err := file.Usable(i); err == nil && c.Type == nil {
					t.Fatal("a column without a type is usable")
				}
			}
		}
	})
}

// FuzzPageHeader parses any bytes as a page header.
func FuzzPageHeader(f *testing.F) {
	for _, p := range []testPage{data(3, int64s(1, 2, 3)), dictionary(1, int64s(1)), {kind: pageDataV2, values: 2, nulls: 2, defBytes: 2, body: levels(2, 0)}} {
		f.Add(p.bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, err := parsePageHeader(b)
		if err == nil && (n <= 0 || n > len(b) || h.packed < 0 || h.unpacked < 0 || h.values < 0) {
			t.Fatalf("%+v of %d bytes", h, n)
		}
	})
}

// FuzzFile reads any bytes as a file.
func FuzzFile(f *testing.F) {
	for _, file := range matrixFiles(f) {
		if b, err := os.ReadFile(file); err == nil && len(b) < 4096 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		outcome(t, b, memory.NewBudget(16<<20))
	})
}
