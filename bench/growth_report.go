package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
)

// machine is the line above a report's tables.
func machine() string {
	return fmt.Sprintf("%s/%s, %s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, cpuModel(), runtime.NumCPU(), runtime.Version())
}

// time is a strategy's time in seconds, 0 if it was not measured.
func (r *growthReport) time(strategy string, rows, groups int64, workers int) float64 {
	for _, p := range r.Points {
		if p.Strategy == strategy && p.Rows == rows && p.Groups == groups && p.Workers == workers {
			return p.Time
		}
	}
	return 0
}

// print writes the times, how they grow, and the model.
func (r *growthReport) print(out io.Writer) {
	fmt.Fprintf(out, "%s; sum of one column, uniform keys in memory, least times\n\n", r.Head)
	r.printTimes(out)
	r.printGrowth(out)
	if len(r.Fits) > 0 {
		r.printModel(out)
		r.printChecks(out)
	}
}

// printTimes shows milliseconds with one and two workers and the speed-up.
func (r *growthReport) printTimes(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "ms with 1 and 2 workers\trows\t")
	for _, g := range r.Groups {
		fmt.Fprintf(w, "%d groups\t\t\t", g)
	}
	fmt.Fprintln(w)
	for _, s := range r.Strategies {
		for _, rows := range r.Rows {
			fmt.Fprintf(w, "%s\t%d\t", s, rows)
			for _, g := range r.Groups {
				one, two := r.time(s, rows, g, 1), r.time(s, rows, g, 2)
				fmt.Fprintf(w, "%s\t%s\t%.2fx\t", milliseconds(one), milliseconds(two), one/two)
			}
			fmt.Fprintln(w)
		}
	}
	w.Flush()
}

// printGrowth shows the times' ratios with two workers.
func (r *growthReport) printGrowth(out io.Writer) {
	fmt.Fprintf(out, "\ngrowth of the time with 2 workers: %.1f times the rows at fixed groups, more groups at %d rows\n", float64(r.Rows[1])/float64(r.Rows[0]), r.Rows[1])
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "times\t")
	for _, g := range r.Groups {
		fmt.Fprintf(w, "rows at %d\t", g)
	}
	for i, g := range r.Groups[1:] {
		fmt.Fprintf(w, "%d to %d\t", r.Groups[i], g)
	}
	fmt.Fprintln(w)
	for _, s := range r.Strategies {
		fmt.Fprintf(w, "%s\t", s)
		for _, g := range r.Groups {
			fmt.Fprintf(w, "%.2f\t", r.time(s, r.Rows[1], g, 2)/r.time(s, r.Rows[0], g, 2))
		}
		for i, g := range r.Groups[1:] {
			fmt.Fprintf(w, "%.2f\t", r.time(s, r.Rows[1], g, 2)/r.time(s, r.Rows[1], r.Groups[i], 2))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// printModel shows the fitted parameters and the predictions.
func (r *growthReport) printModel(out io.Writer) {
	fmt.Fprintf(out, "\n%s\n", r.Model)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "fitted, ns\tstart 1\tstart 2\tscan/row\tcreate/group\tmerge/group\toutput/group\t")
	for _, f := range r.Fits {
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.2f\t%.1f\t%.1f\t%.1f\t\n", f.Strategy, f.Start1*1e9, f.Start2*1e9, f.Scan*1e9, f.Create*1e9, f.Merge*1e9, f.Output*1e9)
	}
	w.Flush()
	fmt.Fprintf(out, "\npredicted ms for %d rows, at best to at worst\n", r.Rows[1])
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "strategy\tgroups\tserial ms\twork ns/row\textra ns/row\tmeasured 1\tmeasured 2\t")
	for _, n := range modelWorkers {
		fmt.Fprintf(w, "%d\t", n)
	}
	fmt.Fprintln(w)
	for _, f := range r.Fits {
		for i, at := range f.At {
			fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t%s\t%s\t", f.Strategy, at.Groups, at.Serial*1e3, at.Work*1e9, at.Extra*1e9, milliseconds(r.time(f.Strategy, r.Rows[1], at.Groups, 1)), milliseconds(r.time(f.Strategy, r.Rows[1], at.Groups, 2)))
			for _, n := range modelWorkers {
				least, most := f.predict(i, r.Rows[1], n)
				fmt.Fprintf(w, "%s to %s\t", milliseconds(least), milliseconds(most))
			}
			fmt.Fprintln(w)
		}
	}
	w.Flush()
}

// printChecks compares the work that the model expects of many workers with the
// processor time that they take here, where they share the processors.
func (r *growthReport) printChecks(out io.Writer) {
	if len(r.Checks) == 0 || r.Checks[0].CPU == 0 {
		return
	}
	anchor := r.anchor()
	fmt.Fprintf(out, "\ncheck of the model's total work by the process's processor time, ms, %d rows, %d groups, %d CPUs (the collector's included)\n", r.Rows[1], anchor, runtime.NumCPU())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "strategy\tworkers\tmodel\tmeasured\t")
	for _, f := range r.Fits {
		i := slices.IndexFunc(f.At, func(at fitGroups) bool { return at.Groups == anchor })
		for _, p := range append(slices.Clone(r.Points), r.Checks...) {
			if p.Strategy == f.Strategy && p.Rows == r.Rows[1] && p.Groups == anchor {
				least, most := f.processor(i, p.Rows, p.Workers)
				fmt.Fprintf(w, "%s\t%d\t%s to %s\t%s\t\n", p.Strategy, p.Workers, milliseconds(least), milliseconds(most), milliseconds(p.CPU))
			}
		}
	}
	w.Flush()
	fmt.Fprintln(out, "Where workers share a processor some find few batches left or none: then there are fewer states than the model adds up.")
}
