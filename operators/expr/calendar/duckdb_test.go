package calendar

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestDuckDB holds the answers of testdata/duckdb.txt.
func TestDuckDB(t *testing.T) {
	file, err := os.Open("testdata/duckdb.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	checks := map[string]func(*testing.T, []string){"diff": checkDiff, "bucket": checkBucket, "last": checkLast, "strftime": checkFormat, "strptime": checkParse}
	counts := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Split(lines.Text(), "|")
		counts[f[0]]++
		checks[f[0]](t, f[1:])
	}
	for name := range checks {
		if counts[name] < 20 {
			t.Errorf("%d lines of %s", counts[name], name)
		}
	}
}

func checkDiff(t *testing.T, f []string) {
	field, _ := ParseField(f[0])
	want, _ := strconv.ParseInt(f[3], 10, 64)
	dst := []int64{0}
	err := Diff(field, Microseconds)(dst, []int64{micros(t, f[1])}, []int64{micros(t, f[2])}, []uint32{0})
	if err != nil || dst[0] != want {
		t.Errorf("%ss from %s to %s: %d, %v; want %d", f[0], f[1], f[2], dst[0], err, want)
	}
}

func checkBucket(t *testing.T, f []string) {
	got, err := one(BinMonths(int64(duration(t, f[0]).Months), micros(t, f[2]), Microseconds), micros(t, f[1]))
	if err != nil || got != micros(t, f[3]) {
		t.Errorf("%s in buckets of %s from %s: %d, %v; want %s", f[1], f[0], f[2], got, err, f[3])
	}
}

func checkLast(t *testing.T, f []string) {
	got, err := one(LastDay(Microseconds), micros(t, f[0]))
	if err != nil || string(AppendDate(nil, got)) != f[1] {
		t.Errorf("last day of %s: %d, %v; want %s", f[0], got, err, f[1])
	}
}

func checkFormat(t *testing.T, f []string) {
	format, err := ParseFormat(f[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := string(format.Append(nil, micros(t, f[1]), Microseconds, "")); got != f[2] {
		t.Errorf("%s as %s is %q; want %q", f[1], f[0], got, f[2])
	}
}

func checkParse(t *testing.T, f []string) {
	format, err := ParseFormat(f[0])
	if err != nil || format.CheckParse() != nil {
		t.Fatal(err, format.CheckParse())
	}
	got := "error"
	if i, ok := format.Parse(f[1]); ok {
		x, _ := i.Ticks(Microseconds)
		full, _ := ParseFormat("%Y-%m-%d %H:%M:%S.%f")
		got = string(full.Append(nil, x, Microseconds, ""))
	}
	if got != f[2] {
		t.Errorf("%q as %s is %s; want %s", f[1], f[0], got, f[2])
	}
}
