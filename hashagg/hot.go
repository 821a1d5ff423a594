package hashagg

import "fmt"

const (
	// hotSample is how many rows of a batch are looked at for hot groups.
	hotSample = 64
	// hotRows is how many of those make a group hot: with an eighth of all rows
	// in one group, its stripe has three times the rows of the others.
	hotRows = hotSample / 8
	// mostHot is how many groups a worker keeps for itself.
	mostHot = 16
)

// hotGroups are the groups that have a large share of the rows, as seen while
// states are shared. A worker has states of its own for them: with shared ones,
// all workers would wait for one stripe.
type hotGroups struct {
	tickets []uint32 // by number in states
	slots   [256]uint8
	stripe  // whose lock is always free
}

// number returns the number of ticket t.
func (h *hotGroups) number(t uint32) (uint32, bool) {
	s := h.slots[uint8(t)]
	if s == 0 || h.tickets[s-1] != t {
		return 0, false
	}
	return uint32(s - 1), true
}

// look looks for a new hot group in a batch.
func (h *hotGroups) look(tickets []uint32, w *work) {
	step := len(tickets) / hotSample
	if step == 0 || len(h.tickets) == mostHot {
		return
	}
	var counts [256]uint8
	likely, most := uint32(0), uint8(0)
	for i := range hotSample {
		t := tickets[i*step]
		if h.slots[uint8(t)] != 0 {
			continue
		}
		if counts[uint8(t)]++; counts[uint8(t)] > most {
			likely, most = t, counts[uint8(t)]
		}
	}
	seen := 0
	for i := range hotSample {
		if tickets[i*step] == likely {
			seen++
		}
	}
	if most < hotRows || seen < hotRows {
		return
	}
	w.change("a group's state shared", "its state with the worker", fmt.Sprintf("%d of %d rows were its", seen, hotSample))
	h.tickets = append(h.tickets, likely)
	h.slots[uint8(likely)] = uint8(len(h.tickets))
}

// handOver adds the states of the hot groups to the stripes.
func (h *hotGroups) handOver(w *stripeWriter) error {
	for i, t := range h.tickets {
		k, at := stripeOf(t)
		s := &w.stripes.all[k]
		w.work.lock(&s.mu)
		_, err := s.states.merge(at, h.states, i, i+1, nil)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	h.states.close()
	return nil
}
