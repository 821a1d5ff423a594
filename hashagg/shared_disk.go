package hashagg

import "slices"

// behind returns the partitions on disk; the caller holds gate for writing.
func (a *shared) behind() *partitions {
	if a.below == nil {
		a.below = newDiskPartitions(a.sink, a.sink.knobs.partitions, 0)
	}
	return a.below
}

// freeze ends the making of groups by all workers: rows with other keys go to
// disk.
func (a *shared) freeze(w *sharedWorker) {
	a.gate.Lock()
	defer a.gate.Unlock()
	if a.frozen || a.routed.Load() != nil {
		return
	}
	a.frozen = true
	a.behind()
	w.work.change("new groups in memory", "new groups on disk", "memory is short")
}

// evict moves all groups to disk, where all rows that are to come go too: their
// states grow.
func (a *shared) evict(w *sharedWorker) error {
	a.gate.Lock()
	defer a.gate.Unlock()
	if a.routed.Load() != nil {
		return nil
	}
	r := w.route(a.behind())
	w.work.change("groups in memory", "groups on disk", "memory is short, and states grow")
	a.reason = "memory is short"
	locals := slices.Clone(a.locals)
	for _, o := range a.workers {
		if o.grouper != nil {
			o.grouper.Close()
		}
		if o.common != nil {
			if err := o.common.close(); err != nil {
				return err
			}
		}
		if o.local != nil {
			locals = append(locals, o.local)
		}
		o.grouper, o.local, o.common = nil, nil, nil
	}
	for _, l := range locals {
		if err := r.handOver(a.partOf(l)); err != nil {
			return err
		}
		l.close()
	}
	if c := a.common.Load(); c != nil {
		for _, p := range (*c).parts(a.table, a.used()) {
			if err := r.handOver(p); err != nil {
				return err
			}
			p.states.close()
		}
	}
	a.release()
	a.evicted = true
	a.routed.Store(a.below)
	return nil
}

// partOf returns the groups of which a worker's states s may have one.
func (a *shared) partOf(s *states) part {
	p := part{table: a.table, states: s, hi: s.n, count: 1}
	if s.n == 0 {
		return p
	}
	p.used.grow(max(a.bound(), s.n))
	a.space.addUsed(p.used)
	if a.sparse() {
		s.addUsed(p.used, a.space.base, 0, 1)
	}
	return p
}

func (a *shared) runs() []*run {
	if to := a.routed.Load(); to != nil {
		return to.runs()
	}
	if a.below != nil {
		return a.below.runs()
	}
	return nil
}
