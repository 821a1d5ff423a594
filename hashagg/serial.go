package hashagg

import "context"

// serial is one table and one worker.
type serial struct{ table *partition }

func newSerial(s *Sink) aggregation { return &serial{s.newFront()} }

func (a *serial) worker(w *work) worker { return serialWorker{a.table, w} }

func (a *serial) finish(context.Context, *work) ([]part, error) { return a.table.parts(), nil }

func (a *serial) form() (form, why string) { return formOf(a.table.table), a.table.why }

func (a *serial) spread() (int, float64) { return 0, 0 }

func (a *serial) foretells() (int64, []Cost) { return 0, nil }

func (a *serial) close() { a.table.close() }

type serialWorker struct {
	table *partition
	work  *work
}

func (w serialWorker) add(in *input) error { return w.table.add(in, w.work) }

func (w serialWorker) close() error { return nil }
