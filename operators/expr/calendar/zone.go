package calendar

import (
	"fmt"
	"math"
	"strings"
	"time"
	_ "time/tzdata" // where the system has no zone files
)

// TimeZone is a zone of the IANA database, or a fixed offset.
type TimeZone struct {
	loc *time.Location
}

// LoadZone finds a zone by its name, such as Europe/Berlin or UTC.
func LoadZone(name string) (TimeZone, error) {
	name = strings.TrimSpace(name)
	if strings.EqualFold(name, "Z") || strings.EqualFold(name, "UTC") {
		return TimeZone{time.UTC}, nil
	}
	for _, spelled := range []string{name, titled(name), strings.ToUpper(name)} {
		if loc, err := time.LoadLocation(spelled); err == nil && spelled != "Local" && spelled != "" {
			return TimeZone{loc}, nil
		}
	}
	return TimeZone{}, fmt.Errorf("calendar: there is no time zone %q", name)
}

// titled writes the words of a zone's name as the database mostly does.
func titled(name string) string {
	out := []byte(strings.ToLower(name))
	word := 0
	for i := range out {
		if i == 0 || strings.IndexByte("/_-", out[i-1]) >= 0 {
			word = i
		}
		if i == word && out[i] >= 'a' && out[i] <= 'z' {
			out[i] -= 'a' - 'A'
		}
	}
	for _, small := range []string{"_Of_", "_Es_", "-Au-", "_And_"} {
		out = []byte(strings.ReplaceAll(string(out), small, strings.ToLower(small)))
	}
	return string(out)
}

// FixedZone is so many seconds east of Greenwich.
func FixedZone(seconds int64) TimeZone {
	return TimeZone{time.FixedZone("", int(seconds))}
}

// period is the range of instants, in seconds, that share an offset.
type period struct {
	start, end int64 // the end is not in it
	offset     int64
	ends       int64 // the offset from end on
	sure       int64 // local times from here until there are of this period alone
	until      int64
}

// farSecond is beyond what the time package's years hold.
const farSecond = int64(1) << 55

// periodOf returns the period around an instant.
func (z TimeZone) periodOf(second int64) period {
	second = min(max(second, -farSecond), farSecond)
	t := time.Unix(second, 0).In(z.loc)
	_, offset := t.Zone()
	p := period{start: math.MinInt64, end: math.MaxInt64, offset: int64(offset)}
	p.ends, p.sure, p.until = p.offset, p.start, p.end
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		p.start = start.Unix()
		p.sure = p.start + 2*86400
	}
	if !end.IsZero() {
		p.end = end.Unix()
		_, o := end.Zone()
		p.ends, p.until = int64(o), p.end-2*86400
	}
	return p
}

// ToLocal returns the loop from instants to what clocks in the zone show.
func (z TimeZone) ToLocal(r Resolution) Loop {
	per := r.perSecond()
	return func(dst, src []int64, rows []uint32) error {
		p := period{start: 1}
		for _, i := range rows {
			second := src[i]
			if per > 1 {
				second, _ = floorDiv(second, per)
			}
			if second < p.start || second >= p.end {
				p = z.periodOf(second)
			}
			local, ok := add(src[i], p.offset*per)
			if !ok {
				return ErrRange
			}
			dst[i] = local
		}
		return nil
	}
}

// FromLocal returns the loop from what clocks in the zone show to instants. As in
// PostgreSQL, a time that occurs twice is the later one, and one that is skipped
// is read with the offset before the change.
func (z TimeZone) FromLocal(r Resolution) Loop {
	per := r.perSecond()
	return func(dst, src []int64, rows []uint32) error {
		p := period{start: 1}
		for _, i := range rows {
			second := src[i]
			if per > 1 {
				second, _ = floorDiv(second, per)
			}
			offset := p.offset
			if !p.holds(second) {
				p = z.periodOf(second - p.offset)
				if offset = p.offset; !p.holds(second) {
					offset = z.offsetAt(second)
				}
			}
			t, ok := add(src[i], -offset*per)
			if !ok {
				return ErrRange
			}
			dst[i] = t
		}
		return nil
	}
}

// holds reports whether a local time is of p, and far enough from its bounds
// that it cannot be of another period too.
func (p *period) holds(local int64) bool { return local >= p.sure && local < p.until }

// offsetAt is the offset of a local time, near a change or not.
func (z TimeZone) offsetAt(local int64) int64 {
	local = min(max(local, -farSecond), farSecond)
	p := z.periodOf(local - 86400)
	if p.end == math.MaxInt64 {
		return p.offset
	}
	before, after := local-p.offset, local-p.ends
	switch {
	case before < p.end && after < p.end:
		return p.offset
	case before >= p.end && after >= p.end:
		return p.ends
	case before > after:
		return p.offset
	}
	return p.ends
}
