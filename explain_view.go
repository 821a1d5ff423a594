package colagg

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// view is a part of a plan as people see it. Text and HTML are two ways to
// write it.
type view struct {
	title, note string
	share       float64 // of the time, shown as a bar; below 0 for none
	facts       [][2]string
	table       [][]string // the first row is the head
	inner       []view
}

// view returns the plan to show.
func (p *Plan) view() view {
	title := "Plan, not executed:"
	var facts [][2]string
	if p.Executed {
		title = "Plan, executed:"
		times := fmt.Sprintf("%s: planning %s", duration(p.Elapsed), duration(p.Planning))
		for i, pipe := range p.Pipelines {
			times += ", " + pipe.Name + " " + duration(pipe.Elapsed)
			if i < len(p.Pipelines)-1 {
				times += ", finish " + duration(pipe.Finish)
			}
		}
		facts = append(facts, [2]string{"time", times},
			[2]string{"memory", fmt.Sprintf("at most %s at once, of %s", bytesOf(p.Memory.Peak), bytesOf(p.Memory.Limit))})
		if t := p.Temp; t.Written > 0 {
			facts = append(facts, [2]string{"disk", fmt.Sprintf("%s spilled to %s, at most %s at once; %s read back",
				bytesOf(t.Written), count(int64(t.Files), "file"), bytesOf(t.Peak), bytesOf(t.Read))})
		}
	} else {
		facts = append(facts, [2]string{"memory", "limit " + bytesOf(p.Memory.Limit)})
	}
	v := view{title: title, note: p.spell(), share: -1, facts: facts}
	if p.Where != "" {
		v.note += " where " + p.Where
	}
	if p.Having != "" {
		v.note += " having " + p.Having
	}
	for _, pipe := range p.Pipelines {
		v.inner = append(v.inner, pipe.view(p))
	}
	if len(p.Memory.Accounts) > 0 {
		m := view{title: "memory", note: "peak of each kind", share: -1}
		for _, a := range p.Memory.Accounts {
			m.facts = append(m.facts, [2]string{a.Name, bytesOf(a.Peak)})
		}
		v.inner = append(v.inner, m)
	}
	return v
}

func (pipe *Pipeline) view(p *Plan) view {
	v := view{title: "pipeline " + pipe.Name, note: count(pipe.Workers.Estimate, "worker") + " planned", share: -1}
	var total time.Duration
	if p.Executed {
		v.note += fmt.Sprintf(", %d used; %s", pipe.Workers.Actual, duration(pipe.Elapsed+pipe.Finish))
		v.share = part(pipe.Elapsed+pipe.Finish, p.Elapsed)
		for _, w := range pipe.WorkerTimes {
			total += w.Total
		}
		total += pipe.Finish
	}
	if len(pipe.WorkerTimes) > 1 {
		v.table = [][]string{{"worker", "rows", "batches", "source", "sink", "total"}}
		for i, w := range pipe.WorkerTimes {
			v.table = append(v.table, []string{strconv.Itoa(i), comma(w.Rows), comma(w.Batches), duration(w.Source), duration(w.Sink), duration(w.Total)})
		}
	}
	for _, op := range pipe.Operators {
		v.inner = append(v.inner, op.view(p.Executed, total))
	}
	return v
}

func (op *Operator) view(executed bool, total time.Duration) view {
	v := view{title: op.Name, note: op.Detail, share: -1}
	if executed {
		v.share = part(op.Time, total)
		v.fact("time", "%s, %.0f %% of the pipeline's %s", duration(op.Time), 100*v.share, duration(total))
	}
	batches := ""
	if executed {
		batches = " in " + count(op.Batches, "batch")
	}
	switch {
	case op.Aggregate != nil:
		v.fact("rows", "%s%s", figure(op.RowsIn), batches)
	case op.RowsIn == op.RowsOut:
		v.fact("rows", "%s%s", figure(op.RowsOut), batches)
	default:
		v.fact("rows", "%s%s, of %s", figure(op.RowsOut), batches, figure(op.RowsIn))
	}
	if op.Scan != nil {
		op.Scan.view(&v, executed)
	}
	if op.Aggregate != nil {
		op.Aggregate.view(&v, executed)
	}
	if op.Order != nil {
		op.Order.view(&v, executed)
	}
	return v
}

func (v *view) fact(name, format string, args ...any) {
	v.facts = append(v.facts, [2]string{name, fmt.Sprintf(format, args...)})
}

