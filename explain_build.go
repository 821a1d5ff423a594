package colagg

import (
	"slices"
	"strings"

	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/order"
)

// notKnown is in a Figure where there is no number.
const notKnown = -1

// Plan returns the plan with what was done: the output as far as it has been
// read, everything before it to its end. It may be called after Close too.
func (r *Result) Plan() *Plan {
	if r.run.sink != nil {
		r.report.Groups = r.run.sink.Groups() // with those that were on disk
	}
	p := r.run.explain()
	p.Executed = true
	p.Elapsed = r.stats.Elapsed + r.output.time
	p.Memory.Peak = r.run.budget.Peak()
	for _, a := range r.run.budget.Peaks() {
		if a.Peak > 0 {
			p.Memory.Accounts = append(p.Memory.Accounts, AccountUse(a))
		}
	}

	temp := r.run.temp.Stats()
	p.Temp = TempUse{Written: temp.Written, Read: temp.Read, Peak: temp.Peak, Files: temp.Files}

	for i := range p.Pipelines {
		pipe := &p.Pipelines[i]
		switch pipe.Name {
		case "aggregation":
			pipe.ran(r.run.flow)
			agg := &pipe.Operators[len(pipe.Operators)-1]
			report := r.report
			report.Groups = r.groups()
			agg.RowsOut.Actual, agg.Batches = report.Groups, report.Batches
			agg.Aggregate.done(report)
			agg.Aggregate.took(r.run.flow, p.Memory.Accounts)
		case "ordering":
			pipe.ran(r.run.ordering)
			last := &pipe.Operators[len(pipe.Operators)-1]
			last.Order.done(r.run.order.Report())
			last.RowsOut.Actual = last.RowsIn.Actual
			if n := r.run.query.wanted(); n >= 0 {
				last.RowsOut.Actual = min(n, last.RowsIn.Actual)
			}
		default:
			r.outputPlan(pipe)
		}
	}
	scan := &p.Pipelines[0].Operators[0]
	scan.RowsIn.Actual = r.run.src.Rows()
	scan.Scan.done(r.run)
	if r.run.filter != nil {
		p.filtered(r.run.filter.Report())
	}
	return p
}

// took adds the processor time and the memory that the aggregation took.
func (a *AggregateUse) took(flow operators.Flow, accounts []AccountUse) {
	for _, w := range flow.Workers {
		a.Taken = max(a.Taken, w.Sink)
	}
	a.Taken += flow.Finish
	for _, use := range accounts {
		if slices.Contains(hashagg.Accounts(), use.Name) {
			a.TakenMemory += use.Peak
		}
	}
}

// outputPlan fills in the pipeline that gives the result.
func (r *Result) outputPlan(pipe *Pipeline) {
	last := &pipe.Operators[len(pipe.Operators)-1]
	pipe.Workers.Actual = 1
	if n := r.report.Makers; n > 1 {
		last.Detail = strings.TrimPrefix(last.Detail+", made ahead by "+count(int64(n), "worker"), ", ")
	}
	out := r.output
	pipe.Elapsed = out.time
	pipe.WorkerTimes = append(pipe.WorkerTimes, WorkerTime{Rows: out.rows, Batches: out.batches, Source: out.time, Total: out.time})
	last.RowsOut.Actual, last.Batches, last.Time = out.rows, out.batches, out.time
	switch {
	case r.run.plain():
		scan := &pipe.Operators[0]
		scan.RowsOut.Actual, scan.Batches, last.RowsIn.Actual = out.rows, out.batches, out.rows
	case r.run.order != nil && r.run.query.wanted() >= 0:
		last.RowsIn.Actual = min(r.run.query.wanted(), r.run.order.Report().Rows)
	case r.run.order != nil:
		last.RowsIn.Actual = r.run.order.Report().Rows
	default:
		last.RowsIn.Actual = r.groups()
	}
}

