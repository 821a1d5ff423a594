package calendar

import (
	"bufio"
	"cmp"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// one computes a single row.
func one(loop Loop, x int64) (int64, error) {
	dst := []int64{0}
	err := loop(dst, []int64{x}, []uint32{0})
	return dst[0], err
}

func micros(t *testing.T, s string) int64 {
	t.Helper()
	i, ok := ParseTimestamp(s)
	x, fits := i.Ticks(Microseconds)
	if !ok || !fits {
		t.Fatalf("%q is no timestamp", s)
	}
	return x
}

func duration(t *testing.T, s string) Interval {
	t.Helper()
	i, ok := ParseInterval(s)
	if !ok {
		t.Fatalf("%q is no interval", s)
	}
	return i
}

func text(i Interval) string { return string(AppendInterval(nil, i)) }

// decimal is v / 10^scale, to compare with a number in any form.
func decimal(v int64, scale int) *big.Rat {
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(big.NewInt(v), den)
}

// TestPostgres holds the answers of testdata/postgres.txt, each line of which
// begins with what is computed.
func TestPostgres(t *testing.T) {
	file, err := os.Open("testdata/postgres.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	checks := map[string]func(*testing.T, []string){"extract": checkExtract, "trunc": checkTrunc, "add": checkAdd, "age": checkAge,
		"interval": checkInterval, "compare": checkCompare, "bin": checkBin, "zone": checkZone}
	counts := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Split(lines.Text(), "|")
		counts[f[0]]++
		checks[f[0]](t, f[1:])
	}
	for name := range checks {
		if counts[name] < 40 {
			t.Errorf("%d lines of %s", counts[name], name)
		}
	}
}

func checkExtract(t *testing.T, f []string) {
	x := micros(t, f[0])
	for i, field := range []Field{Microsecond, Millisecond, Second, Minute, Hour, Day, Week, Month, Quarter, Year, Decade, Century, Millennium, ISOYear, DayOfWeek, ISODayOfWeek, DayOfYear, Epoch} {
		want, _ := new(big.Rat).SetString(f[i+1])
		loop, scale := Extract(field, Microseconds)
		got, err := one(loop, x)
		if err != nil || decimal(got, scale).Cmp(want) != 0 {
			t.Errorf("%s of %s: %d / 10^%d, %v; want %s", field, f[0], got, scale, err, f[i+1])
		}
		if day, _ := floorDiv(x, int64(Microseconds)); field.OfDay() {
			loop, _ = Extract(field, Days)
			if got, err := one(loop, day); err != nil || decimal(got, 0).Cmp(want) != 0 {
				t.Errorf("%s of the date of %s: %d, %v; want %s", field, f[0], got, err, f[i+1])
			}
		}
	}
}

func checkTrunc(t *testing.T, f []string) {
	for i, field := range []Field{Microsecond, Millisecond, Second, Minute, Hour, Day, Week, Month, Quarter, Year, Decade, Century, Millennium} {
		for _, r := range []Resolution{Seconds, Milliseconds, Microseconds} {
			x, _ := floorDiv(micros(t, f[0]), int64(Microseconds/r))
			want, _ := floorDiv(micros(t, f[i+1]), int64(Microseconds/r))
			if got, err := one(Trunc(field, r), x); err != nil || got != want {
				t.Errorf("%s to the %s, %d ticks a day: %d, %v; want %s", f[0], field, r, got, err, f[i+1])
			}
		}
	}
}

func checkAdd(t *testing.T, f []string) {
	x, by := micros(t, f[0]), duration(t, f[1])
	if got, ok := by.after(x, Microseconds); !ok || got != micros(t, f[2]) {
		t.Errorf("%s + %s: %d, %v; want %s", f[0], f[1], got, ok, f[2])
	}
	minus, _ := by.Times(-1)
	if got, ok := minus.after(x, Microseconds); !ok || got != micros(t, f[3]) {
		t.Errorf("%s - %s: %d, %v; want %s", f[0], f[1], got, ok, f[3])
	}
}

func checkAge(t *testing.T, f []string) {
	a, b := micros(t, f[0]), micros(t, f[1])
	if got, ok := Age(a, Microseconds, b, Microseconds); !ok || text(got) != f[2] {
		t.Errorf("age of %s and %s: %s, %v; want %s", f[0], f[1], text(got), ok, f[2])
	}
	dst := []Interval{{}}
	if err := Elapsed(dst, []int64{a - b}, []uint32{0}, Microseconds); err != nil || text(dst[0]) != f[3] {
		t.Errorf("%s - %s: %s, %v; want %s", f[0], f[1], text(dst[0]), err, f[3])
	}
}

func checkInterval(t *testing.T, f []string) {
	got := duration(t, f[0])
	if text(got) != f[1] {
		t.Errorf("%q is %s; want %s", f[0], text(got), f[1])
	}
	if thrice, ok := got.Times(3); !ok || text(thrice) != f[2] {
		t.Errorf("%q * 3 is %s, %v; want %s", f[0], text(thrice), ok, f[2])
	}
	want, _ := new(big.Rat).SetString(f[3])
	seconds, nanos := got.EpochOf()
	if epoch := decimal(nanos, 9); epoch.Add(epoch, decimal(seconds, 0)).Cmp(want) != 0 {
		t.Errorf("epoch of %q: %s; want %s", f[0], epoch, f[3])
	}
	for i, field := range []Field{Year, Month, Day, Hour, Minute, Second} {
		want, _ := new(big.Rat).SetString(f[i+4])
		if got, ok := got.Field(field); !ok || decimal(got, FieldDigits(field)).Cmp(want) != 0 {
			t.Errorf("%s of %q: %d; want %s", field, f[0], got, f[i+4])
		}
	}
}

// compare compares intervals by their spans.
func compare(a, b Interval) int {
	days1, nanos1 := a.Span()
	days2, nanos2 := b.Span()
	return cmp.Or(cmp.Compare(days1, days2), cmp.Compare(nanos1, nanos2))
}

func checkCompare(t *testing.T, f []string) {
	want, _ := strconv.Atoi(f[2])
	if got := compare(duration(t, f[0]), duration(t, f[1])); got != want {
		t.Errorf("%s compared with %s: %d; want %d", f[0], f[1], got, want)
	}
}

func checkBin(t *testing.T, f []string) {
	w := duration(t, f[0])
	width := int64(w.Days)*int64(Microseconds) + w.Nanos/1000
	if got, err := one(Bin(width, micros(t, f[2])), micros(t, f[1])); err != nil || got != micros(t, f[3]) {
		t.Errorf("%s in bins of %s from %s: %d, %v; want %s", f[1], f[0], f[2], got, err, f[3])
	}
}

func checkZone(t *testing.T, f []string) {
	z, err := LoadZone(f[0])
	if err != nil {
		t.Fatal(err)
	}
	x := micros(t, f[1])
	if got, err := one(z.ToLocal(Microseconds), x); err != nil || got != micros(t, f[2]) {
		t.Errorf("%s in %s: %d, %v; want %s", f[1], f[0], got, err, f[2])
	}
	if got, err := one(z.FromLocal(Microseconds), x); err != nil || got != micros(t, f[3]) {
		t.Errorf("%s of %s: %d, %v; want %s", f[1], f[0], got, err, f[3])
	}
}
