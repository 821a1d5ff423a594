package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

// tablesFor is how many statements are asked of the same tables.
const tablesFor = 150

// differCommand compares colagg with DuckDB on generated statements.
func differCommand(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("differ", flag.ContinueOnError)
	n := flags.Int("n", 20000, "how many statements")
	seed := flags.Uint64("seed", 1, "of the generator")
	verbose := flags.Bool("v", false, "print all statements")
	only := flags.Int("only", -1, "the number of the one statement to run")
	most := flags.Duration("for", 0, "stop after this time")
	dir := flags.String("dir", "", "keep the tables in this folder")
	show := flags.Bool("missing", false, "list what colagg does not take")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c := campaign{out: out, seed: *seed, first: 0, end: *n, dir: *dir, counts: map[string]int{}, verbose: *verbose, list: *show}
	if *only >= 0 {
		c.first, c.end, c.verbose = *only, *only+1, true
	}
	if *most > 0 {
		c.until = time.Now().Add(*most)
	}
	if err := c.run(ctx); err != nil {
		return err
	}
	if c.bad > 0 {
		return fmt.Errorf("%d differences", c.bad)
	}
	return nil
}

// campaign is a number of statements and what has become of them.
type campaign struct {
	out        io.Writer
	seed       uint64
	first, end int
	until      time.Time // or zero
	verbose    bool
	list       bool
	dir        string // of the tables, or empty
	counts     map[string]int
	done, bad  int
	seen       map[string]int // differences by their sort
}

// run asks all statements and prints what they came to.
func (c *campaign) run(ctx context.Context) error {
	d, err := newDiffer(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	dir := c.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "differ"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	c.seen = map[string]int{}
	var have *dialect
	for set := c.first / tablesFor; set*tablesFor < c.end; set++ {
		tables, err := d.makeTables(ctx, rand.New(rand.NewPCG(c.seed, uint64(set)<<32)), dir)
		if err != nil {
			return err
		}
		if have == nil {
			if have, err = d.probe(ctx, tables[0]); err != nil {
				return err
			}
			c.missing(have)
		}
		for n := max(c.first, set*tablesFor); n < min(c.end, (set+1)*tablesFor); n++ {
			if ctx.Err() != nil || !c.until.IsZero() && time.Now().After(c.until) {
				c.report()
				return ctx.Err()
			}
			c.one(ctx, d, n, &generator{r: rand.New(rand.NewPCG(c.seed, uint64(n))), have: have, tables: tables})
		}
	}
	c.report()
	return nil
}

// missing prints what colagg does not take.
func (c *campaign) missing(have *dialect) {
	fmt.Fprintf(c.out, "%d forms are not there or not asked\n", len(have.missing))
	if c.list {
		slices.Sort(have.missing)
		for _, m := range have.missing {
			fmt.Fprintf(c.out, "  %.300s\n", m)
		}
	}
}

// one asks statement n.
func (c *campaign) one(ctx context.Context, d *differ, n int, g *generator) {
	s, how := g.statement(), randomSetting(g.r)
	if c.verbose {
		fmt.Fprintln(c.out, s)
	}
	c.done++
	result, diff := c.compare(ctx, d, s, how)
	c.counts[result]++
	if diff == "" {
		return
	}
	c.bad++
	sort := sortOf(diff)
	if c.seen[sort]++; c.seen[sort] > 3 {
		return
	}
	for again := true; again; {
		again = false
		for _, t := range s.smaller() {
			if _, other := c.compare(ctx, d, t, how); other != "" && sortOf(other) == sort {
				s, again, diff = t, true, other
				break
			}
		}
	}
	_, alone := c.compare(ctx, d, s, plain)
	fmt.Fprintf(c.out, "DIFFERENCE of -seed %d -only %d (%s)\n  %s\n  %s\n", c.seed, n, how, s, diff)
	if alone == "" {
		fmt.Fprintf(c.out, "  not with %s\n", plain)
	}
}

// sortOf is a difference without what is about one statement.
func sortOf(diff string) string {
	if before, _, ok := strings.Cut(diff, "row "); ok && before == "" {
		return "values"
	}
	if before, _, ok := strings.Cut(diff, " (at "); ok {
		return before
	}
	return diff[:min(len(diff), 60)]
}

// compare asks both engines and returns what it came to, and the difference if
// there is one that is not explained.
func (c *campaign) compare(ctx context.Context, d *differ, s *statement, how setting) (result, diff string) {
	text := s.String()
	want, got := d.duck(ctx, text), d.colagg(ctx, text, how)
	if got.err != nil && strings.Contains(got.err.Error(), "memory limit") && how.MemoryLimit > 0 {
		how.MemoryLimit = 0
		got = d.colagg(ctx, text, how)
	}
	switch {
	case want.err != nil && got.err != nil && !errors.Is(got.err, errPanic) && !strings.Contains(got.err.Error(), "BUG"):
		return "both refuse", ""
	case want.err != nil || got.err != nil:
		if reason := reasonFor(want, got); reason != "" {
			if c.verbose {
				fmt.Fprintf(c.out, "  DuckDB: %v\n  colagg: %v\n", want.err, got.err)
			}
			return "explained: " + reason, ""
		}
		if got.err != nil {
			return "different", fmt.Sprintf("colagg refuses: %v (DuckDB: %d rows, %v)", got.err, len(want.rows), want.err)
		}
		return "different", fmt.Sprintf("DuckDB refuses: %.300v (colagg: %d rows)", want.err, len(got.rows))
	}
	inexact := make([]bool, len(s.left.items))
	for i := range inexact {
		inexact[i] = s.left.items[i].inexact
	}
	if diff := differs(want, got, inexact, len(s.order) == len(inexact)); diff != "" {
		return "different", diff
	}
	if len(want.rows) == 0 {
		return "same, without rows", ""
	}
	return "same", ""
}

// report prints the figures.
func (c *campaign) report() {
	fmt.Fprintf(c.out, "%d statements\n", c.done)
	var lines []string
	for result, n := range c.counts {
		lines = append(lines, fmt.Sprintf("%8d  %s", n, result))
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	fmt.Fprintln(c.out, strings.Join(lines, "\n"))
}
