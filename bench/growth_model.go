package main

import (
	"errors"
	"math"
	"slices"
)

// fit is a model of one strategy's time with w workers over N rows drawn
// uniformly from G groups, in seconds:
//
//	T(w) = Start(w) + Serial(G) + N·(Scan + Work(G))/w + (Create + Merge)·D(w) + Output·D(1) + N·Extra(G)·c(w)
//
// D(w) = G·(1 − (1 − 1/G)^(N/w)) is how many groups a worker sees: with w
// workers it makes so many states, and merges so many, which is its share of
// the w·D(w) that there are; with one worker Merge is nothing. Start grows by
// the same amount with each worker. Scan is the cost per row of a query without
// keys, Work that of finding the group and updating its state, Output that of
// handing out a group, by one goroutine, and Serial what else is done once and
// depends on the groups alone, such as sorting a small result. Extra is what a
// row costs with two workers beyond its half of the work: locks, lines that
// caches pass to and fro, memory that is shared. Measurements with two workers
// do not tell how it goes on, so there are two answers. At best all of it is
// work that only one worker at a time can do (Amdahl): c(w) = 2·(1 − 1/w). At
// worst each worker disturbs each other one: c(w) = w − 1. Both are 1 for two
// workers.
//
// Work, Serial and Extra are taken from the measurements for each G, since they
// depend on what the caches hold; Create and Merge from one G, the anchor, at
// which nearly all groups are seen within the smaller number of rows, and hold
// for all. From the anchor up Serial is nothing: it cannot be told from Create.
// The model knows nothing of sockets, of cores that share an execution unit, of
// frequency, nor of a strategy that does something else from some number of
// workers on.
type fit struct {
	Strategy string      `json:"strategy"`
	Start1   float64     `json:"start_1"`
	Start2   float64     `json:"start_2"`
	Scan     float64     `json:"scan_per_row"`
	Create   float64     `json:"create_per_group_and_worker"`
	Merge    float64     `json:"merge_per_group_and_worker"`
	Output   float64     `json:"output_per_group"`
	At       []fitGroups `json:"groups"`
}

// fitGroups is what depends on the number of groups.
type fitGroups struct {
	Groups int64   `json:"groups"`
	Serial float64 `json:"serial"`
	Work   float64 `json:"work_per_row"`
	Extra  float64 `json:"extra_per_row"`
}

// modelText is what stands above the predictions.
const modelText = `model: T(w) = start(w) + serial + rows·(scan + work)/w + (create + merge)·D(w) + output·groups + rows·extra·c(w), where
D(w) is the groups that a worker sees. extra, the time that a second worker does not save, is at best serial work, c = 2(1 − 1/w),
at worst mutual disturbance, c = w − 1: measurements of 1 and 2 workers do not tell, hence the two predictions.
Assumed: uniform keys, a core for each worker, memory and caches that grow with the cores, merging that divides evenly,
the same way of working whatever w. Not a measurement.
`

// measurement is what the model is fitted from: a time in seconds, and the
// part of it in which the result is handed out.
type measurement struct {
	rows, groups    int64
	workers         int
	seconds, output float64
}

// held is D: how many of the groups so many rows are expected to meet.
func held(rows float64, groups int64) float64 {
	g := float64(groups)
	return -g * math.Expm1(rows*math.Log1p(-1/g))
}

var errTooFewPoints = errors.New("growth: the model needs times of 1 and 2 workers at two numbers of rows")

// points finds measurements by rows, groups and workers.
type points []measurement

func (p points) at(rows, groups int64, workers int) (measurement, bool) {
	i := slices.IndexFunc(p, func(m measurement) bool { return m.rows == rows && m.groups == groups && m.workers == workers })
	if i < 0 {
		return measurement{}, false
	}
	return p[i], true
}

