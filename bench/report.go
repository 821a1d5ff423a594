package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is everything that a run found; it is what -json writes.
type report struct {
	System   string            `json:"system"`
	CPU      string            `json:"cpu"`
	CPUs     int               `json:"cpus"`
	Go       string            `json:"go"`
	Threads  int               `json:"threads"`
	Runs     int               `json:"runs"`
	Engines  []string          `json:"engines"`
	Versions map[string]string `json:"versions"`
	Outcomes []*outcome        `json:"outcomes"`
}

// outcome is one question's part.
type outcome struct {
	Question  string             `json:"question"`
	Data      string             `json:"data"`
	SQL       string             `json:"sql"`
	FileBytes int64              `json:"file_bytes"`
	Groups    int64              `json:"groups"`    // 0 if not compared
	Reference string             `json:"reference"` // the engine that the others were compared with
	Results   map[string]*result `json:"results"`
}

// result is one engine's answer to one question.
type result struct {
	Seconds   []float64 `json:"seconds"` // in order of the runs
	Median    float64   `json:"median"`
	PeakBytes int64     `json:"peak_bytes"` // most resident memory of the worker, -1 if unknown
	BaseBytes int64     `json:"base_bytes"` // the same before its first run
	Compared  string    `json:"compared,omitempty"`
	Error     string    `json:"error,omitempty"`
}

func newReport(p plan) *report {
	return &report{
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: cpuModel(), CPUs: runtime.NumCPU(), Go: runtime.Version(),
		Threads: p.threads, Runs: p.runs, Engines: p.engines, Versions: map[string]string{},
	}
}

// cpuModel is what Linux calls the processor, "" elsewhere.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// agree tells whether no comparison found a difference.
func (r *report) agree() bool {
	for _, o := range r.Outcomes {
		for _, res := range o.Results {
			if res.Compared != "" && res.Compared != "agrees" {
				return false
			}
		}
	}
	return true
}

// present are the engines that answered something, the one that the ratios are
// to first.
func (r *report) present() []string {
	var out []string
	for _, name := range r.Engines {
		if _, ok := r.Versions[name]; ok {
			out = append(out, name)
		}
	}
	if i := slices.Index(out, "colagg"); i > 0 {
		out = slices.Insert(slices.Delete(out, i, i+1), 0, "colagg")
	}
	return out
}

// print writes two tables, times and memory, and what went wrong.
func (r *report) print(out io.Writer) {
	engines := r.present()
	if len(engines) == 0 {
		fmt.Fprintln(out, "no engine could be started")
	} else {
		fmt.Fprintf(out, "%s, %s, %d CPUs; %d threads each; medians of %d runs\n", r.System, r.CPU, r.CPUs, r.Threads, r.Runs)
		for _, e := range engines {
			fmt.Fprintf(out, "  %s %s\n", e, r.Versions[e])
		}
		r.printTimes(out, engines)
		r.printMemory(out, engines)
	}
	for _, o := range r.Outcomes {
		for _, name := range r.Engines {
			res := o.Results[name]
			if res == nil {
				continue
			}
			if res.Error != "" {
				fmt.Fprintf(out, "FAILED %s, %s: %s\n", o.Question, name, res.Error)
			}
			if res.Compared != "" && res.Compared != "agrees" {
				fmt.Fprintf(out, "DIFFERS %s, %s from %s: %s\n", o.Question, name, o.Reference, res.Compared)
			}
		}
	}
}

// printTimes shows milliseconds, and for every engine but the first how many
// times the first one's time it took.
func (r *report) printTimes(out io.Writer, engines []string) {
	base := engines[0]
	fmt.Fprintf(out, "\nmilliseconds, and times %s's\n", base)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "question\tgroups\t%s\t\t\n", strings.Join(engines, "\t\t"))
	logs, counts := map[string]float64{}, map[string]int{}
	for _, o := range r.Outcomes {
		fmt.Fprintf(w, "%s\t%d\t", o.Question, o.Groups)
		for _, e := range engines {
			t := o.median(e)
			ratio := ""
			if b := o.median(base); e != base && t > 0 && b > 0 {
				ratio = fmt.Sprintf("%.2fx", t/b)
				logs[e] += math.Log(t / b)
				counts[e]++
			}
			fmt.Fprintf(w, "%s\t%s\t", milliseconds(t), ratio)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "geometric mean\t\t")
	for _, e := range engines {
		mean := ""
		if counts[e] > 0 {
			mean = fmt.Sprintf("%.2fx", math.Exp(logs[e]/float64(counts[e])))
		}
		fmt.Fprintf(w, "\t%s\t", mean)
	}
	fmt.Fprintln(w)
	w.Flush()
}

// printMemory shows the peak resident memory of each question's workers.
func (r *report) printMemory(out io.Writer, engines []string) {
	fmt.Fprintln(out, "\npeak resident memory, MB")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "question\t%s\t\n", strings.Join(engines, "\t"))
	for _, o := range r.Outcomes {
		fmt.Fprintf(w, "%s\t", o.Question)
		for _, e := range engines {
			cell := "-"
			if res := o.Results[e]; res != nil && res.PeakBytes > 0 {
				cell = fmt.Sprintf("%.0f", float64(res.PeakBytes)/1e6)
			}
			fmt.Fprintf(w, "%s\t", cell)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// median is an engine's time for the question in seconds, 0 if it has none.
func (o *outcome) median(engine string) float64 {
	if res := o.Results[engine]; res != nil && res.Error == "" {
		return res.Median
	}
	return 0
}

func milliseconds(seconds float64) string {
	switch {
	case seconds == 0:
		return "-"
	case seconds < 0.1:
		return fmt.Sprintf("%.1f", seconds*1e3)
	}
	return fmt.Sprintf("%.0f", seconds*1e3)
}
