package colagg

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Names that begin with a dot or an underscore match if the pattern has that
// character itself, in directories and files, at any depth.
func TestGlobHidden(t *testing.T) {
	dir := t.TempDir()
	inMemory := fstest.MapFS{}
	for _, name := range []string{
		"a.parquet", "_b.parquet", ".c.parquet", "_tmp/d.parquet", "_tmp/_e.parquet", ".git/f.parquet", "x/g.parquet", "x/_h.parquet",
		"x/_i/j.parquet", "x/.k/l.parquet", "_tmp/x/m.parquet",
	} {
		inMemory[name] = &fstest.MapFile{}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]string{
		"*.parquet":                 "a.parquet",
		"**/*.parquet":              "a.parquet x/g.parquet",
		"**":                        "a.parquet x/g.parquet",
		"?b.parquet":                "",
		"[_]b.parquet":              "_b.parquet",
		"[^x]b.parquet":             "",
		"_*":                        "_b.parquet",
		".*":                        ".c.parquet",
		"{a,_b}.*":                  "_b.parquet a.parquet",
		"{*,_*}.parquet":            "a.parquet",
		"_tmp/*":                    "_tmp/d.parquet",
		"_tmp/_*":                   "_tmp/_e.parquet",
		"_tmp/**":                   "_tmp/d.parquet _tmp/x/m.parquet",
		"_*/**":                     "_tmp/d.parquet _tmp/x/m.parquet",
		"*/*.parquet":               "x/g.parquet",
		"**/_*":                     "_b.parquet x/_h.parquet",
		"**/_i/*":                   "x/_i/j.parquet",
		"x/**/.k/*":                 "x/.k/l.parquet",
		`\_b*`:                      "_b.parquet",
		"./x/../**/g.*":             "x/g.parquet",
		"{.git,x,_tmp/x}/?.parquet": ".git/f.parquet _tmp/x/m.parquet x/g.parquet",
	} {
		found, err := globFS(inMemory, pattern)
		slices.Sort(found)
		if got := strings.Join(found, " "); got != want || err != nil {
			t.Errorf("%s: got %s (%v), want %s", pattern, got, err, want)
		}
		if strings.Contains(pattern, `\`) && filepath.Separator == '\\' {
			continue
		}
		found, err = globFiles(filepath.Join(dir, filepath.FromSlash(pattern)))
		for i, p := range found {
			found[i], _ = filepath.Rel(dir, p)
			found[i] = filepath.ToSlash(found[i])
		}
		slices.Sort(found)
		if got := strings.Join(found, " "); got != want || err != nil {
			t.Errorf("%s on disk: got %s (%v), want %s", pattern, got, err, want)
		}
	}
}

// A directory that is hidden is not even listed.
func TestGlobLeavesHiddenAlone(t *testing.T) {
	fsys := lockedFS{fstest.MapFS{"a/b.parquet": &fstest.MapFile{}, "a/_temporary/0/c.parquet": &fstest.MapFile{}}}
	if found, err := globFS(fsys, "**/*.parquet"); err != nil || !slices.Equal(found, []string{"a/b.parquet"}) {
		t.Error(found, err)
	}
	if _, err := globFS(fsys, "a/_temporary/**"); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// lockedFS is a file system in which hidden directories cannot be listed.
type lockedFS struct{ fstest.MapFS }

func (l lockedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if strings.Contains(name, "_") {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.ReadDir(name)
}
