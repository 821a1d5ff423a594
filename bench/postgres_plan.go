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
	Sorted   int64    `json:"Sort Space Used"`   // KiB
	SortedOn string   `json:"Sort Space Type"`   // Memory or Disk
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

// partial tells whether the plan aggregates by hash in workers and merges their
// states.
func (n pgNode) partial() bool {
	return n.Mode == "Partial" && n.Strategy == "Hashed" || slices.ContainsFunc(n.Below, pgNode.partial)
}

// space adds up the bytes of memory and disk that the nodes of a plan used, as
// the leader reports them.
func (n pgNode) space() (memory, disk int64) {
	memory, disk = n.Memory<<10, n.Disk<<10
	if n.SortedOn == "Disk" {
		disk += n.Sorted << 10
	} else {
		memory += n.Sorted << 10
	}
	for _, below := range n.Below {
		m, d := below.space()
		memory, disk = memory+m, disk+d
	}
	return memory, disk
}

// forced returns the statements that make the planner aggregate by hash in the
// workers and merge their states in the leader: no costs of being parallel; no
// sorting; and if it still gathers rows instead, because the groups are too
// many for that to pay, a lower estimate of their number, in a transaction that
// never ends. How the last resort is called comes with it, "" for the others.
// If nothing helps, the first statements are returned, and the plan shows it.
func (s *pgServer) forced(ctx context.Context, set []string, q question, rows int64) (statements []string, resort string, err error) {
	free := append(slices.Clone(set), "SET min_parallel_table_scan_size = 0", "SET parallel_setup_cost = 0", "SET parallel_tuple_cost = 0")
	hash := append(slices.Clone(free), "SET enable_sort = off")
	var alter []string
	for i, k := range q.keys {
		distinct := int64(1)
		if i == 0 {
			distinct = max(rows/fewerGroups, 1)
		}
		alter = append(alter, fmt.Sprintf("ALTER COLUMN %s SET (n_distinct = %d)", k, distinct))
	}
	low := slices.Concat([]string{"BEGIN", "ALTER TABLE " + pgTable + " " + strings.Join(alter, ", "), "ANALYZE " + pgTable}, hash)
	for i, try := range [][]string{free, hash, low} {
		e, err := s.explain(ctx, try, "EXPLAIN (FORMAT JSON) "+q.sql(pgTable))
		if err != nil {
			return nil, "", err
		}
		if e.Plan.partial() {
			return try, []string{"", "", ", low estimate"}[i], nil
		}
	}
	return free, "", nil
}

// fewerGroups is how many rows a group has by the lowered estimate: so many that
// hash tables in eight workers still seem to pay.
const fewerGroups = 30

// pgAnalyze runs a query, drops its result and gives the times of the whole,
// without the clock in each node.
const pgAnalyze = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "

// explain returns what a statement that begins with EXPLAIN prints after others
// in its session.
func (s *pgServer) explain(ctx context.Context, before []string, statement string) (pgExplained, error) {
	out, err := s.text(ctx, append(slices.Clone(before), statement)...)
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
