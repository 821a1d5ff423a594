package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

const totals = "count(*), sum(fare) as total, avg(distance), min(pickup), max(day), sum(tip)"

func TestQueryFormats(t *testing.T) {
	for format, want := range map[string]string{
		"csv": "count(*),total,avg(distance),min(pickup),max(day),sum(tip)\n" +
			"5000,69737.34,4.160265360277608,2024-04-01 00:04:28Z,2024-05-01,23772.50\n",
		"TSV": "count(*)\ttotal\tavg(distance)\tmin(pickup)\tmax(day)\tsum(tip)\n" +
			"5000\t69737.34\t4.160265360277608\t2024-04-01 00:04:28Z\t2024-05-01\t23772.50\n",
		"jsonl": `{"count(*)":5000,"total":69737.34,"avg(distance)":4.160265360277608,"min(pickup)":"2024-04-01 00:04:28Z","max(day)":"2024-05-01","sum(tip)":23772.50}` + "\n",
		"json": `[` + "\n" +
			`{"count(*)":5000,"total":69737.34,"avg(distance)":4.160265360277608,"min(pickup)":"2024-04-01 00:04:28Z","max(day)":"2024-05-01","sum(tip)":23772.50}` + "\n]\n",
		"md": "| count(*) | total | avg(distance) | min(pickup) | max(day) | sum(tip) |\n" +
			"| ---: | ---: | ---: | --- | --- | ---: |\n" +
			"| 5000 | 69737.34 | 4.160265360277608 | 2024-04-01 00:04:28Z | 2024-05-01 | 23772.50 |\n",
	} {
		if got := must(t, "query", data("trips.parquet"), "--agg", totals, "-f", format); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", format, got, want)
		}
	}
}

func TestQueryGroups(t *testing.T) {
	got := must(t, "query", data("trips.parquet"), "--group-by", "city", "--agg", "count(*), sum(fare) as total", "--agg", "avg(distance)")
	lines := strings.Split(strings.TrimSpace(got), "\n")
	slices.Sort(lines[1:])
	want := `city,count(*),total,avg(distance)
,36,470.12,3.761142857142857
Bern,1081,15075.82,4.1607068803016025
Kyoto,977,13714.63,4.209979144942649
Lagos,808,11337.57,4.2091782553729455
Lima,690,9555.79,4.069674074074074
Oslo,568,7942.01,4.194141048824593
Porto,432,5933.11,4.060896226415094
Quito,260,3575.02,4.0896875
Turin,148,2133.27,4.365448275862069`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	if got := must(t, "query", data("trips.parquet")); got != "count(*)\n5000\n" {
		t.Errorf("without flags: %s", got)
	}
	for _, strategy := range colagg.Strategies() {
		again := must(t, "query", data("trips.parquet"), "-g", "city", "-a", "count(*), sum(fare) as total", "-a", "avg(distance)",
			"--strategy", strategy, "--threads", "2")
		lines := strings.Split(strings.TrimSpace(again), "\n")
		slices.Sort(lines[1:])
		if strings.Join(lines, "\n") != want {
			t.Errorf("%s:\n%s", strategy, again)
		}
	}
}

func TestQueryLimit(t *testing.T) {
	for limit, rows := range map[string]int{"0": 0, "1": 1, "4": 4, "1000": 9} {
		got := must(t, "query", data("trips.parquet"), "-g", "city", "--limit", limit)
		if n := strings.Count(got, "\n") - 1; n != rows {
			t.Errorf("--limit %s: %d rows", limit, n)
		}
	}
}

// A row, NULL included, can be told from no row and from the empty string.
func TestQueryOneColumnOfNulls(t *testing.T) {
	if got := must(t, "query", data("trips.parquet"), "-a", "max(city)", "-f", "csv", "--limit", "1"); got != "max(city)\nTurin\n" {
		t.Errorf("%q", got)
	}
	got := must(t, "query", data("no_rows.parquet"), "-a", "count(*)")
	if got != "count(*)\n0\n" {
		t.Errorf("%q", got)
	}
}

// wrongLine is a wrong command line, its exit status, and parts of its message.
type wrongLine struct {
	args   []string
	status int
	want   []string
}

