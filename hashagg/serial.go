package hashagg

import "context"

// serial is one table and one worker.
type serial struct{ table *partition }

func newSerial(s *Sink) aggregation { return &serial{s.newFront()} }

func (a *serial) worker() worker { return serialWorker{a.table} }

func (a *serial) finish(context.Context) ([]part, error) { return a.table.parts(), nil }

func (a *serial) report(r *Report) { r.KeyForm = formOf(a.table.table) }

func (a *serial) close() { a.table.close() }

type serialWorker struct{ table *partition }

func (w serialWorker) add(in *input) error { return w.table.add(in) }

func (w serialWorker) close() error { return nil }
