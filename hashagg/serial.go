package hashagg

import "context"

// serial is one table and one worker.
type serial struct{ *backed }

func newSerial(s *Sink) aggregation { return &serial{newBacked(s.newFront(), 0, s.knobs.partitions)} }

func (a *serial) worker(w *work) worker {
	a.work = w
	return a.backed
}

func (a *serial) finish(context.Context, *work) ([]part, error) { return a.front.parts(), nil }

func (a *serial) form() (form, why string) { return formOf(a.front.table), a.front.why }

func (a *serial) spread() (int, float64) { return 0, 0 }

func (a *serial) foretells() (int64, []Cost) { return 0, nil }

func (a *serial) close() { a.backed.release() }
