package calendar

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var resolutions = []Resolution{Seconds, Milliseconds, Microseconds, Nanoseconds}

// at is the time of ticks.
func at(x int64, r Resolution) time.Time {
	day, rest := floorDiv(x, int64(r))
	return time.Unix(day*86400, 0).UTC().Add(time.Duration(rest * (nanosPerDay / int64(r))))
}

// TestRandomTicks compares with the time package, over all of each type's range
// that the package has.
func TestRandomTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 40000 {
		r := resolutions[n%4]
		x := rng.Int64N(math.MaxInt64) >> rng.IntN(40)
		if r != Nanoseconds {
			x %= 8_000_000 * 366 * int64(r) / 4
		}
		if n&4 != 0 {
			x = -x
		}
		day, rest := floorDiv(x, int64(r))
		want := at(x, r)
		if y, m, d := Civil(day); y != int64(want.Year()) || m != int(want.Month()) || d != want.Day() || DayOf(y, m, d) != day {
			t.Fatalf("day %d is %d-%d-%d, and that the day %d; want %s", day, y, m, d, DayOf(y, m, d), want)
		}
		if y, w := isoWeek(day); true {
			if wy, ww := want.ISOWeek(); y != int64(wy) || w != int64(ww) {
				t.Fatalf("%s is in week %d of %d", want, w, y)
			}
		}
		months := int64(rng.IntN(5000) - 2500)
		first := time.Date(want.Year(), want.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
		moved := first.AddDate(0, 0, min(want.Day(), first.AddDate(0, 1, -1).Day())-1)
		if got, ok := (Interval{Months: int32(months)}).after(day, Days); !ok || got != moved.Unix()/86400 {
			t.Fatalf("%s + %d months is the day %d; want %s", want, months, got, moved)
		}
		if back, ok := r.At(day, rest); !ok || back != x {
			t.Fatalf("%d ticks of %d are %d, %v after a round trip", x, r, back, ok)
		}
		back, ok := ParseTimestamp(string(AppendTimestamp(nil, x, r)))
		if ticks, fits := back.Ticks(r); !ok || !fits || ticks != x {
			t.Fatalf("%d ticks of %d are written %s and read as %d", x, r, AppendTimestamp(nil, x, r), ticks)
		}
	}
}

// TestFieldsAcrossRows holds the loops that remember the last day or period to
// what they give for single rows.
func TestFieldsAcrossRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 500
	src, rows := make([]int64, n), make([]uint32, 0, n)
	zone, err := LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resolutions {
		x := rng.Int64N(int64(r) * 10000)
		for i := range src {
			if x += rng.Int64N(int64(r)) - int64(r)/3; i%50 == 0 {
				x = rng.Int64N(int64(r)*60000) - int64(r)*30000
			}
			src[i] = x
		}
		rows = rows[:0]
		for i := range src {
			if rng.IntN(4) > 0 {
				rows = append(rows, uint32(i))
			}
		}
		loops := []Loop{zone.ToLocal(r), zone.FromLocal(r), LastDay(r), BinMonths(7, 12345, r)}
		for f := Microsecond; f <= Era; f++ {
			if loop, _ := Extract(f, r); loop != nil {
				loops = append(loops, loop)
			}
			if loop := Trunc(f, r); loop != nil && (r != Nanoseconds || f < Millennium) {
				loops = append(loops, loop)
			}
		}
		for k, loop := range loops {
			dst := make([]int64, n)
			if err := loop(dst, src, rows); err != nil {
				t.Fatalf("loop %d: %v", k, err)
			}
			for _, i := range rows {
				if want, err := one(loop, src[i]); err != nil || dst[i] != want {
					t.Fatalf("loop %d, %d ticks of %d: %d among others, %d alone, %v", k, src[i], r, dst[i], want, err)
				}
			}
		}
	}
}

func TestZonesAgainstTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"America/New_York", "Asia/Tehran", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "africa/casablanca", "america/port-au-prince", "UTC", "est5edt"} {
		z, err := LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 3000 {
			x := rng.Int64N(4000000000) - 1500000000
			_, offset := time.Unix(x, 0).In(z.loc).Zone()
			local, err := one(z.ToLocal(Seconds), x)
			if err != nil || local != x+int64(offset) {
				t.Fatalf("%d in %s: %d, %v; want %d", x, name, local, err, x+int64(offset))
			}
			back, err := one(z.FromLocal(Seconds), local)
			if again, _ := one(z.ToLocal(Seconds), back); err != nil || again != local || back < x {
				t.Fatalf("%d of %s: %d, %v; want %d or the later one", local, name, back, err, x)
			}
		}
	}
	for _, name := range []string{"", "Local", "Mars/Olympus", "+02:00", "../etc/passwd"} {
		if _, err := LoadZone(name); err == nil {
			t.Errorf("%q is a zone", name)
		}
	}
}

