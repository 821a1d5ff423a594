package colagg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
)

// FS is Files for the files of fsys, with its slash-separated paths. Its files
// should implement io.ReaderAt or io.Seeker, as those of os.DirFS and embed do;
// others are read whole into memory when they are opened, up to 256 MiB each.
func FS(fsys fs.FS, paths ...string) Source { return fsSource{fsys, paths} }

// maxWhole is the largest file of an fs.FS that is read whole.
const maxWhole = 256 << 20

type fsSource struct {
	fsys  fs.FS
	paths []string
}

func (s fsSource) open(ctx context.Context) (table, error) {
	if s.fsys == nil {
		return nil, badQuery("the file system is nil")
	}
	t := tree{
		stat:  func(p string) (fs.FileInfo, error) { return fs.Stat(s.fsys, p) },
		list:  func(p string) ([]fs.DirEntry, error) { return fs.ReadDir(s.fsys, p) },
		glob:  func(p string) ([]string, error) { return globFS(s.fsys, p) },
		join:  path.Join,
		input: func(p string) Input { return fsFile{s.fsys, p} },
	}
	return t.open(ctx, s.paths)
}

type fsFile struct {
	fsys fs.FS
	path string
}

func (f fsFile) Name() string { return f.path }

func (f fsFile) Open(context.Context) (ReaderAt, error) {
	file, err := f.fsys.Open(f.path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	switch r := file.(type) {
	case io.ReaderAt:
		return openedFile{r, file, info.Size()}, nil
	case io.ReadSeeker:
		return openedFile{&seekReader{r: r}, file, info.Size()}, nil
	}
	whole, err := readWhole(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return wholeFile{whole}, nil
}

type openedFile struct {
	io.ReaderAt
	io.Closer
	size int64
}

func (f openedFile) Size() int64 { return f.size }

// seekReader reads at positions by seeking, one call at a time.
type seekReader struct {
	mu sync.Mutex
	r  io.ReadSeeker
}

func (s *seekReader) ReadAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.r.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(s.r, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// wholeFile is a file's bytes in memory.
type wholeFile struct{ data []byte }

func (f wholeFile) Size() int64  { return int64(len(f.data)) }
func (f wholeFile) Close() error { return nil }

func (f wholeFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func readWhole(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxWhole+1))
	if err == nil && len(b) > maxWhole {
		err = fmt.Errorf("the file cannot be read at positions and is above %d MiB", maxWhole>>20)
	}
	return b, err
}
