package hashagg

// newPartial gives each worker a table of its own; at the end their groups are
// merged, in parallel, by the hash of the key (PostgreSQL's Partial and Finalize
// Aggregate, whose merge is serial).
func newPartial(s *Sink) aggregation { return &partial{newPartitions(s)} }

type partial struct{ *partitions }

func (a *partial) worker() worker { return &partialWorker{a.router(), a.front()} }

type partialWorker struct {
	router *router
	front  *partition
}

func (w *partialWorker) add(in *input) error {
	w.router.counters.rows += int64(in.n)
	w.router.counters.hits += int64(in.n)
	return w.front.add(in)
}

func (w *partialWorker) close() error { return w.router.close() }
