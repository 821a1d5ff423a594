package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// The targets of auto: its time over the best fixed strategy's, in nearly all
// cells and in all.
const (
	nearRatio  = 1.10
	outerRatio = 1.25
)

// matrixReport is everything that the matrix found; it is what -json writes.
type matrixReport struct {
	System     string        `json:"system"`
	CPU        string        `json:"cpu"`
	CPUs       int           `json:"cpus"`
	Go         string        `json:"go"`
	Rows       int64         `json:"rows"`
	Threads    int           `json:"threads"`
	Runs       int           `json:"runs"`
	Statistic  string        `json:"statistic"`
	Strategies []string      `json:"strategies"`
	Cells      int           `json:"cells"`        // that were wanted
	TooFewRows int           `json:"too_few_rows"` // cells with more groups than rows, which were not
	Results    []*cellResult `json:"results"`
}

// cellResult is one cell's part.
type cellResult struct {
	cell
	Found     int64     `json:"found_groups"`
	Samples   []*sample `json:"samples"`
	reference *answer
}

// sample is one strategy's part of a cell.
type sample struct {
	Strategy   string    `json:"strategy"`
	Threads    int       `json:"threads"`
	Seconds    []float64 `json:"seconds"`         // in order of the runs
	Time       float64   `json:"time"`            // the one that counts, in seconds
	Chose      string    `json:"chose,omitempty"` // the strategy that the query reports
	KeyForm    string    `json:"key_form,omitempty"`
	Error      string    `json:"error,omitempty"`
	OverMemory bool      `json:"over_memory,omitempty"` // the error is the memory limit
}

func newMatrixReport(p matrixPlan) *matrixReport {
	return &matrixReport{
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: cpuModel(), CPUs: runtime.NumCPU(), Go: runtime.Version(),
		Rows: p.rows, Threads: p.threads, Runs: p.runs, Statistic: p.stat, Strategies: p.strategies,
	}
}

// auto is the choosing strategy's sample with all threads (0) or with one (1).
func (c *cellResult) auto(i int) *sample { return c.Samples[i] }

// best is the fixed strategy that took the least time, nil if none answered.
func (c *cellResult) best() *sample {
	var best *sample
	for _, s := range c.Samples[2:] {
		if s.Error == "" && (best == nil || s.Time < best.Time) {
			best = s
		}
	}
	return best
}

// ratio is auto's time over the best fixed strategy's: 0 if nothing could be
// measured, infinite if only auto failed.
func (c *cellResult) ratio() float64 {
	best := c.best()
	switch {
	case best == nil:
		return 0
	case c.auto(0).Error != "":
		return math.Inf(1)
	}
	return c.auto(0).Time / best.Time
}

// speedup is auto's time with one thread over that with all, 0 if unknown.
func (c *cellResult) speedup() float64 {
	if c.auto(0).Error != "" || c.auto(1).Error != "" {
		return 0
	}
	return c.auto(1).Time / c.auto(0).Time
}

// slower tells whether auto with all threads is behind auto with one.
func (c *cellResult) slower() bool { return c.speedup() > 0 && c.speedup() < 1 }

// doubtful tells whether the cell misses a target, and so deserves more runs.
func (c *cellResult) doubtful() bool {
	return c.ratio() > nearRatio || c.auto(0).Threads > 1 && c.slower()
}

func (c *cellResult) line() string {
	best := c.best()
	if best == nil {
		return c.String() + ": no strategy answered: " + c.auto(0).Error
	}
	return fmt.Sprintf("%s: auto (%s) %s ms, %.2f times %s's; 1 thread %s",
		c, c.auto(0).Chose, milliseconds(c.auto(0).Time), c.ratio(), best.Strategy, milliseconds(c.auto(1).Time))
}

// measured are the cells with a ratio, the worst first.
func (r *matrixReport) measured() []*cellResult {
	list := slices.DeleteFunc(slices.Clone(r.Results), func(c *cellResult) bool { return c.ratio() == 0 })
	slices.SortStableFunc(list, byDescending((*cellResult).ratio))
	return list
}

