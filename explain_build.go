package colagg

import (
	"strings"

	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/order"
	"github.com/colagg/colagg/parquetio"
)

// notKnown is in a Figure where there is no number.
const notKnown = -1

// Plan returns the plan with what was done: the output as far as it has been
// read, everything before it to its end. It may be called after Close too.
func (r *Result) Plan() *Plan { return r.run.explain(r) }

// explain returns the plan with what is known before the run, and what was done
// once there is a result.
func (r *run) explain(res *Result) *Plan {
	s := r.plan.shown
	p := &Plan{
		Version: planVersion, GroupBy: s.keys, Aggregates: s.calls, OrderBy: s.order, Where: s.where, Having: s.having,
		Select: s.selects, Distinct: s.distinct && len(s.selects) > 0,
		Planning: r.planning,
		Memory:   MemoryUse{Limit: r.engine.limit, Accounts: []AccountUse{}},
	}
	out := traffic{}
	if res != nil {
		out = traffic{ran: true, rows: res.output.rows, batches: res.output.batches}
		p.Executed, p.Elapsed = true, res.stats.Elapsed+res.output.time
		p.Memory.Peak = r.budget.Peak()
		for _, a := range r.budget.Peaks() {
			if a.Peak > 0 {
				p.Memory.Accounts = append(p.Memory.Accounts, AccountUse(a))
			}
		}
		temp := r.temp.Stats()
		p.Temp = TempUse{Written: temp.Written, Read: temp.Read, Peak: temp.Peak, Files: temp.Files}
	}
	ops := r.plan.node.explain(p, out)
	if len(ops) == 1 && !r.plan.node.streams() {
		ops = nil // it has no operator but the last one of the pipeline before
	}
	p.add("output", 1, operators.Flow{}, append(ops, r.explainOutput(res, ops)))
	if res != nil {
		pipe := &p.Pipelines[len(p.Pipelines)-1]
		pipe.Workers.Actual, pipe.Elapsed = 1, res.output.time
		pipe.WorkerTimes = append(pipe.WorkerTimes, WorkerTime{Rows: out.rows, Batches: out.batches, Source: res.output.time, Total: res.output.time})
	}
	return p
}

func costsOf(costs []hashagg.Cost) []StrategyCost {
	out := []StrategyCost{}
	for _, c := range costs {
		out = append(out, StrategyCost{string(c.Strategy), c.Time, c.Memory, c.Fits})
	}
	return out
}

// add adds a pipeline; flow is what its workers did, if they did.
func (p *Plan) add(name string, workers int, flow operators.Flow, ops []Operator) {
	pipe := Pipeline{Name: name, Workers: expected(int64(workers)), WorkerTimes: []WorkerTime{}, Operators: ops}
	if flow.Workers != nil {
		pipe.Workers.Actual, pipe.Elapsed, pipe.Finish = int64(flow.Used()), flow.Elapsed, flow.Finish
		for _, w := range flow.Workers {
			pipe.WorkerTimes = append(pipe.WorkerTimes, WorkerTime(w))
		}
	}
	p.Pipelines = append(p.Pipelines, pipe)
}

// explainOutput is the operator that gives the result, behind ops.
func (r *run) explainOutput(res *Result, ops []Operator) Operator {
	root, w := r.plan.node, r.plan.window
	rows := root.rows()
	op := Operator{Name: "output", RowsIn: expected(rows), RowsOut: expected(rows)}
	op.Detail = w.spell()
	if rows != notKnown {
		op.RowsOut = expected(w.of(rows))
	}
	if res == nil {
		return op
	}
	if g, ok := root.(*groupNode); ok && g.report.Makers > 1 {
		op.Detail = strings.TrimPrefix(op.Detail+", made ahead by "+count(int64(g.report.Makers), "worker"), ", ")
	}
	op.RowsIn.Actual, op.RowsOut.Actual, op.Batches, op.Time = root.given(), res.output.rows, res.output.batches, res.output.time
	switch {
	case root.streams():
		op.RowsIn.Actual = res.output.rows
	case len(ops) > 0:
		op.RowsIn.Actual = ops[len(ops)-1].RowsOut.Actual
		for _, o := range ops {
			op.Time = max(0, op.Time-o.Time)
		}
	}
	return op
}

func (o *OrderUse) done(r order.Report) {
	o.Kept, o.Runs, o.SpilledRuns, o.SpilledBytes, o.Passes = r.Kept, r.Runs, r.SpilledRuns, r.SpilledBytes, r.Passes
}

func expected(n int64) Figure { return Figure{Estimate: n, Actual: notKnown} }

func skipsOf(k parquetio.Skipped) SkipUse {
	return SkipUse{int64(k.ByStatistics), int64(k.ByBloomFilter), int64(k.ByDictionary), int64(k.ByPageIndex), k.GroupBytes,
		k.Pages, k.PageBytes, int64(k.Unusable), k.BytesRead}
}

// done fills in what was read.
func (s *ScanUse) done(report parquetio.ScanReport) {
	s.RowGroups.Actual, s.Morsels.Actual = int64(report.RowGroupsRead), int64(report.MorselsRead)
	s.RowGroupsSkipped = int64(report.RowGroups - report.RowGroupsRead)
	s.Skips = skipsOf(report.Skipped)
	s.Bytes.Actual = s.Skips.Read
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
