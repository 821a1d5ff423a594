package calendar

import "testing"

// FuzzTexts reads anything as each kind of text; what is read is read again as the
// same from how it is written.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"2024-05-31", "0044-03-15 BC", "2024-05-31T12:30:00.5+02:00", "-0001-01-01 00:00", "1 year 2 mons -3 days 04:05:06.7", "P1Y2M3DT4H5.5S", "1h30m ago", "-1-2", "@ .5 weeks"} {
		f.Add(s, "%Y-%m-%d %H:%M:%S.%f%z")
	}
	f.Add("Mon, 5 Jan 24 1:2 PM", "%a, %d %b %y %I:%M %p")
	f.Add("2024-W05-3", "%G-W%V-%u")
	f.Fuzz(func(t *testing.T, s, format string) {
		if day, ok := ParseDate(s); ok {
			if back, ok := ParseDate(string(AppendDate(nil, day))); !ok || back != day {
				t.Errorf("%q is %s, and that the day %d, %v", s, AppendDate(nil, day), back, ok)
			}
		}
		if i, ok := ParseTimestamp(s); ok {
			if x, ok := i.Ticks(Microseconds); ok {
				back, ok := ParseTimestamp(string(AppendTimestamp(nil, x, Microseconds)))
				if y, fits := back.Ticks(Microseconds); !ok || !fits || y != x {
					t.Errorf("%q is %s, and that %d", s, AppendTimestamp(nil, x, Microseconds), y)
				}
			}
		}
		if i, ok := ParseInterval(s); ok {
			if back, ok := ParseInterval(text(i)); !ok || back != i {
				t.Errorf("%q is %s, and that %s, %v", s, text(i), text(back), ok)
			}
		}
		if nanos, ok := ParseTime(s); ok {
			if back, ok := ParseTime(string(AppendClock(nil, nanos))); !ok || back != nanos {
				t.Errorf("%q is %s", s, AppendClock(nil, nanos))
			}
		}
		parsed, err := ParseFormat(format)
		if err != nil {
			return
		}
		if i, ok := parsed.Parse(s); ok {
			if x, ok := i.Ticks(Microseconds); ok {
				parsed.Append(nil, x, Microseconds, "UTC")
			}
		}
	})
}
