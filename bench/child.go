package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

//go:embed engines.py
var pythonWorker string

// engineNames are all engines in the order of the table.
var engineNames = []string{"floor", "scan", "colagg", "duckdb", "duckdb-py", "polars", "datafusion", "chdb"}

// errMissing is what starting an engine that is not installed unwraps to.
var errMissing = errors.New("not installed")

// child is a worker process that has got its job.
type child struct {
	name    string
	version string
	base    int64 // peak resident bytes before the first question, -1 if unknown
	cmd     *exec.Cmd
	in      *json.Encoder
	out     *json.Decoder
	close   func() error
	timeout time.Duration
}

// startChild starts a fresh worker of an engine and gives it its job.
func startChild(ctx context.Context, name string, j job, timeout time.Duration) (*child, error) {
	cmd, err := workerProcess(ctx, name)
	if err != nil {
		return nil, err
	}
	threads := strconv.Itoa(j.Threads)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+threads, "POLARS_MAX_THREADS="+threads,
		"TOKIO_WORKER_THREADS="+threads, "RAYON_NUM_THREADS="+threads)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{name: name, cmd: cmd, in: json.NewEncoder(in), out: json.NewDecoder(out), close: in.Close, timeout: timeout}
	hello, err := c.say(j)
	if err == nil && hello.Missing != "" {
		err = fmt.Errorf("%w: %s", errMissing, hello.Missing)
	}
	if err != nil {
		c.stop()
		return nil, err
	}
	c.version, c.base = hello.Version, c.peak()
	return c, nil
}

// workerProcess is this binary again, or Python with the embedded script.
func workerProcess(ctx context.Context, name string) (*exec.Cmd, error) {
	if goEngines()[name] != nil {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, self, "worker", name), nil
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, fmt.Errorf("%w: no python3", errMissing)
	}
	return exec.CommandContext(ctx, python, "-c", pythonWorker, name), nil
}

// say sends one line and waits for its reply. A worker that takes longer than
// the timeout is killed, and later calls fail too.
func (c *child) say(line any) (reply, error) {
	timer := time.AfterFunc(c.timeout, func() { c.cmd.Process.Kill() })
	defer timer.Stop()
	start := time.Now()
	var r reply
	if err := c.in.Encode(line); err != nil {
		return r, fmt.Errorf("%s: the worker is gone: %w", c.name, err)
	}
	if err := c.out.Decode(&r); err != nil {
		return r, fmt.Errorf("%s: the worker ended after %s (killed at %s): %w", c.name, time.Since(start).Round(time.Millisecond), c.timeout, err)
	}
	if r.Error != "" {
		return r, fmt.Errorf("%s: %s", c.name, r.Error)
	}
	return r, nil
}

// stop ends the worker.
func (c *child) stop() {
	c.close()
	timer := time.AfterFunc(5*time.Second, func() { c.cmd.Process.Kill() })
	defer timer.Stop()
	c.cmd.Wait()
}

// peak returns the most resident bytes that the worker has had, or -1 where
// there is no /proc.
func (c *child) peak() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return -1
	}
	for line := range bytes.Lines(status) {
		if kb, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			n, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(kb), []byte(" kB"))), 10, 64)
			if err == nil {
				return n << 10
			}
		}
	}
	return -1
}