// within counts the cells in which auto is within a ratio of the best.
func (r *matrixReport) within(ratio float64) (n int) {
	for _, c := range r.measured() {
		if c.ratio() <= ratio {
			n++
		}
	}
	return n
}

// slowest are the cells in which auto is slower with all threads than with one,
// the worst first; none if there is only one thread.
func (r *matrixReport) slowest() []*cellResult {
	if r.Threads == 1 {
		return nil
	}
	list := slices.DeleteFunc(r.measured(), func(c *cellResult) bool { return !c.slower() })
	slices.SortStableFunc(list, byDescending(func(c *cellResult) float64 { return 1 / c.speedup() }))
	return list
}

// heavyPair is a cell with a heavy hitter of 95 % and its uniform twin.
type heavyPair struct{ heavy, uniform *cellResult }

// ratio is the heavy hitter's time over the uniform keys'.
func (p heavyPair) ratio() float64 { return p.heavy.auto(0).Time / p.uniform.auto(0).Time }

// heavyPairs are all of them that auto answered, the worst first.
func (r *matrixReport) heavyPairs() []heavyPair {
	var out []heavyPair
	for _, h := range r.measured() {
		twin := h.cell
		twin.Dist = "uniform"
		at := slices.IndexFunc(r.Results, func(c *cellResult) bool { return c.cell == twin })
		if h.Dist == "hh95" && at >= 0 && h.auto(0).Error == "" && r.Results[at].auto(0).Error == "" {
			out = append(out, heavyPair{h, r.Results[at]})
		}
	}
	slices.SortStableFunc(out, byDescending(heavyPair.ratio))
	return out
}

// failures are the cells' errors, but for a memory limit that hits all
// strategies: such a cell is too large for the machine.
func (r *matrixReport) failures() []string {
	var out []string
	for _, c := range r.Results {
		for _, s := range c.Samples {
			if s.Error != "" && !(s.OverMemory && c.best() == nil) {
				out = append(out, fmt.Sprintf("%s: %s, %d threads: %s", c, s.Strategy, s.Threads, s.Error))
			}
		}
	}
	return out
}

// standing is how one fixed strategy does over all cells.
type standing struct {
	wins int     // cells in which it is the best one
	mean float64 // geometric mean of its time over the best one's
	max  float64 // the worst such ratio
}

func (r *matrixReport) standings() map[string]standing {
	out := map[string]standing{}
	for i, name := range r.Strategies {
		var st standing
		var logs float64
		n := 0
		for _, c := range r.measured() {
			s, best := c.Samples[2+i], c.best()
			if s.Error != "" {
				continue
			}
			if s == best {
				st.wins++
			}
			logs += math.Log(s.Time / best.Time)
			st.max = max(st.max, s.Time/best.Time)
			n++
		}
		if st.mean = math.Exp(logs / float64(n)); n == 0 {
			st.mean = 0
		}
		out[name] = st
	}
	return out
}

// matrixSummary is what -json writes of the targets.
type matrixSummary struct {
	Measured    int     `json:"measured"`
	Within110   int     `json:"within_1_10"` // cells with auto within 1.10 times the best fixed strategy
	Within125   int     `json:"within_1_25"`
	Worst       float64 `json:"worst"`        // auto's largest time over the best one's, of those that it answered
	Slower      int     `json:"slower"`       // cells in which more threads are slower than one
	HeavyPairs  int     `json:"heavy_pairs"`  // cells with 95 % of the rows in a group that have a uniform twin
	HeavySlower int     `json:"heavy_slower"` // those that are slower than the twin
	OverMemory  int     `json:"over_memory"`  // cells that are too large for the machine
	Failures    int     `json:"failures"`     // strategies that failed or gave another answer
}

func (r *matrixReport) summary() matrixSummary {
	cells := r.measured()
	s := matrixSummary{Measured: len(cells), Within110: r.within(nearRatio), Within125: r.within(outerRatio), Slower: len(r.slowest()),
		OverMemory: len(r.Results) - len(cells), Failures: len(r.failures())}
	for _, c := range cells {
		if ratio := c.ratio(); !math.IsInf(ratio, 1) {
			s.Worst = max(s.Worst, ratio)
		}
	}
	for _, p := range r.heavyPairs() {
		if s.HeavyPairs++; p.ratio() > 1 {
			s.HeavySlower++
		}
	}
	return s
}

