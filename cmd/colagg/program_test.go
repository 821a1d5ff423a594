package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// execute runs the built program and returns its exit status.
func execute(t *testing.T, cmd *exec.Cmd) (status int, stdout, stderr string) {
	t.Helper()
	var out, msg bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &msg
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), msg.String()
}

func TestProgramStatus(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"query", data("trips.parquet")}, 0},
		{[]string{"query", "nothing.parquet"}, 1},
		{[]string{"query", data("trips.parquet"), "-g", "nothing"}, 2},
		{[]string{"query", "--nothing"}, 2},
	} {
		status, stdout, stderr := execute(t, exec.Command(program, c.args...))
		if status != c.status || (status == 0) != (stderr == "") || (status != 0) != (stdout == "") {
			t.Errorf("%v: status %d, want %d; %q; %q", c.args, status, c.status, stdout, stderr)
		}
	}
}

// The zone of the machine has no say in what is printed.
func TestProgramTimeZone(t *testing.T) {
	var first string
	for _, zone := range []string{"UTC", "Pacific/Auckland", "America/New_York"} {
		cmd := exec.Command(program, "query", data("times.parquet"), "-g", "zus,tus", "-a", "min(zns), max(zms), min(d), count(*)")
		cmd.Env = append(os.Environ(), "TZ="+zone)
		_, stdout, stderr := execute(t, cmd)
		if first == "" {
			first = stdout
		}
		if stdout != first || stderr != "" || !strings.Contains(stdout, "Z") {
			t.Errorf("%s: %s%s\nwant %s", zone, stdout, stderr, first)
		}
	}
}

// A full disk is an error, not a short result.
func TestProgramFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /dev/full")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	for _, format := range []string{"csv", "json", "table", "parquet", "arrow"} {
		cmd := exec.Command(program, "query", data("trips.parquet"), "-f", format)
		cmd.Stdout = full
		if status, _, stderr := execute(t, cmd); status != 1 || !strings.Contains(stderr, "no space left") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s", format, status, stderr)
		}
	}
	for _, args := range [][]string{{"--help"}, {"help", "query"}, {"query", "--help"}, {"--version"}, {"version"}, {"completion", "bash"}} {
		cmd := exec.Command(program, args...)
		cmd.Stdout = full
		if status, _, stderr := execute(t, cmd); status != 1 || !strings.Contains(stderr, "no space left") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
	if status, _, stderr := execute(t, exec.Command(program, "query", data("trips.parquet"), "-f", "csv", "-o", "/dev/full")); status != 1 || !strings.Contains(stderr, "/dev/full") {
		t.Errorf("-o /dev/full: status %d, %s", status, stderr)
	}
}
