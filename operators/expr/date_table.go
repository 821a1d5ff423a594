package expr

import (
	"strings"

	"github.com/colagg/colagg/operators/expr/calendar"
)

// dateFunctions are those of dates and times.
var dateFunctions = append([]function{
	{name: "age", args: "a, b", about: "years, months, days and time from b to a; of one argument, to midnight of today", least: 2, most: 2, bind: bindAge},
	{name: "date_add", args: "x, interval", about: "x + interval", least: 2, most: 2, bind: bindAdd},
	{name: "date_bin", args: "width, x, origin", about: "the start of the bin of a fixed width that x is in", least: 3, most: 3, bind: bindBin},
	{name: "date_diff, datediff", args: "'unit', a, b", about: "how many times the unit changes from a to b; weeks are seven days", least: 3, most: 3, bind: bindDiff},
	{name: "date_trunc, datetrunc", args: "'unit', x[, 'zone']", about: "the start of the unit that x is in, for instants in that zone", least: 2, most: 3, bind: bindTrunc},
	{name: "dayname", args: "x", about: "Monday", least: 1, most: 1, bind: bindName(calendar.DayOfWeek, calendar.DayName)},
	{name: "epoch", args: "x", about: "the seconds since 1970, or of an interval, as a decimal", least: 1, most: 1, bind: bindSeconds},
	{name: "epoch_ms", args: "x", about: "milliseconds since 1970, rounded", least: 1, most: 1, bind: bindEpoch(3)},
	{name: "epoch_us", args: "x", about: "microseconds since 1970, rounded", least: 1, most: 1, bind: bindEpoch(6)},
	{name: "epoch_ns", args: "x", about: "nanoseconds since 1970", least: 1, most: 1, bind: bindEpoch(9)},
	{name: "extract, date_part, datepart", args: "'field', x", about: "a field of x; also EXTRACT(field FROM x)", least: 2, most: 2, bind: bindExtract},
	{name: "last_day", args: "x", about: "the last day of the month", least: 1, most: 1, bind: bindLastDay},
	{name: "make_date", args: "year, month, day", about: "a date", least: 3, most: 3, bind: bindMakeDate},
	{name: "make_timestamp", args: "year, month, day, hour, minute, second", about: "a timestamp; also of microseconds since 1970", least: 1, most: 6, bind: bindMakeTimestamp},
	{name: "monthname", args: "x", about: "January", least: 1, most: 1, bind: bindName(calendar.Month, calendar.MonthName)},
	{name: "strftime", args: "x, 'format'", about: "x as a string, as in '%Y-%m-%d %H:%M:%S'", least: 2, most: 2, bind: bindFormat},
	{name: "strptime", args: "string, 'format'", about: "a timestamp of a string; an instant with %z", least: 2, most: 2, bind: bindParse(false)},
	{name: "try_strptime", args: "string, 'format'", about: "the same, NULL of other strings", least: 2, most: 2, bind: bindParse(true)},
	{name: "time_bucket", args: "width, x[, origin or offset]", about: "the start of the bin that x is in, months too; from a Monday, by months from January", least: 2, most: 3, bind: bindBucket},
	{name: "timezone", args: "'zone', x", about: "x AT TIME ZONE 'zone'", least: 2, most: 2, bind: bindZone},
	{name: "to_timestamp", args: "seconds", about: "an instant of seconds since 1970", least: 1, most: 1, bind: bindToTimestamp},
}, fieldFunctions()...)

// fieldFunctions are called like fields, of which they give the whole part.
func fieldFunctions() []function {
	var out []function
	for _, name := range []string{"century", "day, dayofmonth", "dayofweek, weekday", "dayofyear", "decade", "era", "hour", "isodow", "isoyear", "microsecond", "millennium", "millisecond",
		"minute", "month", "quarter", "second", "week, weekofyear", "year", "yearweek"} {
		first, _, _ := strings.Cut(name, ", ")
		f, _ := calendar.ParseField(first)
		out = append(out, function{name: name, args: "x", about: "the field " + f.String() + ", without a fraction", least: 1, most: 1, bind: bindWhole(f)})
	}
	return out
}