func wrongFlags(trips string) []wrongLine {
	return []wrongLine{
		{[]string{"query"}, 2, []string{"no file given", "colagg query --help"}},
		{[]string{"schema"}, 2, []string{"no file given", "colagg schema --help"}},
		{[]string{"version", "x"}, 2, []string{"takes no arguments"}},
		{[]string{"qury", trips}, 2, []string{"no command", "did you mean 'query'?"}},
		{[]string{"xyzzy"}, 2, []string{"no command", "colagg --help"}},
		{[]string{trips}, 2, []string{"did you mean 'colagg query " + trips}},
		{[]string{"query", trips, "--grup-by", "city"}, 2, []string{"unknown flag: --grup-by", "--help"}},
		{[]string{"query", trips, "--where", "fair > 1"}, 2, []string{"there is no column fair (at position 1 of 'fair > 1'); nearest of the 13 columns: fare"}},
		{[]string{"query", trips, "--where", "fare >"}, 2, []string{"expected a column or a value, found the end (at position 7 of 'fare >')"}},
		{[]string{"query", trips, "--where", "id / (passengers - 1) > 3"}, 2, []string{"id / (passengers - 1): division by zero (at position 1 of", "a condition before it with AND"}},
		{[]string{"query", trips, "--where", "id * 9223372036854775807 > 3"}, 1, []string{"id * 9223372036854775807: a value does not fit int64"}},
		{[]string{"query", trips, "--where", ""}, 2, []string{"--where"}},
		{[]string{"query", trips, "--filter", "x"}, 2, []string{"--filter: --where filters rows"}},
		{[]string{"query", trips, "--having=x"}, 2, []string{"there is no column x (at position 1 of 'x')"}},
		{[]string{"query", trips, "--sort", "city"}, 2, []string{"--sort: --order-by orders the result"}},
		{[]string{"query", trips, "--order-by", "city"}, 2, []string{"column city is neither a key nor in an aggregate (at position 1 of 'city'); group by it, or take any_value(city)"}},
		{[]string{"query", trips, "-g", "city", "--order-by", "3"}, 2, []string{"the result has no column 3 (at position 1 of '3'); the columns are city, count(*)"}},
		{[]string{"query", trips, "-g", "city", "--order-by", "citty desc"}, 2, []string{"the result has no column citty (at position 1 of 'citty desc'); nearest of the 2 columns: city"}},
		{[]string{"query", trips, "--select", "city", "-a", "count(*)"}, 2, []string{"a list to select and aggregates beside it do not go together; --select may have aggregates"}},
		{[]string{"query", trips, "--select", "distinct city"}, 2, []string{"DISTINCT is not part of the list", "--distinct"}},
		{[]string{"query", trips, "--distinct"}, 2, []string{"distinct rows of what?; name columns in --select, where * is all"}},
		{[]string{"query", trips, "--offset", "-1"}, 2, []string{"--offset is negative: -1"}},
		{[]string{"query", trips, "--memory", "much"}, 2, []string{"--memory", `"much"`, "2GiB"}},
		{[]string{"query", trips, "--memory", "0"}, 2, []string{"--memory"}},
		{[]string{"query", trips, "--memory", "0%"}, 2, []string{"--memory", "100%"}},
		{[]string{"query", trips, "--memory", "101%"}, 2, []string{"--memory", "100%"}},
		{[]string{"query", trips, "--memory", "1kB", "-g", "id"}, 1, []string{"colagg: memory limit of 1000 B exceeded: ", " more needed for ", "; give more with --memory"}},
		{[]string{"query", trips, "--limit", "ten"}, 2, []string{"ten", "--limit"}},
		{[]string{"query", trips, "--limit", "-1"}, 2, []string{"--limit", "-1"}},
		{[]string{"query", trips, "--threads", "-2"}, 2, []string{"--threads must be between 1 and 4096", "-2"}},
		{[]string{"query", trips, "--threads", "0"}, 2, []string{"--threads must be between 1 and 4096, not 0"}},
		{[]string{"query", trips, "--threads", "100000"}, 2, []string{"--threads must be between 1 and 4096, not 100000"}},
		{[]string{"query", trips, "--memory", ""}, 2, []string{"--memory has an empty value"}},
		{[]string{"query", trips, "--max-temp", ""}, 2, []string{"--max-temp has an empty value"}},
		{[]string{"query", trips, "--max-temp", "50%"}, 2, []string{"--max-temp", `"50%"`, "20GiB"}},
		{[]string{"query", trips, "--temp-dir", ""}, 2, []string{"--temp-dir has an empty value"}},
		{[]string{"query", trips, "--temp-dir", ".", "--temp-dir", "nowhere"}, 1, []string{"making a temporary file in nowhere: ", "; name another directory with --temp-dir"}},
		{[]string{"query", trips, "-o", ""}, 2, []string{"--output has an empty value"}},
		{[]string{"query", trips, "-f", ""}, 2, []string{"--format has an empty value"}},
		{[]string{"query", trips, "--strategy", ""}, 2, []string{"--strategy has an empty value"}},
		{[]string{"query", trips, "--progress="}, 2, []string{"--progress has an empty value"}},
		{[]string{"schema", trips, "-f", ""}, 2, []string{"--format has an empty value"}},
		{[]string{"help", "nope"}, 2, []string{`"nope" is no command`}},
		{[]string{"help", "query", "nope"}, 2, []string{`colagg query has no command "nope"`}},
		{[]string{"completion", "foo"}, 2, []string{`"foo" is no shell`, "bash"}},
	}
}

