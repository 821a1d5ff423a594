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
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup and background jobs have it
			signal.Notify(signals, s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	env := systemEnviron()
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
	os.Exit(statusInterrupted)
}

// finish closes standard output, which may be where a full disk shows.
func finish(env *environ, status int) int {
	if err := os.Stdout.Close(); err != nil && !errors.Is(err, syscall.EBADF) && status == statusOK {
		env.complain(err)
		return statusFailed
	}
	return status
}
