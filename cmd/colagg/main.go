// Command colagg answers GROUP BY over Parquet files.
//
// Results go to standard output, everything else to standard error. The exit
// status is 0, or 1 if it failed, 2 if the command line or the query is wrong,
// 130 if a signal ended it, 141 if nobody reads the pipe that it writes to.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalGrace is how long an interrupted command may take to end by itself.
const signalGrace = 500 * time.Millisecond

func main() {
	// Writes to a closed pipe give an error then, so that a half-written
	// output file is removed.
	signal.Ignore(syscall.SIGPIPE)
	env := systemEnviron()
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup and background jobs have it
			signal.Notify(signals, s)
		}
	}
	quits := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGQUIT) {
		signal.Notify(quits, syscall.SIGQUIT)
	}
	go func() {
		<-quits
		quit(env)
	}()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() { done <- finish(env, run(ctx, env, os.Args[1:])) }()
	select {
	case status := <-done:
		os.Exit(status)
	case <-signals:
		cancel()
	}
	select {
	case status := <-done:
		os.Exit(status)
	case <-signals:
	case <-time.After(signalGrace): // blocked in a write that nobody reads
	}
	env.discardOutput()
	within(signalGrace, func() { env.complain(context.Canceled) })
	os.Exit(statusInterrupted)
}

// quit removes an output file that is not finished, and then lets SIGQUIT do
// what it does to every Go program: print the stacks and exit.
func quit(env *environ) {
	within(signalGrace, env.discardOutput)
	signal.Reset(syscall.SIGQUIT)
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Signal(syscall.SIGQUIT)
	}
}

// within waits for f to return, but no longer than d: it may be blocked in a
// write.
func within(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// finish closes standard output, which may be where a full disk shows.
func finish(env *environ, status int) int {
	if err := os.Stdout.Close(); err != nil && !errors.Is(err, syscall.EBADF) && status == statusOK {
		env.complain(err)
		return statusFailed
	}
	return status
}
