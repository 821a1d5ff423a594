package colagg

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/operators"
)

// groupNode groups rows.
type groupNode struct {
	in       node
	run      *run
	sink     *hashagg.Sink
	expected hashagg.Report
	report   hashagg.Report
	flow     operators.Flow
	texts    map[string]string // the calls that have an alias, by it
	detail   string
	calls    []hashagg.Call
	expand   *expandNode // of several sets of keys, else nil
}

// groupNode makes the sink that groups by columns keys. readers says whether
// several streams will read the groups.
func (r *run) groupNode(in node, keys []int, calls []hashagg.Call, readers int) (*groupNode, error) {
	n := &groupNode{in: in, run: r, texts: map[string]string{}}
	cfg := hashagg.Config{Keys: keys, Calls: calls, Strategy: hashagg.Strategy(r.query.Strategy), Workers: in.workers(), Rows: in.rows(),
		BatchRows: r.engine.batchRows, Readers: readers, Budget: r.budget, Spill: r.temp}
	for _, k := range keys {
		lo, distinct := in.hint(k)
		cfg.Ranges, cfg.Distinct = append(cfg.Ranges, lo), append(cfg.Distinct, distinct)
	}
	if cfg.Strategy == "" {
		cfg.Strategy = hashagg.Auto
	}
	var err error
	if n.sink, err = hashagg.NewSink(in.schema(), cfg); err != nil { // a type that cannot be a key
		return nil, &Error{Kind: Unsupported, Offset: -1, Err: err}
	}
	n.expected = n.sink.Expect()
	r.groups, r.sinks = n, append(r.sinks, n.sink)
	return n, nil
}

func (n *groupNode) schema() *arrow.Schema { return n.sink.Schema() }
func (n *groupNode) rows() int64           { return n.expected.EstimatedGroups }
func (n *groupNode) given() int64          { return n.sink.Groups() }
func (n *groupNode) workers() int          { return n.in.workers() }
func (n *groupNode) streams() bool         { return false }
func (n *groupNode) release()              { n.sink.Close() }

func (n *groupNode) hint(int) (hashagg.Range, hashagg.Distinct) {
	return hashagg.Range{}, hashagg.Distinct{}
}

func (n *groupNode) open(ctx context.Context) (operators.Source, error) {
	in, err := n.in.open(ctx)
	if err != nil {
		return nil, err
	}
	src, flow, err := operators.Drain(ctx, in, n.sink, min(n.sink.Workers(), forRows(n.sink.Workers(), n.in.given())))
	n.flow = flow
	if err != nil {
		return nil, n.tell(err)
	}
	n.in.release()
	n.report = n.sink.Report()
	if n.expand != nil && len(n.expand.empty) > 0 && flow.Sum().Rows == 0 {
		if src, err = n.expand.nothing(ctx, n.calls, n.schema()); err != nil {
			return nil, err
		}
	}
	return told{src, n.tell}, nil
}

// tell adds the call to an overflow of a column that an alias names.
func (n *groupNode) tell(err error) error {
	var overflow *hashagg.OverflowError
	if !errors.As(err, &overflow) || n.texts[overflow.Column] == "" {
		return err
	}
	again := *overflow
	again.Column = fmt.Sprintf("%s (%s)", again.Column, n.texts[again.Column])
	return &again
}

func (n *groupNode) explain(p *Plan, out traffic) []Operator {
	ops := n.in.explain(p, trafficOf(n.flow))
	agg := Operator{Name: "aggregate", Detail: n.detail, RowsIn: trafficOf(n.flow).figure(n.in.rows()), RowsOut: expected(n.expected.EstimatedGroups)}
	agg.Aggregate = &AggregateUse{
		Strategy: string(n.expected.Strategy), Reason: n.expected.Reason,
		KeyFormExpected: n.expected.KeyForm, Groups: agg.RowsOut, Switches: []StrategySwitch{},
		GroupsAssumed: n.expected.AssumedGroups, Costs: costsOf(n.expected.Costs), CostsForetold: []StrategyCost{},
	}
	if n.flow.Workers != nil {
		report := n.report
		report.Groups = n.sink.Groups() // with those that were on disk
		agg.RowsOut.Actual, agg.Batches, agg.Time = report.Groups, trafficOf(n.flow).batches, n.flow.Sum().Sink+n.flow.Finish
		agg.Aggregate.done(report)
		agg.Aggregate.took(n.flow, p.Memory.Accounts)
	}
	p.add("aggregation", n.sink.Workers(), n.flow, append(ops, agg))
	rows := n.expected.EstimatedGroups
	return []Operator{{Name: "groups", RowsIn: out.figure(rows), RowsOut: out.figure(rows), Batches: out.batches, Time: out.time}}
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
