//go:build !unix

package main

import "os"

// peakResident is unknown here.
func peakResident(*os.ProcessState) int64 { return -1 }
