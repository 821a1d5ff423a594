package colagg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/colagg/colagg/parquetio"
)

// tree is a file system to find inputs in: the machine's or an fs.FS.
type tree struct {
	stat  func(path string) (fs.FileInfo, error)
	list  func(dir string) ([]fs.DirEntry, error)
	glob  func(pattern string) ([]string, error)
	join  func(elem ...string) string
	input func(path string) Input
}

type filesSource []string

func (s filesSource) open(ctx context.Context) (table, error) {
	t := tree{
		stat: os.Stat,
		list: os.ReadDir,
		glob: globFiles,
		join: filepath.Join,
		input: func(p string) Input {
			return localFile(p)
		},
	}
	return t.open(ctx, s)
}

func (t tree) open(ctx context.Context, patterns []string) (table, error) {
	if len(patterns) == 0 {
		return nil, badQuery("no input files")
	}
	var inputs []Input
	for _, p := range patterns {
		paths, err := t.find(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			inputs = append(inputs, t.input(path))
		}
	}
	return openFiles(ctx, inputs)
}

// find returns the files that one path stands for, sorted; never none.
func (t tree) find(ctx context.Context, pattern string) ([]string, error) {
	if pattern == "" {
		return nil, badQuery("the path of an input is empty")
	}
	info, err := t.stat(pattern)
	switch {
	case err == nil && info.IsDir():
		found, err := t.walk(ctx, pattern, []fs.FileInfo{info}, nil)
		if err == nil && len(found) == 0 {
			err = notFound(pattern, "no Parquet files below directory %s", "they are known by the endings .parquet, .parq and .pq")
		}
		return found, err
	case err == nil:
		return []string{pattern}, regular(pattern, info)
	case !strings.ContainsAny(pattern, `*?[{`):
		return nil, inputError(pattern, err)
	}
	found, err := t.glob(pattern)
	if errors.Is(err, doublestar.ErrBadPattern) {
		return nil, badQuery("bad file pattern %q", pattern)
	}
	if err != nil {
		return nil, inputError(pattern, err)
	}
	if len(found) == 0 {
		return nil, notFound(pattern, "no files match %s", "names that begin with a dot or an underscore match only if the pattern says so")
	}
	slices.Sort(found)
	for _, path := range found {
		info, err := t.stat(path)
		if err != nil {
			return nil, inputError(path, err)
		}
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// walk appends the Parquet files below dir in the order of their names. Links
// to directories are followed, but not back into the directories above.
func (t tree) walk(ctx context.Context, dir string, above []fs.FileInfo, found []string) ([]string, error) {
	entries, err := t.list(dir)
	if err != nil {
		return nil, inputError(dir, err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if hidden(e.Name()) {
			continue
		}
		path := t.join(dir, e.Name())
		if !e.IsDir() && e.Type()&fs.ModeSymlink == 0 && !parquetName(path) {
			continue
		}
		info, err := t.stat(path)
		if dangling(err) && e.Type()&fs.ModeSymlink != 0 && !parquetName(path) {
			continue
		}
		if err != nil {
			return nil, inputError(path, err)
		}
		switch {
		case info.IsDir():
			if slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
				continue
			}
			if found, err = t.walk(ctx, path, append(slices.Clip(above), info), found); err != nil {
				return nil, err
			}
		case parquetName(path):
			if err := regular(path, info); err != nil {
				return nil, err
			}
			found = append(found, path)
		}
	}
	return found, nil
}

// dangling reports whether err is what following a link to nothing, or around in
// a circle, gives.
func dangling(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP)
}

func parquetName(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".parquet", ".parq", ".pq":
		return true
	}
	return false
}

// regular refuses what cannot be read at any position.
func regular(path string, info fs.FileInfo) error {
	what := "not a regular file"
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m&fs.ModeNamedPipe != 0:
		what = "a pipe, not a regular file"
	case m&fs.ModeDevice != 0:
		what = "a device, not a regular file"
	}
	return &Error{Kind: Unsupported, Source: path, Offset: -1, Err: fmt.Errorf("%s: this is %s", parquetio.SpellName(path), what),
		Hint: "Parquet is read from the end, so it must be in a file"}
}

func notFound(path, format, hint string) error {
	return &Error{Kind: NotFound, Source: path, Offset: -1, Hint: hint, Err: fmt.Errorf(format, parquetio.SpellName(path))}
}

// localFile is a file of the machine, by its path.
type localFile string

func (f localFile) Name() string { return string(f) }

func (f localFile) Open(context.Context) (ReaderAt, error) {
	file, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return sizedFile{file, info.Size()}, nil
}

type sizedFile struct {
	*os.File
	size int64
}

func (f sizedFile) Size() int64 { return f.size }
