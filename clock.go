package colagg

import (
	"strings"
	"time"

	"github.com/colagg/colagg/internal/sql"
)

// clock is when a query began, which is its time wherever it asks for that.
type clock time.Time

// newClock reads the time in UTC, in microseconds as PostgreSQL's is.
func newClock() clock { return clock(time.Now().UTC().Truncate(time.Microsecond)) }

// clockWords are the functions of the current time; those that may do without
// parentheses are true.
var clockWords = map[string]struct {
	op   sql.Op
	bare bool
}{
	"now": {sql.InstantOp, false}, "transaction_timestamp": {sql.InstantOp, false}, "get_current_timestamp": {sql.InstantOp, false}, "current_timestamp": {sql.InstantOp, true},
	"localtimestamp": {sql.TimestampOp, true}, "current_date": {sql.DateOp, true}, "today": {sql.DateOp, false}, "localtime": {sql.TimeOp, true},
}

// literal returns the literal that e stands for at the time of the query, or e
// itself; a column of the name comes before.
func (c clock) literal(e *sql.Expr) *sql.Expr {
	switch {
	case e.Op == sql.CallOp && strings.EqualFold(e.Call.Func.Text, "age") && len(e.Args) == 1:
		out := *e
		out.Args = []*sql.Expr{c.now(e, sql.DateOp), e.Args[0]}
		return &out
	case e.Op == sql.CallOp && len(e.Args) == 0 && !e.Call.Star:
		if w, ok := clockWords[strings.ToLower(e.Call.Func.Text)]; ok {
			return c.now(e, w.op)
		}
	case e.Op == sql.ColumnOp && len(e.Column.Parts) == 1 && !e.Column.Parts[0].Quoted:
		if w := clockWords[strings.ToLower(e.Column.Parts[0].Text)]; w.bare {
			return c.now(e, w.op)
		}
	}
	return e
}

// now is the time as a literal that stands where e does.
func (c clock) now(e *sql.Expr, op sql.Op) *sql.Expr {
	layout := map[sql.Op]string{sql.InstantOp: "2006-01-02 15:04:05.999999Z", sql.TimestampOp: "2006-01-02 15:04:05.999999", sql.DateOp: time.DateOnly, sql.TimeOp: "15:04:05.999999"}[op]
	return &sql.Expr{Op: op, Text: time.Time(c).Format(layout), At: e.At, Span: e.Span}
}
