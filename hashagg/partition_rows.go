package hashagg

// newPartitionRows routes every row to the partition of its key, which alone
// aggregates it (the exchange by hash of SQL Server, Oracle and Greenplum).
func newPartitionRows(s *Sink) aggregation { return &partitionRows{newPartitions(s)} }

type partitionRows struct{ *partitions }

func (a *partitionRows) worker(w *work) worker { return &rowsWorker{a.router(w)} }

type rowsWorker struct{ router *router }

func (w *rowsWorker) add(in *input) error { return w.router.stage(in, nil) }

func (w *rowsWorker) close() error { return w.router.close() }
