package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/colagg/colagg"
)

// setting is how colagg runs a query.
type setting struct {
	colagg.Options
	strategy string
}

// plain is one worker and enough memory.
var plain = setting{colagg.Options{Workers: 1}, "serial"}

// String is the setting as flags are.
func (s setting) String() string {
	return fmt.Sprintf("%d workers, strategy %q, batches of %d rows, memory limit %d", s.Workers, s.strategy, s.BatchRows, s.MemoryLimit)
}

// randomSetting draws one.
func randomSetting(r *rand.Rand) setting {
	s := setting{strategy: draw(r, append(colagg.Strategies(), "auto", "auto"))}
	s.Workers = draw(r, []int{1, 2, 4})
	s.BatchRows = draw(r, []int{3, 100, 1000, 0, 0})
	s.MemoryLimit = draw(r, []int64{0, 0, 0, 256 << 10, 2 << 20})
	return s
}

// differ runs statements in both engines.
type differ struct {
	db   *sql.DB
	conn *sql.Conn
}

// newDiffer opens DuckDB with what it can do to mean what colagg means.
func newDiffer(ctx context.Context) (*differ, error) {
	d := &differ{}
	var err error
	if d.db, err = sql.Open("duckdb", ""); err != nil {
		return nil, err
	}
	if d.conn, err = d.db.Conn(ctx); err != nil {
		return nil, err
	}
	return d, d.duckExec(ctx, "SET threads = 1", "SET integer_division = true", "SET default_null_order = 'nulls_last_on_asc_first_on_desc'", "SET TimeZone = 'UTC'")
}

func (d *differ) close() { d.conn.Close(); d.db.Close() }

func (d *differ) duckExec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := d.conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("DuckDB: %.300s: %w", s, err)
		}
	}
	return nil
}

// duck asks DuckDB.
func (d *differ) duck(ctx context.Context, text string) (a response) {
	rows, err := d.conn.QueryContext(ctx, text)
	if err != nil {
		return response{err: err}
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return response{err: err}
	}
	values, into := make([]any, len(types)), make([]any, len(types))
	for i := range into {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return response{err: err}
		}
		var row []datum
		for i, v := range values {
			row = append(row, fromDuck(v, types[i].DatabaseTypeName()))
		}
		a.rows = append(a.rows, row)
	}
	a.err = rows.Err()
	return a
}

// errPanic is what a panic becomes here.
var errPanic = errors.New("panic")

// colagg asks colagg.
func (d *differ) colagg(ctx context.Context, text string, how setting) (a response) {
	defer func() {
		if p := recover(); p != nil {
			a = response{err: fmt.Errorf("%w: %v", errPanic, p)}
		}
	}()
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	eng, err := colagg.New(how.Options)
	if err != nil {
		return response{err: err}
	}
	defer eng.Close()
	res, err := eng.Query(ctx, colagg.Query{SQL: text, Strategy: how.strategy})
	if err != nil {
		return response{err: err}
	}
	defer res.Release()
	for rec, err := range res.Batches() {
		if err != nil {
			return response{err: err}
		}
		for i := range int(rec.NumRows()) {
			row := make([]datum, rec.NumCols())
			for c := range row {
				row[c] = fromArrow(rec.Column(c), i)
			}
			a.rows = append(a.rows, row)
		}
	}
	return a
}

var arithmeticErrors = regexp.MustCompile(`(?i)overflow|out of range|division by zero|does not fit|conversion error|not fit`)

// arithmetic reports whether an error is one of computing, not of the statement.
func arithmetic(err error) bool {
	return !errors.Is(err, errPanic) && arithmeticErrors.MatchString(err.Error())
}

// explanation is a difference that is meant: one engine refuses what the other
// computes.
type explanation struct {
	reason       string
	duck, colagg string // what the engines' errors match; empty is no error
}

// explanations are all. Each has its reason.
var explanations = []explanation{
	{"DuckDB computes integers in the width of the operands, colagg in 64 bits", `Overflow in .* of (U?INT(8|16|32))|Overflow .*(TINYINT|SMALLINT|INTEGER)`, ""},
	{"division by zero is an error, as in PostgreSQL; DuckDB gives NULL or an infinity", "", `division by zero`},
	{"DuckDB's decimals must fit the width that it has chosen by their types, and its sums of them 128 bits on the way; colagg's must fit 38 digits in the end", `(Could not|Failed to) cast.* DECIMAL|[Oo]verflow in .*DECIMAL|scale out of range|Overflow in HUGEINT`, ""},
	{"DuckDB converts timestamps to the finer unit, and fails where that has not the range; colagg compares them as they are", `Could not convert Timestamp|Timestamp.* out of range`, ""},
	{"sums of integers that do not fit 64 bits are errors; DuckDB gives 128 bits", "", `sum.*(does not fit|beyond)`},
	{"DuckDB cannot choose among functions for NULL", `Could not choose a best candidate function.*NULL`, ""},
	{"timestamps in nanoseconds beside coarser ones become microseconds, which have all years; one with more digits is an error", "", `does not fit timestamp\[us`},
}

// reasonFor returns the reason of a difference, "" if there is none.
func reasonFor(want, got response) string {
	match := func(pattern string, err error) bool {
		if pattern == "" || err == nil {
			return pattern == "" && err == nil
		}
		ok, _ := regexp.MatchString(pattern, strings.ReplaceAll(err.Error(), "\n", " "))
		return ok
	}
	for _, e := range explanations {
		if match(e.duck, want.err) && match(e.colagg, got.err) {
			return e.reason
		}
	}
	return ""
}
