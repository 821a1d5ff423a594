package colagg_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

// planOf runs q to its end.
func planOf(t *testing.T, e *colagg.Engine, q colagg.Query) (*colagg.Plan, colagg.Stats) {
	t.Helper()
	res, err := e.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rowsOf(res); err != nil {
		t.Fatal(err)
	}
	return res.Plan(), res.Stats()
}

// many is an input that several workers share.
func many() colagg.Source { return colagg.Files(slices.Repeat([]string{trips}, 60)...) }

// TestPlanAddsUp holds the figures of a plan to each other and to what is known
// of the files.
func TestPlanAddsUp(t *testing.T) {
	const files, rows = 60, 60 * 5000
	infos, err := newEngine(t, colagg.Options{}).Describe(t.Context(), colagg.Files(trips))
	if err != nil {
		t.Fatal(err)
	}
	chunks := map[string]int64{}
	for _, c := range infos[0].Columns {
		chunks[c.Name] = files * c.Compressed
	}
	for _, strategy := range colagg.Strategies() {
		for _, keys := range []string{"", "city", "id", "vendor, day, payment.method"} {
			q := colagg.Query{From: many(), Aggs: []string{"count(*)", "sum(fare)", "max(tip)"}, Strategy: strategy}
			if keys != "" {
				q.GroupBy = []string{keys}
			}
			start := time.Now()
			p, s := planOf(t, newEngine(t, colagg.Options{Workers: 3, BatchRows: 500}), q)
			if all := time.Since(start); p.Elapsed > all || p.Elapsed < s.Elapsed {
				t.Errorf("the plan took %v, the query %v, the test %v", p.Elapsed, s.Elapsed, all)
			}
			in, agg, out := p.Pipelines[0].Operators[0], p.Pipelines[0].Operators[1], p.Pipelines[1].Operators[0]
			for _, f := range []colagg.Figure{in.RowsIn, in.RowsOut, agg.RowsIn} {
				if f != (colagg.Figure{Estimate: rows, Actual: rows}) {
					t.Errorf("%s %q: rows %+v", strategy, keys, f)
				}
			}
			if agg.RowsOut.Actual != s.Groups || agg.Aggregate.Groups.Actual != s.Groups || out.RowsIn.Actual != s.Groups || out.RowsOut.Actual != s.Groups || in.Batches != agg.Batches || in.Batches < rows/500 {
				t.Errorf("%s %q: %+v %+v %+v", strategy, keys, in, agg, out)
			}
			checkColumns(t, in.Scan, s, chunks, rows)
			checkTimes(t, p, rows)
			checkMemory(t, p, s)
		}
	}
}

func checkColumns(t *testing.T, scan *colagg.ScanUse, s colagg.Stats, chunks map[string]int64, rows int64) {
	t.Helper()
	var bytes, estimate, pages int64
	for _, c := range scan.Columns {
		if c.Rows != rows || c.Bytes.Estimate != chunks[c.Name] || c.Pages == 0 || c.PagesSkipped != 0 {
			t.Errorf("%+v, chunks of %d bytes", c, chunks[c.Name])
		}
		bytes += c.Bytes.Actual
		estimate += c.Bytes.Estimate
		pages += c.Pages
	}
	if bytes != s.BytesRead || bytes != scan.Bytes.Actual || estimate != scan.Bytes.Estimate || pages != scan.Pages {
		t.Errorf("columns have %d bytes and %d pages: %+v, %+v", bytes, pages, scan, s)
	}
	if scan.RowGroups.Actual != scan.RowGroups.Estimate || scan.RowGroupsSkipped != 0 || scan.Morsels.Actual != scan.Morsels.Estimate || scan.Files != 60 {
		t.Errorf("%+v", scan)
	}
}

