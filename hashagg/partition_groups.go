package hashagg

// frontGroups is the number of groups of a worker's own small table: 16K of
// them, with slots, keys and states of a few words, fit the second-level cache
// of a core.
const frontGroups = 16 << 10

// newPartitionGroups gives each worker a small table, whose groups are handed
// over to their partitions when it is full (DuckDB, HyPer).
func newPartitionGroups(s *Sink) aggregation { return &partitionGroups{newPartitions(s)} }

type partitionGroups struct{ *partitions }

func (a *partitionGroups) worker(w *work) worker { return &groupsWorker{a.fronted(w)} }

type groupsWorker struct{ fronted }

func (w *groupsWorker) add(in *input) error {
	before := w.front.groups()
	rest, err := w.put(in)
	if err != nil || w.front.table == nil {
		return err
	}
	w.router.work.hits += int64(max(in.n-rest-(w.front.groups()-before), 0))
	if w.front.groups() < w.router.to.sink.knobs.frontGroups && !w.front.frozen {
		return nil
	}
	return w.handOver()
}
