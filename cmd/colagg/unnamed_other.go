//go:build !linux

package main

import (
	"errors"
	"io/fs"
	"os"
)

func createUnnamed(string, fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func unnamedPath(f *os.File) string { return f.Name() }

func nameFile(*os.File, string) error { return errors.ErrUnsupported }