func checkTimes(t *testing.T, p *colagg.Plan, rows int64) {
	t.Helper()
	pipe := p.Pipelines[0]
	var sum, source, sink time.Duration
	var got int64
	for _, w := range pipe.WorkerTimes {
		if w.Source+w.Sink > w.Total || w.Total > pipe.Elapsed {
			t.Errorf("%+v of %v", w, pipe.Elapsed)
		}
		got, sum, source, sink = got+w.Rows, sum+w.Total, source+w.Source, sink+w.Sink
	}
	in, agg := pipe.Operators[0], pipe.Operators[1]
	if got != rows || int64(len(pipe.WorkerTimes)) != pipe.Workers.Estimate || pipe.Workers.Actual > pipe.Workers.Estimate {
		t.Errorf("%d rows: %+v", got, pipe)
	}
	if in.Time != source || agg.Time != sink+pipe.Finish || source+sink < sum*9/10 {
		t.Errorf("of the workers' %v, %v and %v; operators %v and %v", sum, source, sink, in.Time, agg.Time)
	}
	var columns time.Duration
	for _, c := range in.Scan.Columns {
		columns += c.Read + c.Decompress + c.Decode
	}
	if a := agg.Aggregate; columns > source || a.Group+a.Update > sink || a.Finish > pipe.Finish || a.Merge > a.Finish {
		t.Errorf("columns took %v of %v; %+v of %v", columns, source, a, sink)
	}
	if parts := p.Planning + pipe.Elapsed + pipe.Finish + p.Pipelines[1].Elapsed; parts > p.Elapsed {
		t.Errorf("the parts took %v of %v", parts, p.Elapsed)
	}
}

func checkMemory(t *testing.T, p *colagg.Plan, s colagg.Stats) {
	t.Helper()
	var sum int64
	for _, a := range p.Memory.Accounts {
		if a.Peak <= 0 || a.Peak > p.Memory.Peak+64<<20 {
			t.Errorf("%+v of %d", a, p.Memory.Peak)
		}
		sum += a.Peak
	}
	if sum < p.Memory.Peak || p.Memory.Peak != s.PeakMemory || p.Memory.Peak <= 0 || p.Memory.Limit < p.Memory.Peak {
		t.Errorf("accounts have %d: %+v, %+v", sum, p.Memory, s)
	}
}

// TestExplain runs nothing.
func TestExplain(t *testing.T) {
	e := newEngine(t, colagg.Options{Workers: 3})
	in := &countingInput{data: readFile(t, trips)}
	p, err := e.Explain(t.Context(), colagg.Query{From: colagg.Inputs(in), GroupBy: []string{"passengers"}, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if n := in.opened.Load(); n != 1 {
		t.Errorf("opened %d times, want once for the footer", n)
	}
	agg, out := p.Pipelines[0].Operators[1], p.Pipelines[1].Operators[0]
	if p.Executed || agg.Aggregate.Groups.Actual != -1 || agg.Aggregate.Reason == "" || out.RowsOut.Estimate > 3 || p.Pipelines[0].Workers.Actual != -1 {
		t.Errorf("%+v", p)
	}
	wantError(t, second(e.Explain(t.Context(), colagg.Query{From: colagg.Files(trips), GroupBy: []string{"citty"}})), colagg.BadQuery, "citty")
	wantError(t, second(e.Explain(t.Context(), colagg.Query{})), colagg.BadQuery, "source")
	if _, s := planOf(t, e, colagg.Query{From: colagg.Files(trips)}); s.BytesRead != 0 {
		t.Errorf("%+v", s)
	}
}

func second[T any](_ T, err error) error { return err }

// hostile is a record with a column whose name is code in HTML and in terminals.
func hostile(t *testing.T) array.RecordReader {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "<script>x</script>&\x1b[31m\"", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 1}, nil)
	rr, err := array.NewRecordReader(schema, []arrow.Record{b.NewRecord()})
	if err != nil {
		t.Fatal(err)
	}
	return rr
}

func TestPlanOfRecords(t *testing.T) {
	e := newEngine(t, colagg.Options{})
	q := colagg.Query{From: colagg.Records(hostile(t)), GroupBy: []string{"\"<script>x</script>&\x1b[31m\"\"\""}}
	before, err := e.Explain(t.Context(), q) // the reader is as it was
	if err != nil {
		t.Fatal(err)
	}
	after, _ := planOf(t, e, q)
	for _, p := range []*colagg.Plan{before, after} {
		in := p.Pipelines[0].Operators[0]
		if in.RowsOut.Estimate != -1 || p.Executed && in.RowsOut.Actual != 3 || in.Scan.Files != 0 || len(in.Scan.Columns) != 1 {
			t.Errorf("%+v", in)
		}
		if s := p.String(); strings.ContainsRune(s, '\x1b') {
			t.Errorf("%q", s)
		}
		page := htmlOf(t, p)
		if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;x&lt;/script&gt;&amp;?[31m&#34;") {
			t.Error(page)
		}
	}
}

