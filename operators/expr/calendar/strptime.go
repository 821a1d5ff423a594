package calendar

import (
	"fmt"
	"strings"
)

// reading is what strptime has found.
type reading struct {
	scanner
	year, month, dom, yday   int64
	hour, minute, sec, nanos int64
	afternoon                int64 // 12 after PM, -1 where there is no %p
	offset                   int64
	weekYear, week, isoDay   int64
}

// Parse reads a text of the format, which CheckParse finds no fault with; spaces around it do not count. What the
// format has not is 1900-01-01 00:00:00, as in DuckDB.
func (f *Format) Parse(s string) (Instant, bool) {
	r := reading{scanner: scanner{s: s, ok: true}, year: 1900, month: 1, dom: 1, yday: -1, afternoon: -1, week: -1, isoDay: 1}
	r.spaces()
	for _, p := range f.pieces {
		if p.spec == 0 {
			rest, ok := strings.CutPrefix(r.s, p.plain)
			r.s, r.ok = rest, r.ok && ok
		} else {
			r.read(p.spec)
		}
		if !r.ok {
			return Instant{}, false
		}
	}
	if !r.end() {
		return Instant{}, false
	}
	return r.instant(f.zoned)
}

func (r *reading) instant(zoned bool) (Instant, bool) {
	if r.afternoon >= 0 {
		if r.hour < 1 || r.hour > 12 {
			return Instant{}, false
		}
		r.hour = r.hour%12 + r.afternoon
	}
	if r.month < 1 || r.month > 12 || r.dom < 1 || r.dom > int64(monthDays(r.year, int(r.month))) || r.hour > 23 || r.minute > 59 || r.sec > 59 {
		return Instant{}, false
	}
	day := DayOf(r.year, int(r.month), int(r.dom))
	switch {
	case r.week >= 0:
		if day = isoYearStart(r.weekYear) + (r.week-1)*7 + r.isoDay - 1; r.week < 1 || day-r.isoDay+1 >= isoYearStart(r.weekYear+1) {
			return Instant{}, false
		}
	case r.yday >= 0:
		day = DayOf(r.year, 1, 1) + r.yday - 1
		if y, _, _ := Civil(day); y != r.year {
			return Instant{}, false
		}
	}
	return Instant{day*86400 + r.hour*3600 + r.minute*60 + r.sec - r.offset, r.nanos, zoned}, true
}

// read reads what a specifier stands for.
func (r *reading) read(spec byte) {
	switch spec {
	case 'a', 'A':
		r.name(spec == 'a', 7, DayName)
	case 'b', 'B':
		r.month = r.name(spec == 'b', 12, func(i int64) string { return MonthName(i + 1) }) + 1
	case 'd':
		r.dom = r.number(1, 2)
	case 'm':
		r.month = r.number(1, 2)
	case 'y':
		if r.year = 1900 + r.number(1, 2); r.year < 1969 {
			r.year += 100
		}
	case 'Y':
		if r.byte('-') {
			r.year = -r.number(1, 4)
		} else {
			r.year = r.number(1, 4)
		}
	case 'G':
		r.weekYear = r.number(1, 4)
	case 'V':
		r.week = r.number(1, 2)
	case 'u':
		r.isoDay = r.number(1, 1)
		r.ok = r.ok && r.isoDay >= 1 && r.isoDay <= 7
	case 'H', 'I':
		r.hour = r.number(1, 2)
		r.ok = r.ok && (spec == 'H' || r.hour >= 1 && r.hour <= 12)
	case 'M':
		r.minute = r.number(1, 2)
	case 'S':
		r.sec = r.number(1, 2)
	case 'f':
		r.nanos = r.part(6)
	case 'n':
		r.nanos = r.part(9)
	case 'g':
		r.nanos = r.part(3)
	case 'j':
		r.yday = r.number(1, 3)
	case 'p':
		r.afternoon = 12 * r.name(false, 2, func(i int64) string { return [...]string{"AM", "PM"}[i] })
	case 'z':
		offset, zoned := r.scanner.offset()
		r.offset, r.ok = offset, r.ok && zoned
	}
}

// CheckParse says what of the format Parse cannot read: %w, %U, %W and %Z.
func (f *Format) CheckParse() error {
	for _, p := range f.pieces {
		if p.spec != 0 && strings.IndexByte("wUWZ", p.spec) >= 0 {
			return fmt.Errorf("calendar: %%%c can be written but not read", p.spec)
		}
	}
	return nil
}

// part reads up to n digits behind a point.
func (r *reading) part(n int) int64 {
	before := len(r.s)
	v := r.number(1, n)
	for digits := before - len(r.s); digits < 9; digits++ {
		v *= 10
	}
	return v
}

// name reads one of n names, or their first three letters.
func (r *reading) name(short bool, n int64, of func(int64) string) int64 {
	for i := range n {
		name := of(i)
		if short {
			name = name[:3]
		}
		if len(r.s) >= len(name) && strings.EqualFold(r.s[:len(name)], name) {
			r.s = r.s[len(name):]
			return i
		}
	}
	r.ok = false
	return 0
}
