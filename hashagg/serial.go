package hashagg

import "context"

// serial is one table and one worker.
type serial struct{ *backed }

func newSerial(s *Sink) aggregation {
	return &serial{newBacked(s.newFront(), 0, s.knobs.partitions, s.tablesLimit)}
}

func (a *serial) worker(w *work) worker {
	a.work = w
	return a.backed
}

func (a *serial) finish(ctx context.Context, _ *work) ([]part, error) {
	return a.front.parts(), a.complete(ctx)
}

func (a *serial) form() (form, why string) { return formOf(a.front.table), a.front.why }

func (a *serial) spread() (int, float64) { return 0, 0 }

func (a *serial) foretells() (int64, []Cost) { return 0, nil }

func (a *serial) close() { a.backed.release() }
