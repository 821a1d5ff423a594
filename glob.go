package colagg

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// hidden reports whether a file or directory is found by its name only: such
// names are for what is unfinished or no data.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// globFiles is globFS for the files of the machine.
func globFiles(pattern string) ([]string, error) {
	dir, pattern := doublestar.SplitPattern(filepath.ToSlash(filepath.Clean(pattern)))
	found, err := globFS(os.DirFS(dir), pattern)
	for i, p := range found {
		found[i] = filepath.FromSlash(path.Join(dir, p))
	}
	return found, err
}

// globFS returns the files of fsys that match the pattern, without those that
// only a wildcard makes match a name that is hidden.
func globFS(fsys fs.FS, pattern string) ([]string, error) {
	pattern = path.Clean(pattern)
	fsys = linkFS{fsys}
	if !wantsHidden.MatchString(pattern) {
		fsys = visibleFS{fsys}
	}
	found, err := doublestar.Glob(fsys, pattern, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	return slices.DeleteFunc(found, func(p string) bool { return guessed(pattern, p) }), err
}

// wantsHidden matches patterns in which a name may begin like a hidden one by
// itself.
var wantsHidden = regexp.MustCompile(`(^|[/{,])[._\[\\]`)

// guessed reports whether a wildcard of the pattern stands for the first
// character of a hidden name in a path that matches: then the path with
// another one in its place matches too.
func guessed(pattern, p string) bool {
	names := strings.Split(p, "/")
	for i, name := range names {
		if !hidden(name) {
			continue
		}
		names[i] = "\ufffc" + name[1:]
		if ok, err := doublestar.Match(pattern, strings.Join(names, "/")); ok && err == nil {
			return true
		}
		names[i] = name
	}
	return false
}

// visibleFS lists no hidden names, so that nobody walks into a directory that
// another program may be removing. They can be opened.
type visibleFS struct{ fs.FS }

func (v visibleFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(v.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return hidden(e.Name()) }), err
}

// linkFS says of links that lead around in a circle what is said of links to
// nothing: they are no directories to look into.
type linkFS struct{ fs.FS }

func (l linkFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(l.FS, name) }

func (l linkFS) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(l.FS, name)
	if dangling(err) {
		err = &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info, err
}

func (v visibleFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(v.FS, name) }