func (s *ScanUse) view(v *view, executed bool) {
	if s.Files > 0 {
		groups := count(s.RowGroups.Estimate, "row group") + " in " + count(s.Morsels.Estimate, "morsel")
		if executed {
			groups = fmt.Sprintf("%s read, %s skipped, in %s", count(s.RowGroups.Actual, "row group"), comma(s.RowGroupsSkipped), count(s.Morsels.Actual, "morsel"))
		}
		v.fact("parts", "%s", groups)
		s.Skips.view(v)
		if executed {
			v.fact("bytes", "%s fetched of chunks of %s", bytesOf(s.Bytes.Actual), bytesOf(s.Bytes.Estimate))
			v.fact("pages", "%s decoded, %s skipped (%s)", comma(s.Pages), comma(s.PagesSkipped), bytesOf(s.BytesSkipped))
		} else {
			v.fact("bytes", "%s to read", bytesOf(s.Bytes.Estimate))
		}
	}
	switch {
	case len(s.Columns) == 0:
	case executed && s.Files > 0:
		v.table = [][]string{{"column", "type", "chunks", "fetched", "pages", "skipped", "read", "decompress", "decode"}}
		for _, c := range s.Columns {
			v.table = append(v.table, []string{c.Name, c.Type, bytesOf(c.Bytes.Estimate), bytesOf(c.Bytes.Actual), comma(c.Pages),
				comma(c.PagesSkipped), duration(c.Read), duration(c.Decompress), duration(c.Decode)})
		}
	default:
		v.table = [][]string{{"column", "type", "chunks", "uncompressed", "codec", "encodings"}}
		for _, c := range s.Columns {
			v.table = append(v.table, []string{c.Name, c.Type, bytesOf(c.Bytes.Estimate), bytesOf(c.Uncompressed), strings.Join(c.Codecs, " "), strings.Join(c.Encodings, " ")})
		}
		if s.Files == 0 {
			for i := range v.table {
				v.table[i] = v.table[i][:2]
			}
		}
	}
}

func (s *SkipUse) view(v *view) {
	var by []string
	for _, c := range []struct {
		n    int64
		what string
	}{{s.ByStatistics, "statistics"}, {s.ByBloomFilter, "bloom filters"}, {s.ByDictionary, "dictionaries"}, {s.ByPageIndex, "page index"}} {
		if c.n > 0 {
			by = append(by, count(c.n, "row group")+" by "+c.what)
		}
	}
	if len(by) > 0 {
		v.fact("skipped", "%s: %s", strings.Join(by, ", "), bytesOf(s.GroupBytes))
	}
	if s.Pages > 0 {
		v.fact("skipped", "%s by page index: %s", count(s.Pages, "page"), bytesOf(s.PageBytes))
	}
	if s.Read > 0 {
		v.fact("looked at", "%s of bloom filters, dictionaries and page indexes", bytesOf(s.Read))
	}
	if s.Unusable > 0 {
		v.fact("damaged", "%s of these passed over", comma(s.Unusable))
	}
}

func (a *AggregateUse) view(v *view, executed bool) {
	if a.GroupsForetold > 0 {
		v.fact("groups", "%s; %s foretold by the first batch", figure(a.Groups), comma(a.GroupsForetold))
	} else {
		v.fact("groups", "%s", figure(a.Groups))
	}
	v.fact("strategy", "%s: %s", a.Strategy, a.Reason)
	a.viewCosts(v, executed)
	if !executed {
		v.fact("keys", "%s", a.KeyFormExpected)
		return
	}
	keys := a.KeyForm
	if keys != a.KeyFormExpected {
		keys += " (expected " + a.KeyFormExpected + ")"
	}
	if a.KeyReason != "" {
		keys += ": " + a.KeyReason
	}
	v.fact("keys", "%s", keys)
	for _, s := range a.Switches {
		v.fact("switch", "from %s to %s at row %s of worker %d: %s", s.From, s.To, comma(s.AtRows), s.Worker, s.Reason)
	}
	if a.MoreSwitches > 0 {
		v.fact("switch", "%s more", count(int64(a.MoreSwitches), "switch"))
	}
	v.fact("work", "keys %s, states %s, finish %s (merge %s)", duration(a.Group), duration(a.Update), duration(a.Finish), duration(a.Merge))
	if a.LocalHits > 0 {
		v.fact("local", "%s answered by workers' own tables (%.1f %%)", count(a.LocalHits, "row"), 100*a.LocalHitRate)
	}
	if a.StagedRows > 0 {
		v.fact("staged", "%s, %s; %s of %s; about %.0f %% repeat a group of their partition", count(a.StagedRows, "row"), bytesOf(a.StagedBytes),
			count(a.Drains, "drain"), bytesOf(a.DrainedBytes), 100*float64(a.StagedRepeats)/float64(a.StagedRows))
	}
	if a.HandedGroups > 0 {
		v.fact("handed", "%s of workers' own tables to partitions", count(a.HandedGroups, "group"))
	}
	if a.Partitions > 0 {
		v.fact("locks", "%s, the fullest %.2f times the mean; %s that took %s", count(int64(a.Partitions), "partition"), a.Imbalance,
			count(a.LockWaits, "wait"), duration(a.LockWait))
	}
	if a.Growths > 0 {
		v.fact("growth", "%s of tables that took %s, with %s of %s", count(a.Growths, "growth"), duration(a.GrowthMove),
			count(a.GrowthWaits, "wait"), duration(a.GrowthWait))
	}
}

