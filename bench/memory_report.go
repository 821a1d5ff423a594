package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// memoryReport is everything that was found; it is what -json writes.
type memoryReport struct {
	Head     string            `json:"head"`
	Mode     string            `json:"mode"`
	Threads  int               `json:"threads"`
	Engines  []string          `json:"engines"`
	Versions map[string]string `json:"versions"`
	Missing  map[string]string `json:"missing,omitempty"` // engines that are not installed, and why
	Results  []*memoryResult   `json:"results"`
}

// memoryResult is one engine's part of a case at a budget.
type memoryResult struct {
	Case    string    `json:"case"`
	Engine  string    `json:"engine"`
	Budget  string    `json:"budget"`
	Bytes   int64     `json:"bytes"`   // the budget, 0 for none
	Seconds []float64 `json:"seconds"` // in order of the runs
	CPU     []float64 `json:"cpu"`
	Peak    int64     `json:"peak_bytes"`    // resident, the most of all runs
	Spilled int64     `json:"spilled_bytes"` // likewise, -1 if unknown
	Rows    int64     `json:"rows"`          // of the answer, 0 if not compared
	Error   string    `json:"error,omitempty"`
	Differs string    `json:"differs,omitempty"` // from the answer that it should be
}

// slack is what a process may have resident beyond its budget.
const slack = 48_000_000

func (r *memoryResult) add(u usage) {
	r.Seconds, r.CPU = append(r.Seconds, u.seconds), append(r.CPU, u.cpu)
	r.Peak, r.Spilled = max(r.Peak, u.peak), max(r.Spilled, u.spilled)
}

// answered tells whether the answer is there and, if it was compared, right.
func (r *memoryResult) answered() bool { return r.Error == "" && r.Differs == "" }

// time is the median, 0 if there is no answer.
func (r *memoryResult) time() float64 {
	if r == nil || !r.answered() {
		return 0
	}
	return median(r.Seconds)
}

// kept tells whether the process stayed within its budget and the slack.
func (r *memoryResult) kept() bool { return r.Bytes > 0 && r.Peak <= r.Bytes+slack }

func (r *memoryResult) outcome() string {
	switch {
	case r.Error != "":
		return "error"
	case r.Differs != "":
		return "WRONG"
	}
	return "ok"
}

// String is the line that is printed while measuring.
func (r *memoryResult) String() string {
	line := fmt.Sprintf("%s, %s, %s: %s, %.2f s, %.0f MB", r.Case, r.Budget, r.Engine, r.outcome(), median(r.Seconds), float64(r.Peak)/1e6)
	if detail := r.Error + r.Differs; detail != "" {
		line += ": " + detail
	}
	return line
}

func (r *memoryReport) missing(engine string) bool { return r.Missing[engine] != "" }

// leaveOut notes that an engine cannot be used here.
func (r *memoryReport) leaveOut(engine string, why error) {
	if r.Missing == nil {
		r.Missing = map[string]string{}
	}
	r.Missing[engine] = why.Error()
}

// differing is the number of wrong answers.
func (r *memoryReport) differing() (n int) {
	for _, res := range r.Results {
		if res.Differs != "" {
			n++
		}
	}
	return n
}

// find returns an engine's result for a case at a budget, or nil.
func (r *memoryReport) find(name, engine, budget string) *memoryResult {
	for _, res := range r.Results {
		if res.Case == name && res.Engine == engine && res.Budget == budget {
			return res
		}
	}
	return nil
}

