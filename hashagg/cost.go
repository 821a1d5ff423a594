package hashagg

import (
	"math"
	"strings"
	"time"

	"github.com/colagg/colagg/vector"
)

// Cost is what a strategy is predicted to take of a query.
type Cost struct {
	Strategy Strategy
	// Time is by the clock on the wall, each worker having a processor of its
	// own: of grouping and of bringing together, not of reading and output.
	Time time.Duration
	// Memory is what tables, states and rows that wait hold at once, in bytes.
	Memory int64
	// Fits says that Memory is no more than the budget has free.
	Fits bool
}

// estimate predicts what each strategy takes, serial first, from what is known:
// it runs nothing. Keys are taken to be equally frequent, which is the worst
// case: fewer keys that come more often are nearer. How the terms were measured
// is said in units.go.
func (f facts) estimate() []Cost {
	return []Cost{
		f.cost(Serial, f.serialTime(), f.table(f.seen(), growth)),
		f.cost(Shared, f.sharedTime(), f.sharedMemory()),
		f.cost(Partial, f.partialTime(), f.partialMemory()),
		f.cost(PartitionRows, f.routedTime(1), f.partitioned(true)),
		f.cost(PartitionGroups, f.groupsTime(), f.partitioned(false)+f.fronts()),
		f.cost(Hybrid, f.hybridTime(), f.partitioned(f.seen() > float64(f.front))+f.fronts()),
	}
}

// accountStep is by how much accounts grow that many workers do not share.
const accountStep = 1 << 20

// cost makes a Cost of a time in nanoseconds and a size in bytes.
func (f facts) cost(s Strategy, ns, bytes float64) Cost {
	bytes += accountStep * (1 + f.wide())
	c := Cost{Strategy: s, Time: time.Duration(min(ns, math.MaxInt64/2)), Memory: int64(min(bytes, math.MaxInt64/2))}
	c.Fits = c.Memory <= f.free
	return c
}

// known returns the rows and the groups that an estimate is for.
func (f facts) known() (rows, groups float64) {
	rows, groups = float64(f.rows), float64(f.groups)
	if f.rows < 0 {
		rows = max(unknownRows, unknownShare*groups)
	}
	if f.groups < 0 {
		groups = rows / unknownShare
	}
	return rows, max(1, min(groups, rows))
}

// held is how many of g equally frequent keys are expected in n rows.
func held(n, g float64) float64 { return -g * math.Expm1(-n/g) }

