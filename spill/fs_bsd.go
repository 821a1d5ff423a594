//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package spill

import "os"

func create(path string) (f *os.File, named bool, err error) {
	if f, err = createNamed(path); err == nil {
		lock(f)
	}
	return f, true, err
}

func punch(*os.File, int64, int64) error { return errNoPunch }

func free(string) int64 { return -1 }