// ran fills in what workers did between a pipeline's first operator and its
// last.
func (pipe *Pipeline) ran(flow operators.Flow) {
	pipe.Workers.Actual = int64(flow.Used())
	pipe.Elapsed, pipe.Finish = flow.Elapsed, flow.Finish
	for _, w := range flow.Workers {
		pipe.WorkerTimes = append(pipe.WorkerTimes, WorkerTime(w))
	}
	sum, first, last := flow.Sum(), &pipe.Operators[0], &pipe.Operators[len(pipe.Operators)-1]
	first.RowsIn.Actual, first.RowsOut.Actual, first.Batches, first.Time = sum.Rows, sum.Rows, sum.Batches, sum.Source
	last.RowsIn.Actual, last.Batches, last.Time = sum.Rows, sum.Batches, sum.Sink+flow.Finish
}

// explain returns the plan with what is known before the run.
func (r *run) explain() *Plan {
	rows := r.table.rows()
	p := &Plan{
		Version:    planVersion,
		GroupBy:    []string{},
		Aggregates: r.names.shown(),
		OrderBy:    r.names.orderTexts,
		Where:      r.names.whereText,
		Planning:   r.planning,
		Memory:     MemoryUse{Limit: r.engine.limit, Accounts: []AccountUse{}},
	}
	if len(r.query.Select) > 0 {
		p.Select, p.Distinct = r.names.shownOutputs(), r.query.Distinct
	} else {
		p.GroupBy = append(p.GroupBy, r.names.names[:r.names.keys]...)
	}
	ops := []Operator{{Name: "scan", Detail: r.table.title(), RowsIn: expected(rows), RowsOut: expected(rows), Scan: r.explainScan()}}
	if r.filter != nil {
		ops, rows = append(ops, r.explainFilter(rows)), notKnown
	}
	if r.sink != nil {
		agg := Operator{Name: "aggregate", Detail: p.spell(), RowsIn: expected(rows), RowsOut: expected(r.expected.EstimatedGroups)}
		agg.Aggregate = &AggregateUse{
			Strategy: string(r.expected.Strategy), Reason: r.expected.Reason,
			KeyFormExpected: r.expected.KeyForm, Groups: agg.RowsOut, Switches: []StrategySwitch{},
			GroupsAssumed: r.expected.AssumedGroups, Costs: costsOf(r.expected.Costs), CostsForetold: []StrategyCost{},
		}
		rows = r.expected.EstimatedGroups
		p.add("aggregation", r.sink.Workers(), append(ops, agg))
		ops = []Operator{{Name: "groups", RowsIn: expected(rows), RowsOut: expected(rows)}}
	}
	if r.order != nil {
		op := Operator{Name: "order", Detail: "by " + strings.Join(r.names.orderTexts, ", "), RowsIn: expected(rows), Order: &OrderUse{Limit: r.query.wanted()}}
		if op.Order.Limit >= 0 && rows != notKnown {
			rows = min(rows, op.Order.Limit)
		}
		op.RowsOut = expected(rows)
		p.add("ordering", r.workers, append(ops, op))
	}
	if !r.plain() {
		ops = nil
	}
	p.add("output", 1, append(ops, r.explainOutput(rows)))
	return p
}

func costsOf(costs []hashagg.Cost) []StrategyCost {
	out := []StrategyCost{}
	for _, c := range costs {
		out = append(out, StrategyCost{string(c.Strategy), c.Time, c.Memory, c.Fits})
	}
	return out
}

func (p *Plan) add(name string, workers int, ops []Operator) {
	p.Pipelines = append(p.Pipelines, Pipeline{Name: name, Workers: expected(int64(workers)), WorkerTimes: []WorkerTime{}, Operators: ops})
}

// explainOutput is the operator that gives the result; rows come to it.
func (r *run) explainOutput(rows int64) Operator {
	op := Operator{Name: "output", RowsIn: expected(rows), RowsOut: expected(rows)}
	skip, most := r.query.window()
	if most >= 0 {
		op.Detail = "no more than " + count(most, "row")
	}
	if skip > 0 {
		op.Detail = strings.TrimPrefix(op.Detail+", behind the first "+comma(skip), ", ")
	}
	if rows != notKnown {
		rows = max(0, rows-skip)
		if most >= 0 {
			rows = min(rows, most)
		}
		op.RowsOut = expected(rows)
	}
	return op
}