func wrongQueries(trips string) []wrongLine {
	return []wrongLine{
		{[]string{"query", trips, "--format", "xml"}, 2, []string{`"xml"`, "ndjson"}},
		{[]string{"query", trips, "--progress", "maybe"}, 2, []string{`"maybe"`, "always"}},
		{[]string{"query", trips, "--strategy", "magic"}, 2, []string{`"magic"`, "shared"}},
		{[]string{"schema", trips, "-f", "csv"}, 2, []string{`"csv"`, "json"}},
		{[]string{"query", trips, "-g", "citty"}, 2, []string{"citty", "city", "position 1"}},
		{[]string{"query", trips, "-a", "count(*), summ(fare)"}, 2, []string{"summ", "position 11"}},
		{[]string{"query", trips, "-a", "sum(fare"}, 2, []string{"sum(fare"}},
		{[]string{"query", trips, "-a", "sum(city)"}, 2, []string{"sum"}},
		{[]string{"query", trips, "-a", "histogram(fare)"}, 2, []string{"histogram is not supported yet", "colagg has count, sum"}},
		{[]string{"query", trips, "-g", "tags.list.element"}, 2, []string{"tags.list.element", "list"}},
		{[]string{"query", trips, "-g", "xyzzy"}, 2, []string{"the 13 columns are id, ", " and 5 more; 'colagg schema FILE' lists them"}},
		{[]string{"query", "nothing.parquet"}, 1, []string{"nothing.parquet"}},
		{[]string{"query", "nothing/*.parquet"}, 1, []string{"nothing/*.parquet"}},
		{[]string{"query", "query_test.go"}, 1, []string{"query_test.go"}},
		{[]string{"schema", "query_test.go"}, 1, []string{"query_test.go"}},
		{[]string{"query", trips, "-o", "nowhere/result.csv"}, 1, []string{"nowhere/result.csv", "no such file"}},
		{[]string{"query", trips, "-f", "csv", "-o", "internal"}, 2, []string{"output internal is a directory"}},
		{[]string{"query", trips, "-o", "internal"}, 2, []string{"output internal is a directory"}},
		{[]string{"query", trips, "-o", "nowhere/"}, 2, []string{"output nowhere/ is a directory"}},
		{[]string{"query", data("overflow.parquet"), "-a", "sum(v)"}, 1, []string{"sum(v)"}},
	}
}

// Every wrong command line gives its status and one line that says what is
// wrong, with the place below if it is in a condition or a list, and no output.
func TestErrors(t *testing.T) {
	trips := data("trips.parquet")
	for _, c := range append(wrongFlags(trips), wrongQueries(trips)...) {
		status, stdout, stderr := newSandbox().run(c.args...)
		line := strings.Join(c.args, " ")
		if status != c.status || stdout != "" {
			t.Errorf("%s: status %d, want %d; output %q; %s", line, status, c.status, stdout, stderr)
		}
		if !strings.HasPrefix(stderr, "colagg: ") || strings.Count(stderr, "\n") != 1 && !pointed.MatchString(stderr) || strings.Contains(stderr, "colagg: colagg:") {
			t.Errorf("%s: not one line of message: %q", line, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: no %q in %s", line, want, stderr)
			}
		}
	}
}

// pointed matches a message with the place below.
var pointed = regexp.MustCompile(`^colagg: .*\n  (--[a-z-]+|line [0-9]+:) .*\n +\^\n$`)

// A file's name cannot write on the terminal.
func TestErrorsAreVisible(t *testing.T) {
	status, _, stderr := newSandbox().run("query", "a\x1b]0;b.parquet")
	if status != 1 || strings.Contains(stderr, "\x1b") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, `a\x1b]0;b.parquet`) {
		t.Errorf("status %d: %q", status, stderr)
	}
}
