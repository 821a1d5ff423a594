package calendar

import (
	"strconv"
	"strings"
)

// ParseInterval reads an interval as PostgreSQL does: 1 year 2 mons 3 days
// 04:05:06.5, with a sign before each part or "ago" at the end; 1h30m; 3
// 04:05:06 (days); 1-2 (years and months); P1Y2M3DT4H5M6S. A number alone is
// seconds. A part of a year is rounded to months; of a month, it is of 30 days.
func ParseInterval(text string) (Interval, bool) {
	s := strings.ToLower(strings.TrimSpace(text))
	if rest, ok := strings.CutPrefix(s, "p"); ok {
		return parseISO(rest)
	}
	s = strings.TrimPrefix(s, "@")
	s, ago := strings.CutSuffix(s, " ago")
	c := scanner{s: s, ok: true}
	var sum Interval
	some := false
	for c.spaces(); c.s != "" && c.ok; c.spaces() {
		some = true
		part, ok := c.part()
		if !ok {
			return sum, false
		}
		if sum, ok = sum.Add(part); !ok {
			return sum, false
		}
	}
	if ago && c.ok {
		var ok bool
		sum, ok = sum.Times(-1)
		c.ok = ok
	}
	return sum, c.ok && some
}

// quantity is a number with a fraction, in units of 10^-9.
type quantity struct {
	minus    bool
	whole    int64
	fraction int64
}

// quantity reads a number, with a sign before it or not.
func (c *scanner) quantity() (q quantity) {
	if q.minus = c.byte('-'); !q.minus {
		c.byte('+')
	}
	digits := len(c.s)
	q.whole = c.number(0, 18)
	if digits -= len(c.s); c.byte('.') {
		if digits == 0 || c.s != "" && c.s[0]-'0' <= 9 {
			q.fraction = c.fraction()
		}
	} else {
		c.ok = c.ok && digits > 0
	}
	return q
}

// part reads a number with its unit, or a time, or years and months.
func (c *scanner) part() (Interval, bool) {
	q := c.quantity()
	switch {
	case !c.ok:
		return Interval{}, false
	case c.byte(':'):
		m, s, nanos := c.number(2, 2), int64(0), int64(0)
		if c.byte(':') {
			if s = c.number(2, 2); c.byte('.') {
				nanos = c.fraction()
			}
		}
		if !c.ok || m > 59 || s > 59 || q.fraction != 0 {
			return Interval{}, false
		}
		seconds, ok1 := mul(q.whole, 3600)
		ns, ok2 := mul(seconds+m*60+s, nanosPerSecond)
		ns, ok3 := add(ns, nanos)
		return q.signed(Interval{Nanos: ns}, ok1 && ok2 && ok3)
	case q.fraction == 0 && c.s != "" && c.s[0] == '-' && len(c.s) > 1 && c.s[1]-'0' <= 9:
		c.byte('-')
		months := q.whole*12 + c.number(1, 2)
		return q.signed(Interval{Months: int32(months)}, q.whole < 1e9 && fits32(months))
	}
	c.spaces()
	i := 0
	for i < len(c.s) && c.s[i] >= 'a' && c.s[i] <= 'z' {
		i++
	}
	unit := c.s[:i]
	c.s = c.s[i:]
	if unit == "" {
		if c.s != "" && strings.Contains(c.s, ":") { // 3 04:05:06
			return q.of(Day)
		}
		c.ok = c.ok && c.s == ""
		return q.of(Second)
	}
	f, ok := ParseField(unit)
	if !ok {
		return Interval{}, false
	}
	return q.of(f)
}

func (q quantity) signed(i Interval, ok bool) (Interval, bool) {
	if q.minus {
		return Interval{-i.Months, -i.Days, -i.Nanos}, ok
	}
	return i, ok
}

