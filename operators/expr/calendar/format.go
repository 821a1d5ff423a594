package calendar

import (
	"fmt"
	"strings"
	"time"
)

// Format is a format of strftime and strptime, with DuckDB's specifiers.
type Format struct {
	pieces []piece
	nanos  bool // %n is in it
	zoned  bool // %z is in it
}

// piece is a specifier or plain text.
type piece struct {
	spec  byte // 0 of plain text
	bare  bool // without zeros in front, as in %-d
	plain string
}

// specifiers are all, and bareable those that may have a minus.
const (
	specifiers = "aAwudbBmyYGHIpMSfngzZjUWV"
	bareable   = "dmyHIMSj"
)

// whole are the formats that %c, %x and %X are short for.
var whole = map[byte]string{'c': "%Y-%m-%d %H:%M:%S", 'x': "%Y-%m-%d", 'X': "%H:%M:%S"}

// ParseFormat reads a format.
func ParseFormat(s string) (*Format, error) {
	f := &Format{}
	if err := f.read(s); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Format) read(s string) error {
	for s != "" {
		text, rest, found := strings.Cut(s, "%")
		if text != "" {
			f.pieces = append(f.pieces, piece{plain: text})
		}
		if !found {
			return nil
		}
		behind := rest
		rest, bare := strings.CutPrefix(rest, "-")
		if rest == "" {
			return fmt.Errorf("calendar: the format ends with %%; a percent sign is %%%%")
		}
		spec := rest[0]
		known := specifiers
		if bare {
			known = bareable
		}
		s = rest[1:]
		switch {
		case strings.IndexByte(known, spec) >= 0:
			f.pieces = append(f.pieces, piece{spec: spec, bare: bare})
			f.nanos = f.nanos || spec == 'n'
			f.zoned = f.zoned || spec == 'z'
		case !bare && spec == '%':
			f.pieces = append(f.pieces, piece{plain: "%"})
		case !bare && whole[spec] != "":
			if err := f.read(whole[spec]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("calendar: there is no format specifier %%%s", behind[:len(behind)-len(s)])
		}
	}
	return nil
}

// Nanos reports whether %n is in the format, so that what is parsed needs
// nanoseconds, and Zoned whether %z is.
func (f *Format) Nanos() bool { return f.nanos }

// Zoned reports whether what is parsed with the format is an instant.
func (f *Format) Zoned() bool { return f.zoned }

// MonthName and DayName are the English names; days are counted from Sunday.
func MonthName(month int64) string { return time.Month(month).String() }

// DayName is the English name of a day of the week, Sunday being 0.
func DayName(day int64) string { return time.Weekday(day).String() }

// moment is a timestamp in parts.
type moment struct {
	day, year    int64
	month, dom   int
	secs, nanos  int64 // of the day
	zone, offset string
}

// Append appends ticks in the format; zone is what %Z stands for.
func (f *Format) Append(dst []byte, x int64, r Resolution, zone string) []byte {
	day, rest := floorDiv(x, int64(r))
	rest *= nanosPerDay / int64(r)
	m := moment{day: day, secs: rest / nanosPerSecond, nanos: rest % nanosPerSecond, zone: zone, offset: "+00"}
	m.year, m.month, m.dom = Civil(day)
	for _, p := range f.pieces {
		if p.spec == 0 {
			dst = append(dst, p.plain...)
		} else {
			dst = m.append(dst, p)
		}
	}
	return dst
}

func (m *moment) append(dst []byte, p piece) []byte {
	switch p.spec {
	case 'a':
		return append(dst, DayName(DayOfWeek.ofDay(m.day))[:3]...)
	case 'A':
		return append(dst, DayName(DayOfWeek.ofDay(m.day))...)
	case 'b':
		return append(dst, MonthName(int64(m.month))[:3]...)
	case 'B':
		return append(dst, MonthName(int64(m.month))...)
	case 'p':
		return append(dst, [...]string{"AM", "PM"}[m.secs/43200]...)
	case 'z':
		return append(dst, m.offset...)
	case 'Z':
		return append(dst, m.zone...)
	}
	v, width := m.number(p.spec)
	if p.bare {
		width = 1
	}
	if v < 0 {
		dst, v, width = append(dst, '-'), -v, width-1
	}
	return appendPadded(dst, v, width)
}

// number is the value of a numeric specifier, and its digits.
func (m *moment) number(spec byte) (v int64, width int) {
	yday := func() int64 { return m.day - DayOf(m.year, 1, 1) }
	switch spec {
	case 'w':
		return DayOfWeek.ofDay(m.day), 1
	case 'u':
		return ISODayOfWeek.ofDay(m.day), 1
	case 'd':
		return int64(m.dom), 2
	case 'm':
		return int64(m.month), 2
	case 'y':
		_, v = floorDiv(m.year, 100)
		return v, 2
	case 'Y':
		return m.year, 4
	case 'G':
		v, _ = isoWeek(m.day)
		return v, 4
	case 'H':
		return m.secs / 3600, 2
	case 'I':
		return (m.secs/3600+11)%12 + 1, 2
	case 'M':
		return m.secs / 60 % 60, 2
	case 'S':
		return m.secs % 60, 2
	case 'f':
		return m.nanos / 1000, 6
	case 'n':
		return m.nanos, 9
	case 'g':
		return m.nanos / 1e6, 3
	case 'j':
		return yday() + 1, 3
	case 'U': // weeks begin on Sundays
		return (yday() + 7 - (weekday(m.day)+1)%7) / 7, 2
	case 'W':
		return (yday() + 7 - weekday(m.day)) / 7, 2
	}
	_, v = isoWeek(m.day) // V
	return v, 2
}
