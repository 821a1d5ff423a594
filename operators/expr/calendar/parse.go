package calendar

import "strings"

// scanner reads text from its front.
type scanner struct {
	s  string
	ok bool // nothing was missing so far
	bc bool // years count back from 1
}

// scan begins to read a date with a time or without; BC is at the end.
func scan(s string) scanner {
	s = strings.TrimSpace(s)
	if n := len(s) - 2; n > 0 && strings.EqualFold(s[n:], "BC") {
		return scanner{strings.TrimRight(s[:n], " "), true, true}
	}
	return scanner{s: s, ok: true}
}

// number reads lo to hi decimal digits.
func (c *scanner) number(lo, hi int) (n int64) {
	i := 0
	for i < len(c.s) && i < hi && c.s[i]-'0' <= 9 {
		n = n*10 + int64(c.s[i]-'0')
		i++
	}
	c.ok = c.ok && i >= lo
	c.s = c.s[i:]
	return n
}

// byte reads b if it is there.
func (c *scanner) byte(b byte) bool {
	if c.s != "" && c.s[0] == b {
		c.s = c.s[1:]
		return true
	}
	return false
}

func (c *scanner) want(b byte) {
	c.ok = c.byte(b) && c.ok
}

func (c *scanner) spaces() {
	c.s = strings.TrimLeft(c.s, " \t\r\n")
}

// fraction reads digits as nanoseconds; further ones than nine must be zeros.
func (c *scanner) fraction() (nanos int64) {
	digits := 0
	for c.s != "" && c.s[0]-'0' <= 9 {
		d := int64(c.s[0] - '0')
		c.s = c.s[1:]
		if digits++; digits <= 9 {
			nanos = nanos*10 + d
		} else if d != 0 {
			c.ok = false
		}
	}
	c.ok = c.ok && digits > 0
	for ; digits < 9; digits++ {
		nanos *= 10
	}
	return nanos
}

// date reads a date: 2024-05-31, with up to nine digits of a year; -0001 and
// 0002-01-01 BC are the year before 0.
func (c *scanner) date() int64 {
	minus := c.byte('-')
	year := c.number(4, 9)
	c.want('-')
	month := c.number(1, 2)
	c.want('-')
	dom := c.number(1, 2)
	switch {
	case c.bc && (minus || year == 0):
		c.ok = false
	case c.bc:
		year = 1 - year
	case minus:
		year = -year
	}
	if month < 1 || month > 12 || dom < 1 || dom > int64(monthDays(year, int(month))) {
		c.ok = false
		return 0
	}
	return DayOf(year, int(month), int(dom))
}

// clock reads 12:30, 12:30:00 or 12:30:00.5.
func (c *scanner) clock() (seconds, nanos int64) {
	h := c.number(1, 2)
	c.want(':')
	m, s := c.number(2, 2), int64(0)
	if c.byte(':') {
		if s = c.number(2, 2); c.byte('.') {
			nanos = c.fraction()
		}
	}
	c.ok = c.ok && h < 24 && m < 60 && s < 60
	return h*3600 + m*60 + s, nanos
}

// offset reads a zone: Z, +02, +0200, +02:00 or +02:00:00, in seconds.
func (c *scanner) offset() (seconds int64, zoned bool) {
	if c.spaces(); c.byte('Z') || c.byte('z') {
		return 0, true
	}
	sign := int64(1)
	if c.byte('-') {
		sign = -1
	} else if !c.byte('+') {
		return 0, false
	}
	h, m, s := c.number(2, 2), int64(0), int64(0)
	if c.byte(':') {
		if m = c.number(2, 2); c.byte(':') {
			s = c.number(2, 2)
		}
	} else if c.s != "" {
		m = c.number(2, 2)
	}
	c.ok = c.ok && h < 24 && m < 60 && s < 60
	return sign * (h*3600 + m*60 + s), true
}

func (c *scanner) end() bool {
	c.spaces()
	return c.ok && c.s == ""
}

// ParseDate reads a date such as 2024-05-31.
func ParseDate(s string) (day int64, ok bool) {
	c := scan(s)
	day = c.date()
	return day, c.end()
}

// Instant is a parsed timestamp: Seconds since 1970-01-01, in UTC if it was
// written with a zone, and Nanos more.
type Instant struct {
	Seconds, Nanos int64
	Zoned          bool
}

// ParseTimestamp reads a date with a time or without, and a zone behind that or
// not: 2024-05-31 12:30:00.5+02:00.
func ParseTimestamp(s string) (t Instant, ok bool) {
	c := scan(s)
	t.Seconds = c.date() * 86400
	if !c.ok || c.s == "" {
		return t, c.ok
	}
	if !c.byte('T') && !c.byte('t') {
		c.ok = c.s[0] == ' '
		c.spaces()
	}
	seconds, nanos := c.clock()
	offset, zoned := c.offset()
	return Instant{t.Seconds + seconds - offset, nanos, zoned}, c.end()
}

// Ticks returns t at a resolution, the nanoseconds rounded to the nearest tick.
func (t Instant) Ticks(r Resolution) (int64, bool) {
	per := r.perSecond()
	ticks := (t.Nanos + nanosPerSecond/per/2) / (nanosPerSecond / per)
	if s := t.Seconds; s < 0 { // the start of the second may be out of range where t is not
		x, ok := mul(s+1, per)
		if !ok {
			return 0, false
		}
		return add(x, ticks-per)
	}
	x, ok := mul(t.Seconds, per)
	if !ok {
		return 0, false
	}
	return add(x, ticks)
}

// ParseTime reads a time of day, in nanoseconds.
func ParseTime(s string) (nanos int64, ok bool) {
	c := scanner{s: s, ok: true}
	c.spaces()
	seconds, nanos := c.clock()
	return seconds*nanosPerSecond + nanos, c.end()
}