// TestLimits holds that what does not fit is an error, near the ends of int64.
func TestLimits(t *testing.T) {
	lowest, highest := int64(math.MinInt64), int64(math.MaxInt64)
	berlin := FixedZone(3600)
	for name, c := range map[string]struct {
		loop Loop
		x    int64
	}{
		"year of the lowest ns":       {Trunc(Year, Nanoseconds), lowest},
		"millennium of ns":            {Trunc(Millennium, Nanoseconds), lowest / 2},
		"hour of the lowest us":       {Trunc(Hour, Microseconds), lowest},
		"millennium of the lowest s":  {Trunc(Millennium, Seconds), lowest},
		"zone of the highest ns":      {berlin.ToLocal(Nanoseconds), highest},
		"zone of the lowest ns":       {berlin.FromLocal(Nanoseconds), lowest},
		"months of the lowest ns":     {BinMonths(5, 0, Nanoseconds), lowest},
		"ns of the highest s":         {Rescale(Seconds, Nanoseconds), highest},
		"us of the millennium of day": {Rescale(Days, Microseconds), math.MaxInt32},
	} {
		if got, err := one(c.loop, c.x); !errors.Is(err, ErrRange) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
	for _, r := range resolutions {
		for _, x := range []int64{lowest, highest} {
			for f := Microsecond; f <= Era; f++ {
				if loop, _ := Extract(f, r); loop == nil {
					continue
				} else if _, err := one(loop, x); err != nil {
					t.Errorf("%s of %d: %v", f, x, err)
				}
			}
			day := Interval{Days: 1, Nanos: 0}
			if x == lowest {
				day.Days = -1
			}
			if _, ok := day.after(x, r); ok {
				t.Errorf("%d and a day more fit", x)
			}
		}
		if got, err := one(Trunc(Millennium, r), int64(r)*20000); err != nil || got != DayOf(2001, 1, 1)*int64(r) {
			t.Errorf("millennium of 2024: %d, %v", got, err)
		}
	}
	if got, err := one(Trunc(Millennium, Nanoseconds), highest); err != nil || got != DayOf(2001, 1, 1)*int64(Nanoseconds) {
		t.Errorf("millennium of the highest ns: %d, %v", got, err)
	}
}

func TestIntervalLimits(t *testing.T) {
	for _, s := range []string{"", "x", "1", "1 fortnight", "1:60", "1:2", "3000000000 months", "200000000 years", "1 day ago ago", "P", "PT", "P1", "P1H", "1.0000000001 s", "300000000:00:00", "5 5 days", "--1 day", "1e5 s"} {
		if i, ok := ParseInterval(s); ok && s != "1" {
			t.Errorf("%q is %s", s, text(i))
		}
	}
	most := Interval{math.MaxInt32, math.MaxInt32, math.MaxInt64}
	least := Interval{math.MinInt32, math.MinInt32, math.MinInt64}
	if _, ok := most.Add(Interval{Days: 1}); ok {
		t.Error("a day more fits")
	}
	if _, ok := least.Times(-1); ok {
		t.Error("the negation of the least fits")
	}
	if compare(most, least) != 1 || compare(least, most) != -1 || compare(most, most) != 0 {
		t.Error("the most and the least do not compare")
	}
	for _, i := range []Interval{most, least, {0, 0, math.MinInt64}} {
		if back, ok := ParseInterval(text(i)); i.Nanos == math.MaxInt64 && (!ok || back != i) {
			t.Errorf("%s is read as %s, %v", text(i), text(back), ok)
		}
	}
	if err := AddIntervals(make([]int64, 1), []int64{0}, []Interval{{Nanos: 1}}, []uint32{0}, Microseconds); !errors.Is(err, ErrRange) {
		t.Errorf("a nanosecond in microseconds: %v", err)
	}
}

func TestDatesRefused(t *testing.T) {
	for _, s := range []string{"", "2024", "2024-02-30", "2023-02-29", "2024-13-01", "24-01-01", "2024-01-01 ", "-2024-01-01 BC", "0000-01-01 BC", "2024-01-01x", "2024-00-01"} {
		if day, ok := ParseDate(s); ok != (s == "2024-01-01 ") {
			t.Errorf("%q is the day %d, %v", s, day, ok)
		}
	}
	for _, s := range []string{"2024-01-01T", "2024-01-01 1", "2024-01-01 24:00", "2024-01-01 12:60", "2024-01-01 12:00:00.", "2024-01-01Z", "2024-01-01 12:00+2", "2024-01-01 12:00 Berlin", "2024-01-01 12:00:00.1234567891"} {
		if i, ok := ParseTimestamp(s); ok {
			t.Errorf("%q is %v", s, i)
		}
	}
	for _, d := range [][3]int64{{0, 1, 1}, {2023, 2, 29}, {2024, 13, 1}, {1 << 40, 1, 1}, {6000000, 1, 1}} {
		if day, ok := MakeDate(d[0], d[1], d[2]); ok {
			t.Errorf("%v is the day %d", d, day)
		}
	}
	if day, ok := MakeDate(-44, 3, 15); !ok || string(AppendDate(nil, day)) != "-0043-03-15" {
		t.Errorf("44 BC: %s, %v", AppendDate(nil, day), ok)
	}
}

func TestFormatsRefused(t *testing.T) {
	for _, s := range []string{"%", "%-", "%q", "%-f", "%-%", "%-c"} {
		if _, err := ParseFormat(s); err == nil {
			t.Errorf("%q is a format", s)
		}
	}
	if f, err := ParseFormat("%U"); err != nil || f.CheckParse() == nil {
		t.Errorf("%%U can be read")
	}
}