// print writes the table of cells and what follows from it.
func (r *matrixReport) print(out io.Writer) {
	cells := r.measured()
	fmt.Fprintf(out, "%s, %s, %d CPUs, %s; %d rows in memory, %d threads, %s of at least %d runs; milliseconds\n\n",
		r.System, r.CPU, r.CPUs, r.Go, r.Rows, r.Threads, r.Statistic, r.Runs)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "groups\tdistribution\tkeys\taggregates\t\tauto\tbest\t\tauto/best\t1 thread\tspeed-up\tauto chose\t\n")
	for _, c := range cells {
		best := c.best()
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%.2f\t%s\t%.2f\t%s\t\n", c.Groups, c.Dist, c.Keys, c.Aggs, c.Width,
			milliseconds(c.auto(0).Time), milliseconds(best.Time), best.Strategy, c.ratio(), milliseconds(c.auto(1).Time), c.speedup(), c.auto(0).Chose)
	}
	w.Flush()
	r.printSummary(out, len(cells))
	for _, f := range r.failures() {
		fmt.Fprintln(out, "FAILED", f)
	}
}

func (r *matrixReport) printSummary(out io.Writer, measured int) {
	fmt.Fprintf(out, "\n%d of %d cells measured", measured, r.Cells)
	if n := len(r.Results) - measured; n > 0 {
		fmt.Fprintf(out, "; %d too large for this machine's memory", n)
	}
	if r.TooFewRows > 0 {
		fmt.Fprintf(out, "; %d more need more rows", r.TooFewRows)
	}
	fmt.Fprintln(out)
	if measured == 0 {
		return
	}
	for _, ratio := range []float64{nearRatio, outerRatio} {
		n := r.within(ratio)
		fmt.Fprintf(out, "auto within %.2f of the best fixed strategy: %d of %d cells (%.1f %%)\n", ratio, n, measured, share(n, measured))
	}
	if slow := r.slowest(); r.Threads > 1 {
		fmt.Fprintf(out, "slower with %d threads than with 1: %d of %d cells\n", r.Threads, len(slow), measured)
		for _, c := range slow {
			fmt.Fprintf(out, "  %s: %.2f times\n", c, 1/c.speedup())
		}
	}
	if pairs := r.heavyPairs(); len(pairs) > 0 {
		worse := slices.DeleteFunc(slices.Clone(pairs), func(p heavyPair) bool { return p.ratio() <= 1 })
		fmt.Fprintf(out, "one group of 95 %% of the rows, slower than uniform keys: %d of %d pairs; the worst takes %.2f times\n", len(worse), len(pairs), pairs[0].ratio())
		for _, p := range worse {
			fmt.Fprintf(out, "  %s: %s against %s ms\n", p.heavy, milliseconds(p.heavy.auto(0).Time), milliseconds(p.uniform.auto(0).Time))
		}
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "strategy\tbest in cells\tmean time/best\tworst\t")
	standings := r.standings()
	for _, name := range r.Strategies {
		s := standings[name]
		fmt.Fprintf(w, "%s\t%d\t%.2f\t%.2f\t\n", name, s.wins, s.mean, s.max)
	}
	w.Flush()
}

// share is a part in percent.
func share(n, of int) float64 { return 100 * float64(n) / float64(of) }

// writeCSV writes a line for every sample.
func (r *matrixReport) writeCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	if err := w.Write(strings.Split("rows,groups,found_groups,dist,keys,aggs,width,strategy,threads,seconds,median,runs,chose,key_form,error", ",")); err != nil {
		return err
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
	for _, c := range r.Results {
		for _, s := range c.Samples {
			err := w.Write([]string{strconv.FormatInt(r.Rows, 10), strconv.FormatInt(c.Groups, 10), strconv.FormatInt(c.Found, 10),
				c.Dist, c.Keys, strconv.Itoa(c.Aggs), c.Width, s.Strategy, strconv.Itoa(s.Threads),
				number(s.Time), number(median(s.Seconds)), strconv.Itoa(len(s.Seconds)), s.Chose, s.KeyForm, s.Error})
			if err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}
