// Package archtest holds the tests that keep the shape of this module: which
// package may import which, how long files and functions may be, and what must
// be documented. It has no code of its own.
//
// A rule that a change runs into is there to be talked about: change the table
// here and ARCHITECTURE.md together.
package archtest
