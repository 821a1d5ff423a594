package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// variant is one way to run a query; all must give the same answer.
type variant struct {
	strategy  string
	workers   int
	batchRows int
}

// String names the variant in messages.
func (v variant) String() string {
	return fmt.Sprintf("strategy %s, %d workers, batches of %d", v.strategy, v.workers, v.batchRows)
}

// mostBatches limits how many batches a variant may cut an input into, so that
// the tests of large inputs end soon.
const mostBatches = 2500

// manyRows is from how many rows on only large batches are used.
const manyRows = 20_000

// variants returns the ways to run a query over that many rows.
func variants(rows int64) []variant {
	workers, batches := []int{1, 2, 5}, []int{1, 3, 64, 8192}
	if testing.Short() {
		workers, batches = []int{5}, []int{3, 8192}
	}
	var out []variant
	for _, s := range colagg.Strategies() {
		for _, w := range workers {
			for _, b := range batches {
				if rows/int64(b) <= mostBatches && (rows < manyRows || b == 8192 || b == 64 && w == 5) {
					out = append(out, variant{s, w, b})
				}
			}
		}
	}
	return out
}

// run runs the query and reads the whole answer.
func (v variant) run(q colagg.Query) (answer, colagg.Stats, error) {
	eng, err := colagg.New(colagg.Options{Workers: v.workers, BatchRows: v.batchRows})
	if err != nil {
		return answer{}, colagg.Stats{}, err
	}
	defer eng.Close()
	q.Strategy = v.strategy
	res, err := eng.Query(context.Background(), q)
	if err != nil {
		return answer{}, colagg.Stats{}, err
	}
	defer res.Release()
	a, err := drain(res)
	return a, res.Stats(), err
}

// moments reports whether an aggregate's column is one of variances, by the
// text of the query.
func (b *block) moments(column string) bool {
	for _, agg := range b.aggs {
		for one := range strings.SplitSeq(agg, "), ") {
			if strings.HasSuffix(one, " as "+column) {
				return strings.HasPrefix(one, "var_") || strings.HasPrefix(one, "stddev_")
			}
		}
	}
	return false
}

// TestScripts runs every block of testdata/*.txt in every way over its files.
func TestScripts(t *testing.T) {
	for name, blocks := range scripts(t) {
		t.Run(name, func(t *testing.T) {
			for _, b := range blocks {
				t.Run(b.title, func(t *testing.T) {
					t.Parallel()
					q := colagg.Query{From: colagg.Files(b.from...), GroupBy: b.by, Aggs: b.aggs}
					b.check(t, func(v variant) colagg.Query { return q })
				})
			}
		})
	}
}

// check runs the block in every way; query gives the query for each.
func (b *block) check(t *testing.T, query func(variant) colagg.Query) {
	t.Helper()
	_, stats, err := variant{"serial", 1, 8192}.run(query(variant{}))
	if b.words != nil {
		b.checkError(t, err)
		if t.Failed() {
			return
		}
	}
	for _, v := range variants(stats.Rows) {
		got, stats, err := v.run(query(v))
		if b.words != nil {
			b.checkError(t, err)
			continue
		}
		if err != nil {
			t.Fatalf("%s:%d: %s: %v", b.file, b.line, v, err)
		}
		if d := differ(b.want, got, b.keys(), b.moments); d != "" {
			t.Fatalf("%s:%d: %s (was %s, %s): %s", b.file, b.line, v, stats.Strategy, stats.KeyForm, d)
		}
	}
}

// keys returns the number of key columns in the answer.
func (b *block) keys() int { return len(b.want.names) - max(1, b.calls()) }

// calls counts the aggregates: one for each closing parenthesis that is not in
// quotes.
func (b *block) calls() int {
	n := 0
	for _, agg := range b.aggs {
		for i, part := range strings.Split(agg, `"`) {
			if i%2 == 0 {
				n += strings.Count(part, ")")
			}
		}
	}
	return n
}

func (b *block) checkError(t *testing.T, err error) {
	t.Helper()
	var e *colagg.Error
	if !errors.As(err, &e) {
		t.Errorf("%s:%d: the error is %v, want one with the words %q", b.file, b.line, err, b.words)
		return
	}
	text := e.Kind.String() + ": " + err.Error()
	if slices.ContainsFunc(b.words, func(w string) bool { return !strings.Contains(text, w) }) {
		t.Errorf("%s:%d: the error is %q, want one with the words %q", b.file, b.line, text, b.words)
	}
}
