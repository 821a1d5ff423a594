package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program is the built command.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "colagg-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		program = filepath.Join(dir, "colagg")
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s\n%v\n", out, err)
			return 1
		}
		return m.Run()
	}())
}

// data returns the path of a test file.
func data(name string) string { return filepath.Join("..", "..", "testdata", name) }

// sandbox is a place to run commands in this process.
type sandbox struct {
	environ
	out, err bytes.Buffer
}

func newSandbox() *sandbox {
	s := &sandbox{}
	s.stdin, s.stdout, s.stderr = strings.NewReader(""), &s.out, &s.err
	s.getenv = func(string) string { return "" }
	s.limitHeap = func(int64) {}
	return s
}

// run runs a command line and returns its status, output and messages.
func (s *sandbox) run(args ...string) (status int, stdout, stderr string) {
	s.out.Reset()
	s.err.Reset()
	status = run(context.Background(), &s.environ, args)
	return status, s.out.String(), s.err.String()
}

// must runs a command line that has to succeed quietly and returns its output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := newSandbox().run(args...)
	if status != 0 || stderr != "" {
		t.Fatalf("colagg %s: status %d, %s", strings.Join(args, " "), status, stderr)
	}
	return stdout
}

// names returns what is in a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