// of is so many units.
func (q quantity) of(f Field) (Interval, bool) {
	months := map[Field]int64{Month: 1, Quarter: 3, Year: 12, Decade: 120, Century: 1200, Millennium: 12000}[f]
	days := map[Field]int64{Day: 1, Week: 7}[f]
	nanos := map[Field]int64{Microsecond: 1000, Millisecond: 1e6, Second: nanosPerSecond, Minute: 60 * nanosPerSecond, Hour: 3600 * nanosPerSecond}[f]
	const one = 1e9
	switch {
	case months > 0:
		m, ok := mul(q.whole, months)
		i := Interval{}
		if months == 1 {
			d := q.fraction * 30
			i.Days, i.Nanos = int32(d/one), d%one*86400
		} else {
			m += (q.fraction*months + one/2) / one
		}
		i.Months = int32(m)
		return q.signed(i, ok && fits32(m))
	case days > 0:
		d, ok := mul(q.whole, days)
		rest := q.fraction * days
		d += rest / one
		return q.signed(Interval{Days: int32(d), Nanos: rest % one * 86400}, ok && fits32(d))
	case nanos > 0:
		n, ok1 := mul(q.whole, nanos)
		part := q.fraction * (nanos / 1000) / (one / 1000)
		if nanos < nanosPerSecond {
			part = q.fraction * nanos / one
		}
		n, ok2 := add(n, part)
		return q.signed(Interval{Nanos: n}, ok1 && ok2)
	}
	return Interval{}, false
}

// parseISO reads what follows the P of ISO 8601.
func parseISO(s string) (sum Interval, ok bool) {
	c := scanner{s: s, ok: true}
	units, some := map[byte]Field{'y': Year, 'm': Month, 'w': Week, 'd': Day}, false
	for c.s != "" {
		if c.byte('t') {
			units = map[byte]Field{'h': Hour, 'm': Minute, 's': Second}
			some = false
			continue
		}
		q := c.quantity()
		if !c.ok || c.s == "" {
			return sum, false
		}
		f, known := units[c.s[0]]
		c.s = c.s[1:]
		part, ok := q.of(f)
		if !known || !ok {
			return sum, false
		}
		if sum, ok = sum.Add(part); !ok {
			return sum, false
		}
		some = true
	}
	return sum, some
}

// AppendInterval appends i as PostgreSQL writes it: 1 year 2 mons 3 days
// 04:05:06.5.
func AppendInterval(dst []byte, i Interval) []byte {
	start, before := len(dst), false
	for _, p := range []struct {
		n    int64
		unit string
	}{{int64(i.Months) / 12, "year"}, {int64(i.Months) % 12, "mon"}, {int64(i.Days), "day"}} {
		if p.n == 0 {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if before && p.n > 0 {
			dst = append(dst, '+')
		}
		before = p.n < 0
		dst = append(append(strconv.AppendInt(dst, p.n, 10), ' '), p.unit...)
		if p.n != 1 {
			dst = append(dst, 's')
		}
	}
	if i.Nanos == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	n := uint64(i.Nanos)
	if i.Nanos < 0 {
		dst, n = append(dst, '-'), -n
	} else if before {
		dst = append(dst, '+')
	}
	seconds := int64(n / 1e9)
	dst = appendPadded(dst, seconds/3600, 2)
	dst = appendPadded(append(dst, ':'), seconds/60%60, 2)
	dst = appendPadded(append(dst, ':'), seconds%60, 2)
	return appendFraction(dst, int64(n%1e9))
}

// appendPadded appends v >= 0 with at least width digits.
func appendPadded(dst []byte, v int64, width int) []byte {
	var tmp [20]byte
	digits := strconv.AppendInt(tmp[:0], v, 10)
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// appendFraction appends the point and digits of nanoseconds without zeros at
// their end, or nothing.
func appendFraction(dst []byte, nanos int64) []byte {
	if nanos == 0 {
		return dst
	}
	dst = append(dst, '.')
	for p := int64(1e8); nanos > 0; p /= 10 {
		dst = append(dst, '0'+byte(nanos/p))
		nanos %= p
	}
	return dst
}

// AppendDate appends a day as 2024-05-31; years before 0 have a minus.
func AppendDate(dst []byte, day int64) []byte {
	y, m, d := Civil(day)
	if y < 0 {
		dst, y = append(dst, '-'), -y
	}
	dst = appendPadded(dst, y, 4)
	dst = appendPadded(append(dst, '-'), int64(m), 2)
	return appendPadded(append(dst, '-'), int64(d), 2)
}

// AppendTimestamp appends ticks as 2024-05-31 12:30:00.5.
func AppendTimestamp(dst []byte, x int64, r Resolution) []byte {
	day, rest := floorDiv(x, int64(r))
	dst = append(AppendDate(dst, day), ' ')
	return AppendClock(dst, rest*(nanosPerDay/int64(r)))
}

// AppendClock appends a time of day, in nanoseconds, as 12:30:00.5.
func AppendClock(dst []byte, nanos int64) []byte {
	return AppendInterval(dst, Interval{Nanos: nanos})
}