// viewCosts makes the table of what strategies are predicted to take, and below
// it what it came to.
func (a *AggregateUse) viewCosts(v *view, executed bool) {
	if len(a.Costs) == 0 {
		return
	}
	groups := comma(a.GroupsAssumed)
	if a.Groups.Estimate == notKnown {
		groups += " assumed"
	}
	head := []string{"predicted", "for " + groups, "memory"}
	foretold := len(a.CostsForetold) == len(a.Costs)
	if foretold {
		head = append(head, "for "+comma(a.GroupsForetold)+" foretold", "memory")
	}
	v.table = append(v.table, head)
	for i, c := range a.Costs {
		row := append([]string{c.Strategy}, c.cells()...)
		if foretold {
			row = append(row, a.CostsForetold[i].cells()...)
		}
		v.table = append(v.table, row)
	}
	if executed {
		row := []string{"seen: " + a.Strategy, duration(a.Taken), bytesOf(a.TakenMemory)}
		if foretold {
			row = append(row, "", "")
		}
		v.table = append(v.table, row)
	}
}

func (c StrategyCost) cells() []string {
	memory := bytesOf(c.Memory)
	if !c.Fits {
		memory += ", over the limit"
	}
	return []string{duration(c.Time), memory}
}

func (o *OrderUse) view(v *view, executed bool) {
	if o.Limit >= 0 && executed {
		v.fact("top", "%s wanted; %s kept to choose from", count(o.Limit, "row"), comma(o.Kept))
	} else if o.Limit >= 0 {
		v.fact("top", "%s wanted", count(o.Limit, "row"))
	}
	if !executed {
		return
	}
	v.fact("runs", "%s", comma(int64(o.Runs)))
	if o.SpilledRuns > 0 {
		v.fact("spilled", "%s, %s; %s before the last merge", count(int64(o.SpilledRuns), "run"), bytesOf(o.SpilledBytes), count(int64(o.Passes), "pass"))
	}
}

// spell spells the query without its filters and order.
func (p *Plan) spell() string {
	return shown{selects: p.Select, keys: p.GroupBy, calls: p.Aggregates, distinct: p.Distinct}.spell()
}

// figure spells an estimate, or the actual number and the estimate if that was
// another one.
func figure(f Figure) string {
	estimate := "not known"
	if f.Estimate != notKnown {
		estimate = comma(f.Estimate)
	}
	switch {
	case f.Actual == notKnown && f.Estimate == notKnown:
		return estimate
	case f.Actual == notKnown:
		return estimate + " (estimate)"
	case f.Actual == f.Estimate:
		return estimate
	}
	return fmt.Sprintf("%s (estimate %s)", comma(f.Actual), estimate)
}

func part(a, of time.Duration) float64 {
	if of <= 0 {
		return 0
	}
	return min(1, float64(a)/float64(of))
}

func count(n int64, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "ss"):
		noun += "es"
	default:
		noun += "s"
	}
	return comma(n) + " " + noun
}

// comma groups the digits of a number that is not negative.
func comma(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// duration spells a time with three digits.
func duration(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return strconv.FormatInt(int64(d), 10) + " ns"
	case d < time.Millisecond:
		return digits(float64(d)/1e3) + " µs"
	case d < time.Second:
		return digits(float64(d)/1e6) + " ms"
	}
	return digits(d.Seconds()) + " s"
}

// bytesOf spells a size in units of 1024, with three digits.
func bytesOf(n int64) string {
	f, unit := float64(n), 0
	for ; f >= 1023.5 && unit < len(sizeUnits)-1; unit++ {
		f /= 1024
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return digits(f) + " " + sizeUnits[unit]
}

var sizeUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// digits gives at least three of them.
func digits(f float64) string {
	switch {
	case f < 9.995:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 99.95:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}
