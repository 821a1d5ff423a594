package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed memory_duckdb.py
var limitedDuckDB string

// limitedEngines are the engines of `bench memory`.
var limitedEngines = []string{"colagg", "duckdb-py"}

// task is one query for one process.
type task struct {
	memoryCase
	engine string
	file   string // of the data set
	budget int64  // bytes, 0 for the engine's default
	dir    string // for the answer and what is spilled
}

// answer is the file that the process writes.
func (t task) answer() string { return filepath.Join(t.dir, t.engine+".parquet") }

// usage is what a process took.
type usage struct {
	seconds, cpu  float64
	peak, spilled int64 // bytes; spilled is -1 if unknown
	version       string
	output        []byte // on standard output
}

// command is the process that does the task.
func (p memoryPlan) command(ctx context.Context, t task, more ...string) (*exec.Cmd, error) {
	if t.engine == "colagg" {
		args := append([]string{"query", t.file, "--threads", strconv.Itoa(p.threads), "--temp-dir", t.dir, "--progress", "never"}, t.flags...)
		if t.budget > 0 {
			args = append(args, "--memory", strconv.FormatInt(t.budget, 10))
		}
		if more == nil {
			more = []string{"-o", t.answer()}
		}
		return exec.CommandContext(ctx, p.colagg, append(args, more...)...), nil
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, fmt.Errorf("%w: no python3", errMissing)
	}
	job, err := json.Marshal(map[string]any{"sql": t.query(t.file), "threads": p.threads, "memory": t.budget,
		"temp": t.dir, "out": t.answer(), "settings": p.settings})
	return exec.CommandContext(ctx, python, "-c", limitedDuckDB, string(job)), err
}

// do runs the task's process. The error is that of the query, of the process,
// or context.DeadlineExceeded; what was used until then is told with it.
//
// The time is the process's for colagg, and for DuckDB without Python's start.
// The peak is the resident memory that the system tells when the process has
// ended, which is no less than this process has had: a child begins as a copy.
func (p memoryPlan) do(ctx context.Context, t task, more ...string) (usage, error) {
	within, stop := context.WithTimeout(ctx, p.timeout)
	defer stop()
	u := usage{spilled: -1}
	cmd, err := p.command(within, t, more...)
	if err != nil {
		return u, err
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return u, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return u, err
	}
	var readErr error
	u.output, readErr = io.ReadAll(out) // it ends with the process, of which the figures are still there
	written := writtenBytes(cmd.Process.Pid)
	err = cmd.Wait()
	u.seconds, u.cpu, u.peak = time.Since(start).Seconds(), used(cmd.ProcessState), peakResident(cmd.ProcessState)
	if written >= 0 {
		u.spilled = written - int64(len(u.output))
		if st, err := os.Stat(t.answer()); err == nil {
			u.spilled -= st.Size()
		}
		u.spilled = max(u.spilled, 0)
	}
	switch {
	case ctx.Err() != nil:
		return u, ctx.Err()
	case within.Err() != nil:
		return u, fmt.Errorf("stopped after %s", p.timeout)
	case err != nil:
		return u, errors.New(lastLine(complaint.String(), err.Error()))
	case readErr != nil:
		return u, readErr
	case t.engine == "colagg":
		return u, nil
	}
	return u, u.hear()
}

// hear takes what DuckDB's process says of itself.
func (u *usage) hear() error {
	var said struct {
		Version, Missing, Error string
		Seconds, CPU            float64
	}
	if err := json.Unmarshal(u.output, &said); err != nil {
		return fmt.Errorf("reading what the process says: %w", err)
	}
	if said.Missing != "" {
		return fmt.Errorf("%w: %s", errMissing, said.Missing)
	}
	u.version, u.seconds, u.cpu = said.Version, said.Seconds, said.CPU
	if said.Error != "" {
		return errors.New(lastLine(strings.SplitN(said.Error, "\n", 2)[0], "it failed"))
	}
	return nil
}

// lastLine is the last line of a text, or other if there is none.
func lastLine(text, other string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return other
}

// used is the processor time of a process that has ended, in seconds.
func used(s *os.ProcessState) float64 { return (s.UserTime() + s.SystemTime()).Seconds() }

// writtenBytes is what a process has given to write calls, -1 where there is no
// /proc.
func writtenBytes(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(text)) {
		if number, ok := strings.CutPrefix(line, "wchar: "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}

// need is the most that colagg counts of its memory limit when there is enough
// of it, in bytes. The result is dropped.
func (p memoryPlan) need(ctx context.Context, t task) (int64, error) {
	u, err := p.do(ctx, t, "--analyze=json")
	if err != nil {
		return 0, err
	}
	var plan struct {
		Memory struct {
			Peak int64 `json:"peak_bytes"`
		} `json:"memory"`
	}
	if err := json.Unmarshal(u.output, &plan); err != nil {
		return 0, fmt.Errorf("reading colagg's plan: %w", err)
	}
	if plan.Memory.Peak <= 0 {
		return 0, errors.New("colagg's plan has no peak of memory")
	}
	return plan.Memory.Peak, nil
}

// buildColagg builds the command of the checkout that this module is in.
func buildColagg(ctx context.Context, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/colagg/colagg").Output()
	if err != nil {
		return "", fmt.Errorf("finding colagg's checkout (say -colagg FILE, or run in bench): %w", err)
	}
	binary := filepath.Join(dir, "colagg")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/colagg")
	cmd.Dir = strings.TrimSpace(string(root))
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building colagg: %w: %s", err, bytes.TrimSpace(text))
	}
	return binary, nil
}
