package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// output is a file that appears whole or not at all: it is written without a
// name, where the system has such files, or under another name in the same
// directory, and gets its name at the end. A path that is there and no regular
// file (a device, a pipe) is written to directly.
type output struct {
	path    string // where it is to appear
	temp    string // where it is now; empty if written directly
	unnamed bool   // temp is no name in the directory
	file    *os.File

	mu   sync.Mutex
	done bool // committed or discarded
}

// createOutput begins a file at path. If one is there it stays as it is until
// commit, which keeps its permissions; a symbolic link is followed.
func createOutput(path string) (*output, error) { return beginOutput(path, createUnnamed) }

// beginOutput is createOutput with a way to make files without names.
func beginOutput(path string, createUnnamed func(dir string, perm fs.FileMode) (*os.File, error)) (*output, error) {
	path = followLinks(path)
	perm := fs.FileMode(0o666)
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, fmt.Errorf("output %s is a directory", path)
	case !st.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &output{path: path, file: f}, nil
	default:
		perm = st.Mode().Perm()
	}
	o := &output{path: path}
	if o.file, err = createUnnamed(filepath.Dir(path), perm); err == nil {
		o.temp, o.unnamed = unnamedPath(o.file), true
	} else {
		o.temp, err = tempName(path, func(temp string) (err error) {
			o.file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
			return err
		})
	}
	if err != nil {
		return nil, o.failed(err)
	}
	if st != nil {
		if err := o.file.Chmod(perm); err != nil { // the umask has no say in it
			o.discard()
			return nil, o.failed(err)
		}
	}
	return o, nil
}

// tempName calls f with names beside path until one is not taken, and returns
// that and f's error.
func tempName(path string, f func(temp string) error) (temp string, err error) {
	for range 100 {
		temp = filepath.Join(filepath.Dir(path), fmt.Sprintf(".colagg-%016x.tmp", rand.Uint64()))
		if err = f(temp); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return temp, err
}

// maxLinks is how many links in a row are followed, as in Linux.
const maxLinks = 40

// followLinks returns what path leads to, where nothing need be yet, or path
// itself if that cannot be known.
func followLinks(path string) string {
	at := path
	for range maxLinks {
		if target, err := filepath.EvalSymlinks(at); err == nil {
			return target
		}
		target, err := os.Readlink(at)
		dir, name := filepath.Split(at) // not Dir: x/.. may be elsewhere if x is a link
		if err != nil {                 // at is no link: there is nothing yet
			if real, err := filepath.EvalSymlinks(dir + "."); err == nil && name != "" {
				return filepath.Join(real, name)
			}
			return at
		}
		if !filepath.IsAbs(target) {
			target = dir + target
		}
		at = target
	}
	return path
}

// Write appends to the file.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	return n, o.failed(err)
}

// failed puts the name that the user knows in the place of the temporary one.
func (o *output) failed(err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("output %s: %w", o.path, err)
}

// commit makes the file durable, has check look at it, and gives it its name.
func (o *output) commit(check func(path string) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return o.failed(fs.ErrClosed)
	}
	if o.temp == "" {
		o.done = true
		return o.failed(o.file.Close())
	}
	if err := o.file.Sync(); err != nil {
		return o.failed(err)
	}
	if !o.unnamed {
		if err := o.file.Close(); err != nil {
			return o.failed(err)
		}
	}
	if err := check(o.temp); err != nil {
		return o.failed(fmt.Errorf("the written file is not right: %w", err))
	}
	if err := o.name(); err != nil {
		return o.failed(err)
	}
	o.done = true
	syncDir(filepath.Dir(o.path))
	return nil
}

// name gives the finished file its name. A file without one cannot replace
// another: it is given a name of its own first.
func (o *output) name() error {
	if !o.unnamed {
		return os.Rename(o.temp, o.path)
	}
	err := nameFile(o.file, o.path)
	if errors.Is(err, fs.ErrExist) {
		var temp string
		if temp, err = tempName(o.path, func(temp string) error { return nameFile(o.file, temp) }); err != nil {
			return err
		}
		if err = os.Rename(temp, o.path); err != nil {
			_ = os.Remove(temp)
		}
	}
	if err == nil {
		_ = o.file.Close() // it is durable already
	}
	return err
}

// discard closes and removes the file unless it is committed. It may be called
// again, and by another goroutine than the one that writes.
func (o *output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return
	}
	o.done = true
	_ = o.file.Close()
	if o.temp != "" && !o.unnamed {
		_ = os.Remove(o.temp)
	}
}

// outputs are the files of a command. Goroutines may share it.
type outputs struct {
	mu    sync.Mutex
	files []*output
}

func (o *outputs) add(file *output) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files = append(o.files, file)
}

// discard discards each of the files.
func (o *outputs) discard() {
	o.mu.Lock()
	files := o.files
	o.files = nil
	o.mu.Unlock()
	for _, file := range files {
		file.discard()
	}
}

// syncDir makes a rename in dir durable, where the system and the file system
// can: not on Windows, and not in a directory that may not be read.
func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	_ = d.Sync()
	_ = d.Close()
}
