//go:build !linux

package spill

import "errors"

func mountTemp(string, int) error { return errors.ErrUnsupported }

func unmountTemp(string) error { return nil }
