package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/colagg/colagg"
	"github.com/dustin/go-humanize"
)

// parseMemory reads the value of --memory: a number of bytes with or without a
// unit (MB is a million, MiB 1024 times 1024), or a part of the available memory
// in percent. Nothing is 0, the default.
func parseMemory(s string) (int64, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, nil
	}
	if number, ok := strings.CutSuffix(s, "%"); ok {
		percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(percent > 0 && percent <= 100) {
			return 0, usagef("--memory is no part from 0%% to 100%%: %q", s)
		}
		return max(1, int64(float64(colagg.AvailableMemory())*percent/100)), nil
	}
	return parseSize("memory", s, "512MB, 2GiB or 50%")
}

// parseSize reads the value of a flag: a number of bytes, not 0, with or without
// a unit. likes are examples for the error.
func parseSize(flag, s, likes string) (int64, error) {
	bytes, err := humanize.ParseBytes(strings.TrimSpace(s))
	if err != nil || bytes == 0 || bytes > math.MaxInt64 {
		return 0, usagef("--%s is no size such as %s: %q", flag, likes, s)
	}
	return int64(bytes), nil
}
