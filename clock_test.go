package colagg_test

import (
	"testing"
	"time"

	"github.com/colagg/colagg"
)

// TestClock holds that a query has one time, and which.
func TestClock(t *testing.T) {
	e := newEngine(t, colagg.Options{Workers: 2})
	before, after := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	for where, want := range map[string]string{
		`now() - now() = '0' and current_timestamp = NOW() and transaction_timestamp() = now() and now() at time zone 'UTC' = localtimestamp`: "60",
		`localtimestamp >= current_date and current_date = today() and localtimestamp = current_date + localtime`:                             "60",
		`age(date '2000-01-01') > interval '20 years' and age(current_date) = '0'`:                                                            "60",
		`now() > timestamptz '` + before + `' and now() < timestamptz '` + after + `'`:                                                        "60",
		`now() < timestamptz '` + before + `'`:                                                                                                "0",
	} {
		res, err := e.SQL(t.Context(), `SELECT count(*) FROM 'testdata/sql/orders.parquet' WHERE `+where)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		rows, err := rowsOf(res)
		if err != nil {
			t.Fatal(err)
		}
		wantRows(t, rows, want)
	}
	_, err := e.SQL(t.Context(), `SELECT count(*) FROM 'testdata/sql/orders.parquet' WHERE "now" = 1`)
	wantError(t, err, colagg.BadQuery, "there is no column")
}
