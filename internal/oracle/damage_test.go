package oracle_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// TestCutFiles cuts files of testdata short; every column of what is left must
// be refused, by an error that names the file.
func TestCutFiles(t *testing.T) {
	for _, name := range []string{"trips", "texts", "no_rows", "many_nans"} {
		data, err := os.ReadFile(filepath.Join(testdata, name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range []int{0, 3, 4, 11, len(data) / 2, len(data) - 8, len(data) - 1} {
			path := filepath.Join(t.TempDir(), "cut.parquet")
			if err := os.WriteFile(path, data[:left], 0o600); err != nil {
				t.Fatal(err)
			}
			refusedFile(t, path, colagg.Corrupt)
		}
	}
}

// TestWrongFiles queries what is no Parquet file.
func TestWrongFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"words.parquet": strings.Repeat("no columns here\n", 100), "magic.parquet": "PAR1PAR1", "twice.parquet": "PAR1\x00\x00\x00\x00PAR1"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refusedFile(t, path, colagg.Corrupt)
	}
	refusedFile(t, filepath.Join(dir, "missing.parquet"), colagg.NotFound)
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	refusedFile(t, empty, colagg.NotFound)
}

func refusedFile(t *testing.T, path string, kind colagg.Kind) {
	t.Helper()
	_, _, err := variant{"auto", 2, 0}.run(colagg.Query{From: colagg.Files(path)})
	var e *colagg.Error
	if !errors.As(err, &e) || e.Kind != kind || !strings.Contains(err.Error(), filepath.Base(path)) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the error is %v, want one line of kind %q that names the file", path, err, kind)
	}
}

// TestZones runs the scripts about time in other time zones of the machine.
func TestZones(t *testing.T) {
	for _, zone := range []string{"Pacific/Auckland", "America/New_York", "UTC"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestScripts$/^times$", "-test.short")
		cmd.Env = append(os.Environ(), "TZ="+zone)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("TZ=%s: %v\n%s", zone, err, out)
		}
	}
}
