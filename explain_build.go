package colagg

import (
	"slices"
	"strings"

	"github.com/colagg/colagg/hashagg"
)

// notKnown is in a Figure where there is no number.
const notKnown = -1

// Plan returns the plan with what was done: the output as far as it has been
// read, everything before it to its end. It may be called after Close too.
func (r *Result) Plan() *Plan {
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

	aggregation, flow := &p.Pipelines[0], r.run.flow
	aggregation.Workers.Actual = int64(flow.Used())
	aggregation.Elapsed, aggregation.Finish = flow.Elapsed, flow.Finish
	for _, w := range flow.Workers {
		aggregation.WorkerTimes = append(aggregation.WorkerTimes, WorkerTime(w))
	}
	sum := flow.Sum()
	scan, agg := &aggregation.Operators[0], &aggregation.Operators[1]
	scan.RowsIn.Actual, scan.RowsOut.Actual = r.run.src.Rows(), sum.Rows
	scan.Batches, scan.Time = sum.Batches, sum.Source
	agg.RowsIn.Actual, agg.RowsOut.Actual = r.report.Rows, r.report.Groups
	agg.Batches, agg.Time = r.report.Batches, sum.Sink+flow.Finish
	scan.Scan.done(r.run)
	agg.Aggregate.done(r.report)

	output, last := &p.Pipelines[1], &p.Pipelines[1].Operators[0]
	output.Workers.Actual = 1
	if n := r.report.Makers; n > 1 {
		last.Detail = strings.TrimPrefix(last.Detail+", made ahead by "+count(int64(n), "worker"), ", ")
	}
	output.Elapsed = r.output.time
	output.WorkerTimes = append(output.WorkerTimes, WorkerTime{Rows: r.output.rows, Batches: r.output.batches, Source: r.output.time, Total: r.output.time})
	last.RowsIn.Actual, last.RowsOut.Actual = r.report.Groups, r.output.rows
	last.Batches, last.Time = r.output.batches, r.output.time
	return p
}

// explain returns the plan with what is known before the run.
func (r *run) explain() *Plan {
	rows, groups := r.table.rows(), r.expected.EstimatedGroups
	p := &Plan{
		Version:    planVersion,
		GroupBy:    slices.Clone(r.names.names[:r.names.keys]),
		Aggregates: r.names.shown(),
		Planning:   r.planning,
		Memory:     MemoryUse{Limit: r.engine.limit, Accounts: []AccountUse{}},
	}
	scan := Operator{Name: "scan", Detail: r.table.title(), RowsIn: expected(rows), RowsOut: expected(rows), Scan: r.explainScan()}
	agg := Operator{Name: "aggregate", Detail: spellQuery(p.GroupBy, p.Aggregates), RowsIn: expected(rows), RowsOut: expected(groups)}
	agg.Aggregate = &AggregateUse{
		Strategy: string(r.expected.Strategy), Reason: r.expected.Reason,
		KeyFormExpected: r.expected.KeyForm, Groups: expected(groups), Switches: []StrategySwitch{},
	}
	output := Operator{Name: "output", RowsIn: expected(groups), RowsOut: expected(groups)}
	if limit := r.query.Limit; limit != 0 {
		limit = max(0, limit)
		output.Detail = "no more than " + count(limit, "row")
		if groups != notKnown {
			output.RowsOut.Estimate = min(groups, limit)
		}
	}
	p.Pipelines = []Pipeline{
		{Name: "aggregation", Workers: expected(int64(r.sink.Workers())), WorkerTimes: []WorkerTime{}, Operators: []Operator{scan, agg}},
		{Name: "output", Workers: expected(1), WorkerTimes: []WorkerTime{}, Operators: []Operator{output}},
	}
	return p
}

func expected(n int64) Figure { return Figure{Estimate: n, Actual: notKnown} }

// shown spells the calls with their aliases.
func (p *resolved) shown() []string {
	var out []string
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
	a.KeyReason, a.GroupsForetold = r.KeyReason, r.ForetoldGroups
	a.Groups.Actual, a.Partitions = r.Groups, r.Partitions
	for _, s := range r.Switches {
		a.Switches = append(a.Switches, StrategySwitch(s))
	}
	a.MoreSwitches, a.HandedGroups = r.MoreSwitches, r.HandedGroups
	a.Group, a.Update, a.Merge, a.Finish = r.Group, r.Update, r.Merge, r.Finish
	a.LocalHits, a.StagedRows, a.StagedBytes = r.LocalHits, r.StagedRows, r.StagedBytes
	a.Drains, a.DrainedBytes, a.LockWaits, a.LockWait = r.Drains, r.DrainedBytes, r.LockWaits, r.LockWait
	if r.Rows > 0 {
		a.LocalHitRate = float64(r.LocalHits) / float64(r.Rows)
	}
}