func (o *OrderUse) done(r order.Report) {
	o.Kept, o.Runs, o.SpilledRuns, o.SpilledBytes, o.Passes = r.Kept, r.Runs, r.SpilledRuns, r.SpilledBytes, r.Passes
}

func expected(n int64) Figure { return Figure{Estimate: n, Actual: notKnown} }

// shown spells the calls with their aliases.
func (p *resolved) shown() []string {
	out := []string{}
	for _, c := range p.calls {
		if text := p.texts[c.Name]; text != "" {
			out = append(out, text+" as "+c.Name)
		} else {
			out = append(out, c.Name)
		}
	}
	return out
}

func (r *run) explainScan() *ScanUse {
	report, schema := r.src.Report(), r.src.Schema()
	s := &ScanUse{Files: report.Files, RowGroups: expected(int64(report.RowGroups)), Morsels: expected(int64(report.Morsels)), Columns: []ColumnUse{}}
	s.Bytes = expected(0)
	for k, c := range report.Columns {
		s.Bytes.Estimate += c.ChunkBytes
		s.Columns = append(s.Columns, ColumnUse{
			Name: schema.Field(k).Name, Type: schema.Field(k).Type.String(), Bytes: expected(c.ChunkBytes), Uncompressed: c.ValueBytes,
			Encodings: append([]string{}, c.Encodings...), Codecs: append([]string{}, c.Codecs...),
		})
	}
	return s
}

func (s *ScanUse) done(r *run) {
	report := r.src.Report()
	s.RowGroups.Actual, s.Morsels.Actual = int64(report.RowGroupsRead), int64(report.MorselsRead)
	s.RowGroupsSkipped = int64(report.RowGroups - report.RowGroupsRead)
	s.Bytes.Actual = 0
	for k, c := range report.Columns {
		u := &s.Columns[k]
		u.Bytes.Actual, u.Rows, u.Pages, u.Dictionaries = c.BytesRead, c.Rows, c.Pages, c.Dictionaries
		u.PagesSkipped, u.BytesSkipped = c.PagesSkipped, c.BytesSkipped
		u.Read, u.Decompress, u.Decode = c.Read, c.Decompress, c.Decode
		s.Bytes.Actual += c.BytesRead
		s.Pages += c.Pages
		s.PagesSkipped += c.PagesSkipped
		s.BytesSkipped += c.BytesSkipped
	}
}

func (a *AggregateUse) done(r hashagg.Report) {
	a.Strategy, a.Reason, a.KeyForm = string(r.Strategy), r.Reason, r.KeyForm
	a.KeyReason, a.GroupsForetold, a.CostsForetold = r.KeyReason, r.ForetoldGroups, costsOf(r.ForetoldCosts)
	a.Groups.Actual, a.Partitions = r.Groups, r.Partitions
	for _, s := range r.Switches {
		a.Switches = append(a.Switches, StrategySwitch(s))
	}
	a.MoreSwitches, a.HandedGroups = r.MoreSwitches, r.HandedGroups
	a.Group, a.Update, a.Merge, a.Finish = r.Group, r.Update, r.Merge, r.Finish
	a.LocalHits, a.StagedRows, a.StagedBytes = r.LocalHits, r.StagedRows, r.StagedBytes
	a.Drains, a.DrainedBytes, a.LockWaits, a.LockWait = r.Drains, r.DrainedBytes, r.LockWaits, r.LockWait
	a.StagedRepeats, a.Imbalance = r.StagedRepeats, r.Imbalance
	a.Growths, a.GrowthWaits, a.GrowthWait, a.GrowthMove = r.Growths, r.GrowthWaits, r.GrowthWait, r.GrowthMove
	if r.Rows > 0 {
		a.LocalHitRate = float64(r.LocalHits) / float64(r.Rows)
	}
}
