package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// pgNode is a node of a plan as EXPLAIN (ANALYZE, FORMAT JSON) prints it.
type pgNode struct {
	Type     string   `json:"Node Type"`
	Strategy string   `json:"Strategy"`
	Mode     string   `json:"Partial Mode"`
	Launched int      `json:"Workers Launched"`
	Rows     float64  `json:"Actual Rows"`
	Loops    float64  `json:"Actual Loops"`
	Memory   int64    `json:"Peak Memory Usage"` // KiB
	Disk     int64    `json:"Disk Usage"`        // KiB
	Below    []pgNode `json:"Plans"`
}

// pgExplained is one run of a query.
type pgExplained struct {
	Plan      pgNode  `json:"Plan"`
	Planning  float64 `json:"Planning Time"`  // ms
	Execution float64 `json:"Execution Time"` // ms
}

// String is the plan from the top, such as "Finalize HashAggregate, Gather (2
// workers), Partial HashAggregate, Seq Scan".
func (n pgNode) String() string {
	name := n.Type
	if n.Type == "Aggregate" {
		how := map[string]string{"Hashed": "HashAggregate", "Sorted": "GroupAggregate", "Mixed": "MixedAggregate"}[n.Strategy]
		if how != "" {
			name = how
		}
		if n.Mode == "Partial" || n.Mode == "Finalize" {
			name = n.Mode + " " + name
		}
	}
	if strings.HasPrefix(n.Type, "Gather") {
		name += " (" + workersText(n.Launched) + ")"
	}
	for _, below := range n.Below {
		name += ", " + below.String()
	}
	return name
}

func workersText(n int) string {
	if n == 1 {
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", n)
}

// partial tells whether the plan aggregates in workers and merges their states.
func (n pgNode) partial() bool {
	return n.Mode == "Partial" || slices.ContainsFunc(n.Below, pgNode.partial)
}

// total adds up what a figure of the nodes of a plan is.
func (n pgNode) total(figure func(pgNode) int64) int64 {
	sum := figure(n)
	for _, below := range n.Below {
		sum += below.total(figure)
	}
	return sum
}

// pgTupleCosts are what planning is told that a row costs on its way from a
// worker to the leader. With a cost of nothing it may gather all rows and
// aggregate them in the leader; then the next ones are tried.
var pgTupleCosts = []string{"0", "0.01", "0.1", "1"}

// forced are the settings that give a parallel plan with partial aggregation.
// If there are none, they are those that give any parallel plan most easily.
func (s *pgServer) forced(ctx context.Context, settings []string, query string) ([]string, error) {
	settings = append(settings, "min_parallel_table_scan_size = 0", "parallel_setup_cost = 0")
	for _, cost := range pgTupleCosts {
		with := append(slices.Clone(settings), "parallel_tuple_cost = "+cost)
		e, err := s.explain(ctx, with, "EXPLAIN (FORMAT JSON) "+query)
		if err != nil {
			return nil, err
		}
		if e.Plan.partial() {
			return with, nil
		}
	}
	return append(settings, "parallel_tuple_cost = "+pgTupleCosts[0]), nil
}

// pgAnalyze runs a query, drops its result and gives the times of the whole,
// without the clock in each node.
const pgAnalyze = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "

// explain returns what a statement that begins with EXPLAIN prints after
// settings.
func (s *pgServer) explain(ctx context.Context, settings []string, statement string) (pgExplained, error) {
	var commands []string
	for _, set := range settings {
		commands = append(commands, "SET "+set)
	}
	out, err := s.text(ctx, append(commands, statement)...)
	if err != nil {
		return pgExplained{}, err
	}
	return parseExplained(out)
}

func parseExplained(text string) (pgExplained, error) {
	var list []pgExplained
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return pgExplained{}, fmt.Errorf("postgres: reading the plan: %w", err)
	}
	if len(list) != 1 || list[0].Plan.Type == "" {
		return pgExplained{}, fmt.Errorf("postgres: there is no plan in %q", text)
	}
	return list[0], nil
}
