package operators

import "time"

// Flow is what a Drain moved, and how long it took. Its times are wall-clock
// times: a worker that waits for a processor or a lock is in them.
type Flow struct {
	// Workers has the figures of each worker, also of those that got nothing.
	Workers []Work
	// Elapsed is the time from the start of the workers to the end of the
	// last one.
	Elapsed time.Duration
	// Finish is the time that the sink's Finish took.
	Finish time.Duration
}

// Work is what one worker did. Source and Sink are parts of Total; what is left
// is the driver's own.
type Work struct {
	Rows    int64         // selected rows of the batches
	Batches int64         // batches that went from the stream to the writer
	Source  time.Duration // in the stream: opening it, Next and Close
	Sink    time.Duration // in the writer: making it, Write and Close
	Total   time.Duration // from the worker's start to its end
}

// Used returns the number of workers that got at least one batch.
func (f Flow) Used() int {
	n := 0
	for _, w := range f.Workers {
		if w.Batches > 0 {
			n++
		}
	}
	return n
}

// Sum returns the figures of all workers together.
func (f Flow) Sum() Work {
	var sum Work
	for _, w := range f.Workers {
		sum.Rows += w.Rows
		sum.Batches += w.Batches
		sum.Source += w.Source
		sum.Sink += w.Sink
		sum.Total += w.Total
	}
	return sum
}

var epoch = time.Now()

// Now is the clock of everything that measures the path of a batch: the time
// since the start of the process. It reads the monotonic clock alone, which
// takes 26 ns where time.Now takes 50.
func Now() time.Duration { return time.Since(epoch) }
