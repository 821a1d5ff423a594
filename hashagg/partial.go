package hashagg

// newPartial gives each worker a table of its own; at the end their groups are
// merged, in parallel, by the hash of the key (PostgreSQL's Partial and Finalize
// Aggregate, whose merge is serial).
func newPartial(s *Sink) aggregation { return &partial{newPartitions(s)} }

type partial struct{ *partitions }

func (a *partial) worker(w *work) worker { return &partialWorker{a.fronted(w)} }

type partialWorker struct{ fronted }

func (w *partialWorker) add(in *input) error {
	rest, err := w.put(in)
	w.router.work.hits += int64(in.n - rest)
	return err
}