// fitModel fits the rest of f, of which Start1, Start2 and Scan are known, from
// the measurements at fewer and more rows.
func fitModel(f fit, p points, fewer, more int64, groups []int64) (fit, error) {
	for _, g := range groups {
		for _, rows := range []int64{fewer, more} {
			for w := 1; w <= 2; w++ {
				if _, ok := p.at(rows, g, w); !ok {
					return f, errTooFewPoints
				}
			}
		}
	}
	most, anchor := slices.Max(groups), anchorGroups(groups, fewer)
	last, _ := p.at(more, most, 1)
	f.Output = last.output / held(float64(more), most)
	var perRow float64
	perRow, f.Create = solve(f.equation(p, fewer, anchor, 1, 0), f.equation(p, more, anchor, 1, 0))
	_, f.Merge = solve(f.equation(p, fewer, anchor, 2, perRow), f.equation(p, more, anchor, 2, perRow))
	for _, g := range groups {
		at, one := fitGroups{Groups: g}, f.equation(p, more, g, 1, 0)
		if g < anchor {
			few := f.equation(p, fewer, g, 1, 0)
			few.groups, one.groups = 1, 1
			_, at.Serial = solve(few, one)
		}
		at.Work = max(0, (one.left-at.Serial)/one.rows-f.Scan)
		two := f.equation(p, more, g, 2, f.Scan+at.Work)
		at.Extra = max(0, (two.left-at.Serial)/two.rows)
		f.At = append(f.At, at)
	}
	return f, nil
}

// anchorGroups is the most groups of which nearly all (nine tenths) are seen by two
// workers that share the rows.
func anchorGroups(groups []int64, rows int64) int64 {
	anchor := slices.Min(groups)
	for _, g := range groups {
		if 4*g <= rows {
			anchor = max(anchor, g)
		}
	}
	return anchor
}

// equation is rows·x + groups·y = left: what the known parts of the model leave
// of a measurement.
type equation struct{ rows, groups, left float64 }

// equation subtracts from a measurement start, output, the known cost of states
// and, with two workers, half of perRow.
func (f fit) equation(p points, rows, groups int64, workers int, perRow float64) equation {
	m, _ := p.at(rows, groups, workers)
	n := float64(rows)
	e := equation{rows: n, groups: held(n/float64(workers), groups)}
	e.left = m.seconds - f.start(workers) - f.Output*held(n, groups) - n*perRow/float64(workers) - f.perState(workers)*e.groups
	return e
}

// solve returns x and y, neither below 0.
func solve(a, b equation) (x, y float64) {
	det := a.rows*b.groups - b.rows*a.groups
	if det != 0 {
		x = (a.left*b.groups - b.left*a.groups) / det
		y = (a.rows*b.left - b.rows*a.left) / det
	}
	switch {
	case det == 0 || y < 0:
		return max(0, b.left/b.rows), 0
	case x < 0:
		return 0, max(0, b.left/b.groups)
	}
	return x, y
}

func (f fit) start(workers int) float64 {
	return f.Start1 + max(0, f.Start2-f.Start1)*float64(workers-1)
}

// perState is the cost of a group in a worker.
func (f fit) perState(workers int) float64 {
	if workers == 1 {
		return f.Create
	}
	return f.Create + f.Merge
}

// predict returns the least and the most seconds for i, an index of At.
func (f fit) predict(i int, rows int64, workers int) (least, most float64) {
	n, w, at := float64(rows), float64(workers), f.At[i]
	t := f.start(workers) + at.Serial + n*(f.Scan+at.Work)/w + f.perState(workers)*held(n/w, at.Groups) + f.Output*held(n, at.Groups)
	return t + 2*n*at.Extra*(1-1/w), t + n*at.Extra*(w-1)
}

// processor returns the least and the most processor time, in seconds, of all
// workers together on a machine with two processors: the extra time is spent
// waiting or working, on both of them.
func (f fit) processor(i int, rows int64, workers int) (least, most float64) {
	n, w, at := float64(rows), float64(workers), f.At[i]
	least = f.start(workers) + at.Serial + n*(f.Scan+at.Work) + w*f.perState(workers)*held(n/w, at.Groups) + f.Output*held(n, at.Groups)
	if workers == 1 {
		return least, least
	}
	return least, least + 2*n*at.Extra
}
