package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// entrySums holds what each entry of a dictionary adds to sums, so that a coded
// argument need not be expanded: h2o's question 1 takes 15 % less time.
type entrySums struct {
	id    uint64   // dictionary, 0 for none
	twice []uint64 // for words of narrow
	most  uint64   // the greatest magnitude
	low   []uint64 // for halves
	high  []uint64 // nil if all are 0
}

// entriesRows is the most entries for each row of a batch that are prepared.
const entriesRows = 4

// addCodes adds a batch whose argument is coded, without NULLs, and whose values
// are so small, or tickets so few, that no addition needs a check. It reports false for others and
// leaves them alone.
func (s *sumIntegers[T]) addCodes(tickets []uint32, v *vector.Vector) bool {
	if v.Codes == nil || v.Dict.ID == 0 || v.Type.ID() == arrow.BOOL || v.MayHaveNulls() {
		return false
	}
	if v.Dict.ID != s.entries.id {
		if v.Dict.Len > entriesRows*len(tickets) {
			return false
		}
		fillEntries(&s.entries, v.Dict.ID, vector.Values[T](v.Dict))
	}
	codes := v.Codes[:len(tickets)]
	fit := s.fit(len(tickets), s.entries.most)
	switch words, stride := s.rows(); {
	case s.n <= localTickets && s.n*localRows <= len(tickets):
		s.growLocal()
		for len(tickets) > 0 {
			n := min(len(tickets), localBatch)
			s.entries.add(s.local, tickets[:n], codes[:n])
			s.foldLocal()
			tickets, codes = tickets[n:], codes[n:]
		}
	case !fit:
		return false
	case s.number != 0:
		addNumberedEntries(words, stride, tickets, codes, s.entries.twice, s.number)
	default:
		addEntries(words, stride, tickets, codes, s.entries.twice)
	}
	return true
}

func fillEntries[T integer](e *entrySums, id uint64, vals []T) {
	e.id, e.most = id, 0
	e.twice = vector.Resize(e.twice, len(vals))
	e.low = vector.Resize(e.low, len(vals))
	e.high = vector.Resize(e.high, len(vals))
	some := false
	for i, v := range vals {
		h := halvesOf(v)
		e.low[i], e.high[i] = h.low, h.high
		some = some || h.high != 0
		e.twice[i] = uint64(v) << 1
		e.most = max(e.most, magnitude(v))
	}
	if !some {
		e.high = nil
	}
}

// magnitude returns the absolute value of v.
func magnitude[T integer](v T) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// bytes returns the memory held.
func (e *entrySums) bytes() int64 { return 8 * int64(cap(e.twice)+cap(e.low)+cap(e.high)) }

//go:noinline
func (e *entrySums) add(local []halves, tickets, codes []uint32) {
	codes = codes[:len(tickets)]
	low := e.low
	for i, t := range tickets {
		local[t].low += low[codes[i]]
	}
	if e.high == nil {
		return
	}
	for i, t := range tickets {
		local[t].high += e.high[codes[i]]
	}
}

// addEntries adds to words, of which none can overflow: 1.0 ns a row, with 10,000
// tickets, instead of 1.8 for addIntegers on expanded values.
//
//go:noinline
func addEntries(words []uint64, stride int, tickets, codes []uint32, twice []uint64) {
	codes = codes[:len(tickets)]
	for i, t := range tickets {
		b := int(t) * stride
		words[b] = (words[b] + twice[codes[i]]) | 1
	}
}

//go:noinline
func addNumberedEntries(words []uint64, stride int, tickets, codes []uint32, twice []uint64, number int) {
	codes = codes[:len(tickets)]
	for i, t := range tickets {
		b := int(t) * stride
		words[b] = (words[b] + twice[codes[i]]) | 1
		words[b+number]++
	}
}