// keysOf returns how many keys there are to draw from if all rows have that many
// groups: more, if there are few rows for each.
func keysOf(rows, groups float64) float64 {
	if groups >= rows {
		return math.Inf(1)
	}
	lo, hi := groups, rows*rows
	for range 64 {
		if mid := math.Sqrt(lo * hi); held(rows, mid) < groups {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// seen is the number of groups of all rows.
func (f facts) seen() float64 { _, g := f.known(); return g }

// each is the number of groups that one of the workers sees.
func (f facts) each() float64 {
	rows, groups := f.known()
	keys := keysOf(rows, groups)
	if math.IsInf(keys, 1) {
		return rows / f.wide()
	}
	return min(groups, held(rows/f.wide(), keys))
}

// wide is the number of workers.
func (f facts) wide() float64 { return float64(max(1, f.workers)) }

// serialTime is one worker's: each row finds its group and adds to its states,
// each group is made once.
func (f facts) serialTime() float64 {
	rows, groups := f.known()
	return rows*(f.find(groups)+f.update(groups)) + groups*f.make()
}

// sharedTime is that of one table with states of each worker, or with states
// that are shared too: from the start, or as soon as there are too many groups.
func (f facts) sharedTime() float64 {
	if f.seen() > float64(f.striped) {
		return f.stripedTime()
	}
	return min(f.ownTime(), f.stripedTime())
}

// tableTime is what a worker takes for the table that all of them share.
func (f facts) tableTime() float64 {
	rows, groups := f.known()
	return f.start() + (rows*f.find(groups)+groups*f.make())/f.wide()
}

// ownTime is that of states of each worker that are added up at the end: with
// two workers one takes the other's, accumulator by accumulator.
func (f facts) ownTime() float64 {
	rows, _ := f.known()
	threads := f.wide()
	if f.workers == 2 {
		threads = min(threads, float64(max(1, f.calls)))
	}
	absorbed := f.each() * (f.wide() - 1)
	return f.tableTime() + rows*f.update(f.each())/f.wide() + absorbed*f.absorb()/threads
}

// stripedTime is that of shared states. Of as many locks as there are stripes,
// so many workers hold fewer different ones at a time, whoever comes first;
// atomic additions need none.
func (f facts) stripedTime() float64 {
	rows, groups := f.known()
	locks := float64(stripeCount)
	busy := -locks * math.Expm1(f.wide()*math.Log1p(-1/locks))
	if f.atomic {
		busy = f.wide()
	}
	perRow := f.share(groups)
	if f.workers >= f.many {
		perRow += movedLines
	}
	return f.tableTime() + rows*perRow/busy
}

// partialTime is that of a table for each worker, whose groups are handed over
// to partitions at the end, or, if keys are tickets, added up as they are.
func (f facts) partialTime() float64 {
	if f.form == formArray {
		return f.ownTime()
	}
	rows, _ := f.known()
	each := f.each()
	work := rows*(f.find(each)+f.update(each))/f.wide() + each*f.make()
	return f.start() + work + each*f.handOver(f.seen())
}

// routedTime is that of so large a share of all rows set aside and added to
// partitions.
func (f facts) routedTime(share float64) float64 {
	rows, groups := f.known()
	perRow := f.stage() + f.findSplit(groups) + f.update(groups)
	return f.start() + openPartitions + (rows*share*perRow+groups*f.makeSplit())/f.wide()
}

// groupsTime is that of small tables handed over when they are full: so often
// as the rows that fill one are contained in all.
func (f facts) groupsTime() float64 {
	rows, groups := f.known()
	front := max(1, min(groups, float64(f.front)))
	handed := front * f.wide()
	if groups > front {
		fill := -groups * math.Log1p(-front/groups) // rows that fill a table
		handed = max(handed, rows/fill*front)
	}
	own := rows*(f.find(front)+f.update(front)) + handed*(f.make()/2+f.handOver(groups))
	return f.start() + own/f.wide()
}

// hybridTime is that of small tables for some of the keys, the rows of the
// others going to partitions. If they have few of the rows they are passed by.
func (f facts) hybridTime() float64 {
	rows, groups := f.known()
	front := min(groups, float64(f.front))
	if front == groups {
		return f.groupsTime()
	}
	hits := front / groups
	if hits < 1./usefulHits {
		return f.routedTime(1) + rows*f.find(front)/passedBatches/f.wide()
	}
	return f.routedTime(1-hits) + rows*(f.find(front)+hits*f.update(front))/f.wide()
}

// table is the size of a table of so many groups with their states, whose slots
// have grown by so large a factor, or to a power of 2 foretold.
func (f facts) table(groups float64, factor int) float64 {
	slotBytes, keys := 0., 8.*keyWords*groups
	switch f.form {
	case formArray:
		keys = 0
	case formPacked:
		slotBytes = 16
	default:
		slotBytes = 8
		if f.keyBytes > shortKey {
			keys += groups * float64(4+f.keyBytes)
		}
	}
	slots := float64(firstSlots)
	for slots*5/8 <= groups {
		slots *= float64(factor)
	}
	return slotBytes*slots + keys + groups*f.stateBytes()
}

func (f facts) stateBytes() float64 { return float64(8*f.words + usualText*f.textStates) }

// sharedMemory has states of each worker while they are few.
func (f facts) sharedMemory() float64 {
	groups := f.seen()
	bytes := f.table(groups, 2)
	if groups <= float64(f.striped) && f.ownTime() <= f.stripedTime() {
		bytes += (f.wide() - 1) * f.each() * f.stateBytes()
	}
	return bytes
}

func (f facts) partialMemory() float64 {
	bytes := f.wide() * f.table(f.each(), growth)
	if f.form != formArray {
		bytes += f.partitioned(false)
	}
	return bytes
}

// partitioned is the size of the partitions, and of the rows that wait for them.
func (f facts) partitioned(rows bool) float64 {
	split := f
	if f.form == formArray {
		split.form = formPacked // a partition has keys all over the range
	}
	bytes := partitionCount * split.table(f.seen()/partitionCount, growth)
	if rows {
		all, _ := f.known()
		waiting := min(all, f.wide()*partitionCount*stageRows)
		bytes += waiting * (8 + float64(8*f.fixed) + float64(f.texts)*(4+usualText) + float64(f.keyTexts*(4+f.keyBytes)))
	}
	return bytes
}

// fronts is the size of workers' own small tables.
func (f facts) fronts() float64 {
	return f.wide() * f.table(min(f.each(), float64(f.front)), growth)
}

// costFacts returns what estimates need, as far as it is known before the first
// batch.
func (s *Sink) costFacts() facts {
	f := s.facts()
	f.groups = s.estimateGroups()
	f.calls, f.front, f.striped = len(s.cfg.Calls), s.knobs.frontGroups, s.knobs.striped
	f.form = likelyForm(s.expectForm())
	f.atomic = s.atomic(f.form == formArray)
	for _, c := range s.cfg.Calls {
		if vector.IsBytes(c.Agg.Result) {
			f.textStates++
		}
	}
	for _, t := range s.types {
		switch {
		case !isString(t):
			f.fixed++
			continue
		case vector.Width(t) > 0:
			f.keyBytes += vector.Width(t)
		default:
			f.keyBytes += usualText
		}
		f.keyTexts++
	}
	for _, c := range argumentColumns(s.cfg.Calls) {
		if isString(s.in.Field(c).Type) {
			f.texts++
		} else {
			f.fixed++
		}
	}
	return f
}

// costFactsOf returns what estimates need once the first batch is there, of keys
// in the given form.
func (s *Sink) costFactsOf(first *input, form string) facts {
	f := s.costFacts()
	f.form, f.groups, f.keyBytes = likelyForm(form), -1, 0
	f.atomic = s.atomic(f.form == formArray)
	if first.n < 1 {
		return f
	}
	for _, v := range first.keys {
		switch {
		case !isString(v.Type):
		case v.Dict != nil:
			f.keyBytes += bytesOf(v.Dict) / max(1, v.Dict.Len)
		default:
			f.keyBytes += bytesOf(v) / max(1, v.Len)
		}
	}
	if f.rows > int64(first.n) {
		f.groups = int64(foretell(sampleHashes(first.keys, first.n).distinct, int64(first.n), f.rows))
	}
	return f
}

// bytesOf is the size of the values of a flat vector.
func bytesOf(v *vector.Vector) int {
	if n := len(v.Offsets); n > 0 {
		return int(v.Offsets[n-1] - v.Offsets[0])
	}
	return len(v.Data)
}

// likelyForm is the form that an estimate is made for if one of several will be
// it: the last, which is the dearest.
func likelyForm(expected string) string {
	switch {
	case strings.HasSuffix(expected, formBytes):
		return formBytes
	case strings.HasSuffix(expected, formPacked):
		return formPacked
	}
	return formArray
}