// htmlOf returns the page, which must be well-formed and refer to nothing.
func htmlOf(t *testing.T, p *colagg.Plan) string {
	t.Helper()
	var page bytes.Buffer
	if err := p.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?i)https?:|src=|href|url\(|@import|<script|<link|<iframe`).FindString(page.String()); m != "" {
		t.Errorf("%s in %s", m, page.String())
	}
	d := xml.NewDecoder(bytes.NewReader(page.Bytes()))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != token.Name.Local {
				t.Fatalf("</%s> ends %v in %s", token.Name.Local, open, page.String())
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) != 0 {
		t.Errorf("%v stay open", open)
	}
	return page.String()
}

func TestPlanHTML(t *testing.T) {
	e := newEngine(t, colagg.Options{Workers: 2})
	p, _ := planOf(t, e, colagg.Query{From: many(), GroupBy: []string{"city"}, Aggs: []string{"sum(fare) as total"}})
	page := htmlOf(t, p)
	for _, want := range []string{"<!DOCTYPE html>", "prefers-color-scheme: dark", "<details open>", `<i style="width: `,
		"<td>city</td><td>utf8</td>", "sum(fare) as total by city", "<th>worker</th><th class=\"n\">rows</th>", "the table of groups", "300,000"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	if err := p.WriteHTML(closedWriter{}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestPlanJSON reads the JSON back, and wants every field of it in docs/plans.md
// and no other there.
func TestPlanJSON(t *testing.T) {
	e := newEngine(t, colagg.Options{Workers: 1})
	p, _ := planOf(t, e, colagg.Query{From: colagg.Files(trips), GroupBy: []string{"city"}, OrderBy: []string{"2 desc"}, Limit: 5})
	p.Select, p.Distinct = []string{"a"}, true
	p.Pipelines[0].Operators[1].Aggregate.Switches = []colagg.StrategySwitch{{AtRows: 1, From: "a", To: "b", Reason: "c"}}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back colagg.Plan
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, p) {
		t.Errorf("%v: %+v from %s", err, back, text)
	}
	_, table, _ := strings.Cut(string(readFile(t, "docs/plans.md")), "\n## JSON\n")
	ordered, _ := planOf(t, e, colagg.Query{From: colagg.Files(trips), Select: []string{"city"}, Distinct: true, OrderBy: []string{"city"}, Limit: 5})
	more, err := json.Marshal(ordered)
	if err != nil {
		t.Fatal(err)
	}
	fields := regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(string(text)+string(more), -1)
	described := regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(table, -1)
	if got, want := distinct(fields), distinct(described); !slices.Equal(got, want) {
		t.Errorf("a plan has the fields\n%v\nand docs/plans.md\n%v", got, want)
	}
}

func distinct(matches [][]string) []string {
	var out []string
	for _, m := range matches {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stopped returns p as if every step had taken the same time.
func stopped(t *testing.T, p *colagg.Plan) *colagg.Plan {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(_ns"): ?\d+`).ReplaceAll(text, []byte("$1:1500000"))
	out := &colagg.Plan{}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPlanText(t *testing.T) {
	e := newEngine(t, colagg.Options{Workers: 1, MemoryLimit: 1 << 30})
	q := colagg.Query{From: colagg.Files(trips), GroupBy: []string{"passengers"}, Aggs: []string{"sum(fare) as total"}, Limit: 4}
	before, err := e.Explain(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	after, _ := planOf(t, e, q)
	for want, p := range map[string]*colagg.Plan{textBefore: before, textAfter: after} {
		if got := "\n" + stopped(t, p).String(); got != want {
			t.Errorf("%s\nwant%s", got, want)
		}
	}
}

// TestPlanCosts holds what is shown of the estimates to what was done.
func TestPlanCosts(t *testing.T) {
	for _, strategy := range colagg.Strategies() {
		e := newEngine(t, colagg.Options{Workers: 2})
		p, s := planOf(t, e, colagg.Query{From: many(), GroupBy: []string{"city"}, Strategy: strategy})
		a := p.Pipelines[0].Operators[1].Aggregate
		if a.Taken <= 0 || a.Taken > p.Elapsed || a.TakenMemory <= 0 || a.TakenMemory > 2*s.PeakMemory || a.GroupsAssumed <= 0 {
			t.Errorf("%s: %+v", strategy, a)
		}
		var names []string
		for _, c := range a.Costs {
			names = append(names, c.Strategy)
			if c.Time <= 0 || c.Memory <= 0 || !c.Fits {
				t.Errorf("%s: %+v", strategy, c)
			}
		}
		slices.Sort(names)
		if want := slices.Sorted(slices.Values(colagg.Strategies()[1:])); !slices.Equal(names, want) {
			t.Errorf("%s: costs of %v, not of %v", strategy, names, want)
		}
		if asked := strategy == "auto" || strategy == "shared"; (len(a.CostsForetold) > 0) != asked {
			t.Errorf("%s: %d costs foretold", strategy, len(a.CostsForetold))
		}
		if text := p.String(); !strings.Contains(text, "seen: "+a.Strategy) || !strings.Contains(text, "partition-groups") {
			t.Error(text)
		}
	}
	e := newEngine(t, colagg.Options{Workers: 2, MemoryLimit: 4 << 20})
	p, err := e.Explain(t.Context(), colagg.Query{From: many(), GroupBy: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.String(); !strings.Contains(text, ", over the limit") {
		t.Error(text)
	}
}

// TestPlanOfGroupsOnDisk counts the groups that have been read back too.
func TestPlanOfGroupsOnDisk(t *testing.T) {
	files := colagg.Files(slices.Repeat([]string{trips}, 20)...)
	for _, order := range [][]string{nil, {"id"}} {
		p, s := planOf(t, newEngine(t, colagg.Options{Workers: 2, BatchRows: 500, MemoryLimit: 2 << 20}),
			colagg.Query{From: files, GroupBy: []string{"id", "distance"}, Aggs: []string{"array_agg(fare)"}, OrderBy: order})
		if s.SpilledBytes == 0 || s.Groups != 5000 {
			t.Fatalf("%+v", s)
		}
		agg, out := p.Pipelines[0].Operators[1], p.Pipelines[1].Operators[0]
		if agg.RowsOut.Actual != 5000 || agg.Aggregate.Groups.Actual != 5000 || out.RowsIn.Actual != 5000 || out.RowsOut.Actual != 5000 {
			t.Errorf("order %q: %+v, %+v", order, agg.RowsOut, out)
		}
	}
}

// TestPlanTextOfMore has what no small query has.
func TestPlanTextOfMore(t *testing.T) {
	e := newEngine(t, colagg.Options{Workers: 2})
	p, _ := planOf(t, e, colagg.Query{From: many(), GroupBy: []string{"city"}})
	p = stopped(t, p)
	p.Elapsed = 123 * time.Second
	p.Pipelines[0].WorkerTimes = []colagg.WorkerTime{{Rows: 200000, Batches: 25, Source: 1, Sink: 12 * time.Microsecond, Total: time.Second}, {}}
	a := p.Pipelines[0].Operators[1].Aggregate
	a.Switches = []colagg.StrategySwitch{{Worker: 3, AtRows: 1234567, From: "hybrid", To: "shared", Reason: "few hits"}}
	a.LocalHits, a.LocalHitRate, a.StagedRows, a.StagedBytes, a.Drains, a.DrainedBytes = 200000, 2.0/3, 100000, 8<<20, 1, 1023
	a.Partitions, a.LockWaits, a.LockWait, a.KeyForm, a.KeyFormExpected = 16, 2, 2500*time.Nanosecond, "array", "packed"
	a.StagedRepeats, a.Imbalance = 75000, 1.25
	a.Growths, a.GrowthWaits, a.GrowthWait, a.GrowthMove = 3, 2, 5*time.Microsecond, time.Millisecond
	got := p.String()
	for _, want := range []string{
		"time    123 s: planning", "\n│  │ worker     rows  batches  source     sink   total\n│  │ 0       200,000       25    1 ns  12.0 µs  1.00 s\n│  │ 1             0        0    0 ns     0 ns    0 ns\n",
		"60 files from testdata/trips.parquet to testdata/trips.parquet", "keys      array (expected packed)",
		"switch    from hybrid to shared at row 1,234,567 of worker 3: few hits", "local     200,000 rows answered by workers' own tables (66.7 %)",
		"staged    100,000 rows, 8.00 MiB; 1 drain of 1023 B; about 75 % repeat a group of their partition",
		"locks     16 partitions, the fullest 1.25 times the mean; 2 waits that took 2.50 µs", "growth    3 growths of tables that took 1.00 ms, with 2 waits of 5.00 µs",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

const textBefore = `
Plan, not executed: sum(fare) as total by passengers
│ memory  limit 1.00 GiB
├─ pipeline aggregation 1 worker planned
│  ├─ scan testdata/trips.parquet
│  │    rows   5,000 (estimate)
│  │    parts  4 row groups in 4 morsels
│  │    bytes  23.1 KiB to read
│  │    column      type       chunks  uncompressed  codec   encodings
│  │    passengers  int32    2.21 KiB      2.19 KiB  SNAPPY  PLAIN RLE RLE_DICTIONARY
│  │    fare        float64  20.9 KiB      39.3 KiB  SNAPPY  PLAIN RLE
│  └─ aggregate sum(fare) as total by passengers
│       rows      5,000 (estimate)
│       groups    6 (estimate)
│       strategy  serial: no more than 32768 rows
│       keys      array
│       predicted           for 6    memory
│       serial            1.50 ms  2.00 MiB
│       shared            1.50 ms  2.00 MiB
│       partial           1.50 ms  2.00 MiB
│       partition-rows    1.50 ms  6.11 MiB
│       partition-groups  1.50 ms  6.00 MiB
│       hybrid            1.50 ms  6.00 MiB
└─ pipeline output 1 worker planned
   └─ output no more than 4 rows
        rows  4 (estimate), of 6 (estimate)
`

const textAfter = `
Plan, executed: sum(fare) as total by passengers
│ time    1.50 ms: planning 1.50 ms, aggregation 1.50 ms, finish 1.50 ms, output 1.50 ms
│ memory  at most 2.00 MiB at once, of 1.00 GiB
├─ pipeline aggregation 1 worker planned, 1 used; 3.00 ms
│  ├─ scan testdata/trips.parquet
│  │    time   1.50 ms, 50 % of the pipeline's 3.00 ms
│  │    rows   5,000 in 4 batches
│  │    parts  4 row groups read, 0 skipped, in 4 morsels
│  │    bytes  24.1 KiB fetched of chunks of 23.1 KiB
│  │    pages  8 decoded, 0 skipped (0 B)
│  │    column      type       chunks   fetched  pages  skipped     read  decompress   decode
│  │    passengers  int32    2.21 KiB  2.71 KiB      4        0  1.50 ms     1.50 ms  1.50 ms
│  │    fare        float64  20.9 KiB  21.4 KiB      4        0  1.50 ms     1.50 ms  1.50 ms
│  └─ aggregate sum(fare) as total by passengers
│       time      1.50 ms, 50 % of the pipeline's 3.00 ms
│       rows      5,000 in 4 batches
│       groups    6
│       strategy  serial: no more than 32768 rows
│       keys      array: 7 possible keys
│       work      keys 1.50 ms, states 1.50 ms, finish 1.50 ms (merge 1.50 ms)
│       predicted           for 6    memory
│       serial            1.50 ms  2.00 MiB
│       shared            1.50 ms  2.00 MiB
│       partial           1.50 ms  2.00 MiB
│       partition-rows    1.50 ms  6.11 MiB
│       partition-groups  1.50 ms  6.00 MiB
│       hybrid            1.50 ms  6.00 MiB
│       seen: serial      1.50 ms  1.00 MiB
├─ pipeline output 1 worker planned, 1 used; 3.00 ms
│  └─ output no more than 4 rows
│       time  1.50 ms, 50 % of the pipeline's 3.00 ms
│       rows  4 in 1 batch, of 6
└─ memory peak of each kind
     reading Parquet       1.00 MiB
     the states of groups  1.00 MiB
`