// print writes the table, the sums and what went wrong.
func (r *memoryReport) print(out io.Writer) {
	fmt.Fprintf(out, "%s; %d threads each\n", r.Head, r.Threads)
	for _, e := range r.Engines {
		switch {
		case r.missing(e):
			fmt.Fprintf(out, "  %s: left out: %s\n", e, r.Missing[e])
		case r.Versions[e] != "":
			fmt.Fprintf(out, "  %s %s\n", e, r.Versions[e])
		}
	}
	r.printTable(out)
	for _, e := range r.Engines {
		if r.missing(e) {
			continue
		}
		r.printKept(out, e)
		if r.Mode == "graceful" {
			r.printGraceful(out, e)
		}
	}
	for _, res := range r.Results {
		if res.Error != "" {
			fmt.Fprintf(out, "FAILED %s, %s, %s: %s\n", res.Case, res.Budget, res.Engine, res.Error)
		}
		if res.Differs != "" {
			fmt.Fprintf(out, "DIFFERS %s, %s, %s: %s\n", res.Case, res.Budget, res.Engine, res.Differs)
		}
	}
}

// printTable has a line for each case, budget and engine. Beyond is the peak
// less the budget.
func (r *memoryReport) printTable(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\ncase\tbudget\tMB\tengine\toutcome\ts\tCPU s\tpeak MB\tbeyond\tspilled MB\tby in memory\tby colagg\t")
	for _, res := range r.Results {
		limit, beyond, spilled := "-", "-", "-"
		if res.Bytes > 0 {
			limit, beyond = megabytes(res.Bytes), megabytes(res.Peak-res.Bytes)
		}
		if res.Spilled >= 0 {
			spilled = megabytes(res.Spilled)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%s\t%s\t%s\t%s\t%s\t\n", res.Case, res.Budget, limit, res.Engine, res.outcome(),
			median(res.Seconds), median(res.CPU), megabytes(res.Peak), beyond, spilled,
			ratio(res, r.find(res.Case, res.Engine, inMemory.name)), ratio(res, r.find(res.Case, "colagg", res.Budget)))
	}
	w.Flush()
	fmt.Fprintln(out)
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }

// ratio is a's time by b's, where both have one and they are not the same.
func ratio(a, b *memoryResult) string {
	if a == b || a.time() == 0 || b.time() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a.time()/b.time())
}

// printKept says how many of an engine's answers and peaks are as they should be.
func (r *memoryReport) printKept(out io.Writer, engine string) {
	all, answered, kept := 0, 0, 0
	var over []string
	for _, res := range r.Results {
		if res.Engine != engine || res.Bytes == 0 {
			continue
		}
		all++
		if res.answered() {
			answered++
		}
		if res.kept() {
			kept++
		} else {
			over = append(over, fmt.Sprintf("%s %s (%s)", res.Case, res.Budget, megabytes(res.Peak-res.Bytes)))
		}
	}
	fmt.Fprintf(out, "%s: %d of %d answered; the peak is within the budget and %s MB in %d of %d\n", engine, answered, all, megabytes(slack), kept, all)
	if len(over) > 0 {
		fmt.Fprintf(out, "  beyond: %s\n", strings.Join(over, ", "))
	}
}

// printGraceful says at each part of the need how an engine's times are to its
// own in memory, and how many of colagg's are at or ahead of the other's.
func (r *memoryReport) printGraceful(out io.Writer, engine string) {
	for _, part := range parts {
		all, within, compared, ahead := 0, 0, 0, 0
		for _, res := range r.Results {
			if res.Engine != engine || res.Budget != part.name {
				continue
			}
			all++
			if t := r.find(res.Case, engine, inMemory.name).time(); t > 0 && res.time() > 0 && res.time() <= part.times*t {
				within++
			}
			if c := r.find(res.Case, "colagg", part.name); engine != "colagg" && c != nil {
				compared++
				if c.time() > 0 && (res.time() == 0 || c.time() <= res.time()) {
					ahead++
				}
			}
		}
		fmt.Fprintf(out, "%s at %s: within %g times the time in memory in %d of %d", engine, part.name, part.times, within, all)
		if compared > 0 {
			fmt.Fprintf(out, "; colagg at or ahead of it in %d of %d", ahead, compared)
		}
		fmt.Fprintln(out)
	}
}
