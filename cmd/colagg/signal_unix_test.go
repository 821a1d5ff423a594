//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start starts the program with a result that nobody reads.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stdout io.ReadCloser, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.Command(program, args...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdout, stderr
}

// soon is more than a signal takes, with room for a machine that is busy.
const soon = 5 * time.Second

// ends waits for cmd and checks that it ends soon, with the status.
func ends(t *testing.T, cmd *exec.Cmd, status int) {
	t.Helper()
	begin := time.Now()
	_ = cmd.Wait()
	if d := time.Since(begin); d > soon {
		t.Errorf("ended after %s", d)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d (%s)", got, status, cmd.ProcessState)
	}
}

// wide is a query whose result is more than a pipe holds.
var wide = []string{"query", data("trips.parquet"), "-g", "id,pickup,city,vendor,day,distance", "-f", "ndjson"}

func TestSignalsInOutput(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, stdout, stderr := start(t, wide...)
		// It is writing once the first byte is there, and blocked soon after.
		if _, err := stdout.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		ends(t, cmd, 130)
		if got := stderr.String(); got != "colagg: interrupted\n" {
			t.Errorf("said %q", got)
		}
	}
}

func TestSecondSignal(t *testing.T) {
	cmd, stdout, _ := start(t, wide...)
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	ends(t, cmd, 130)
}

// begun waits until cmd has n output files in dir that are not finished, and
// reports how many of them have names.
func begun(t *testing.T, cmd *exec.Cmd, dir string, n int) (named int) {
	t.Helper()
	unnamed := 0
	for range 400 {
		named, unnamed = strings.Count(names(t, dir), ".tmp"), 0
		fds := fmt.Sprintf("/proc/%d/fd", cmd.Process.Pid)
		open, _ := os.ReadDir(fds)
		for _, fd := range open {
			to, err := os.Readlink(filepath.Join(fds, fd.Name()))
			if err == nil && strings.HasPrefix(to, dir+"/") && strings.HasSuffix(to, " (deleted)") {
				unnamed++
			}
		}
		if named+unnamed == n {
			return named
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d and %d outputs begun, not %d", named, unnamed, n)
	return named
}

// An output file that a signal stops in its middle leaves nothing.
func TestSignalsLeaveNoFile(t *testing.T) {
	long := []string{"query", "-g", "id,city,vendor,pickup,fare", "-a", "min(distance),max(payment.card_last4)"}
	for range 2000 { // ten million rows
		long = append(long, data("trips.parquet"))
	}
	dir := t.TempDir()
	for name, ending := range map[string]struct {
		signal os.Signal
		status int
	}{"x.csv": {os.Interrupt, 130}, "x.parquet": {os.Interrupt, 130}, "y.csv": {syscall.SIGQUIT, 2}, "z.csv": {syscall.SIGKILL, -1}} {
		cmd, _, stderr := start(t, append(long, "-o", filepath.Join(dir, name))...)
		if named := begun(t, cmd, dir, 1); named > 0 && ending.signal == syscall.SIGKILL {
			t.Log("files in", dir, "cannot be without a name: one stays when the program is killed")
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			continue
		}
		time.Sleep(100 * time.Millisecond)
		if err := cmd.Process.Signal(ending.signal); err != nil {
			t.Fatal(err)
		}
		ends(t, cmd, ending.status)
		if stacks := strings.Contains(stderr.String(), "goroutine "); stacks != (ending.status == 2) {
			t.Errorf("%s: said %s", ending.signal, stderr)
		}
		if got := names(t, dir); got != "" {
			t.Errorf("left behind: %s", got)
		}
	}
}

// So does a measurement, while it makes rows and while it measures.
func TestSignalsStopBench(t *testing.T) {
	for _, rows := range []string{"20_000_000", "200_000"} {
		dir := t.TempDir()
		cmd, _, stderr := start(t, "bench", "skew", "--rows", rows, "--runs", "1000", "-o", dir)
		begun(t, cmd, dir, 2)
		time.Sleep(100 * time.Millisecond)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		ends(t, cmd, 130)
		if got := stderr.String(); got != "colagg: interrupted\n" {
			t.Errorf("said %q", got)
		}
		if got := names(t, dir); got != "" {
			t.Errorf("left behind: %s", got)
		}
	}
}

// A reader that has enough ends the program, without a word.
func TestBrokenPipe(t *testing.T) {
	cmd, stdout, stderr := start(t, wide...)
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = stdout.Close()
	ends(t, cmd, 141)
	if stderr.Len() > 0 {
		t.Errorf("%s", stderr)
	}
}

// What nohup and background jobs ignore stays ignored.
func TestIgnoredSignals(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap '' INT HUP; exec "$0" "$@"`, program)
	cmd.Args = append(cmd.Args, wide...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	if _, err := io.Copy(io.Discard, stdout); err != nil {
		t.Fatal(err)
	}
	ends(t, cmd, 0)
}
