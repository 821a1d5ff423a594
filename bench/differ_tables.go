package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/colagg/colagg"
)

// kind is what the generator knows of a term's type: terms of one kind may stand
// for each other.
type kind string

// The kinds. Arithmetic is generated of those that do not overflow at once.
const (
	kInt   kind = "int"    // small integers of all widths
	kBig   kind = "big"    // integers with the extremes of their type
	kDec   kind = "dec"    // decimals of few digits
	kWide  kind = "wide"   // decimals of many digits
	kTotal kind = "total"  // decimals of 38 digits, which DuckDB cuts when another scale comes beside them
	kFloat kind = "float"  // float64 whose sums are exact
	kWild  kind = "wild"   // float64 with NaN, infinities, -0 and extremes
	kSmall kind = "float4" // float32
	kText  kind = "text"
	kBlob  kind = "blob"
	kBool  kind = "bool"
	kDate  kind = "date"
	kTime  kind = "time"
	kStamp kind = "stamp" // timestamps without a zone in milliseconds and microseconds
	kNano  kind = "nano"  // in nanoseconds, with which DuckDB's functions do little
	kZoned kind = "zoned"
	kSpan  kind = "span" // intervals
	kList  kind = "list" // results only
)

// column is a column of a generated table, or of a sub-select.
type column struct {
	name string
	kind kind
	typ  string // in DuckDB's SQL; empty of a sub-select
	from []string
}

// several makes n values.
func several(n int, fn func() string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fn()
	}
	return out
}

// columnTypes are all columns that a table may have, with values to choose from.
func columnTypes(r *rand.Rand) []column {
	n := []int{1, 3, 20, 400}[r.IntN(4)]
	small := func(bound int64) []string {
		return several(n, func() string { return fmt.Sprint(r.Int64N(2*bound+1) - bound) })
	}
	decimals := func(bound int64, scale int) []string {
		return several(n, func() string {
			v := r.Int64N(2*bound+1) - bound
			sign := ""
			if v < 0 {
				sign, v = "-", -v
			}
			text := fmt.Sprintf("%0*d", scale+1, v)
			return sign + text[:len(text)-scale] + "." + text[len(text)-scale:]
		})
	}
	quarters := several(n, func() string { return fmt.Sprint(float64(r.IntN(8001)-4000) / 4) })
	return []column{
		{"i8", kInt, "TINYINT", small(100)}, {"i16", kInt, "SMALLINT", small(1000)}, {"i32", kInt, "INTEGER", small(1000)}, {"i64", kInt, "BIGINT", small(1000)},
		{"b8", kBig, "TINYINT", []string{"-128", "127", "0", "-1"}}, {"b16", kBig, "SMALLINT", []string{"-32768", "32767", "0", "7"}},
		{"b32", kBig, "INTEGER", []string{"-2147483648", "2147483647", "0", "1"}},
		{"b64", kBig, "BIGINT", []string{"-9223372036854775808", "9223372036854775807", "9007199254740993", "0", "1"}},
		{"u8", kBig, "UTINYINT", []string{"0", "255", "128"}}, {"u16", kBig, "USMALLINT", []string{"0", "65535", "3"}},
		{"u32", kBig, "UINTEGER", []string{"0", "4294967295", "2147483648"}},
		{"u64", kBig, "UBIGINT", []string{"0", "18446744073709551615", "9223372036854775808", "5"}},
		{"d4", kDec, "DECIMAL(4,1)", decimals(9999, 1)}, {"d9", kDec, "DECIMAL(9,2)", decimals(99999, 2)}, {"d18", kDec, "DECIMAL(18,4)", decimals(9999999, 4)},
		{"d38", kWide, "DECIMAL(38,10)", []string{"9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999", "0.0000000001", "0", "1.5"}},
		{"f64", kFloat, "DOUBLE", quarters},
		{"w64", kWild, "DOUBLE", []string{"NaN", "inf", "-inf", "-0.0", "0.0", "1.7976931348623157e308", "-1e308", "5e-324", "0.1", "0.3333333333333333"}},
		{"f32", kSmall, "FLOAT", []string{"NaN", "inf", "-inf", "-0.0", "0", "3.4028235e38", "0.1", "-2.5", "1e-45"}},
		{"t", kText, "VARCHAR", texts(r, n)}, {"t2", kText, "VARCHAR", texts(r, n)},
		{"raw", kBlob, "BLOB", []string{"", `\x00`, `\xff\x00a`, "abc", "ab"}},
		{"flag", kBool, "BOOLEAN", []string{"true", "false"}},
		{"day", kDate, "DATE", days(r, n)}, {"day2", kDate, "DATE", days(r, n)},
		{"clock", kTime, "TIME", []string{"00:00:00", "23:59:59.999999", "12:30:00", "08:15:00.5"}},
		{"ts", kStamp, "TIMESTAMP", stamps(r, n, 6)}, {"ts_ms", kStamp, "TIMESTAMP_MS", stamps(r, n, 3)}, {"ts_ns", kNano, "TIMESTAMP_NS", stamps(r, n, 9)},
		{"tz", kZoned, "TIMESTAMPTZ", stamps(r, n, 6)},
	}
}

// texts are texts of all sorts.
func texts(r *rand.Rand, n int) []string {
	special := []string{"", " ", "a", "A", "ab", "AB", "Zürich", "zürich", "日本語", "🙂 ok", "a%b", "a_b", `back\slash`, "it's", "x,y", "0", "-12", "007", "3.5", "NULL", "true",
		strings.Repeat("long ", 60), "trailing  ", "  leading", "two\nlines", "é", "é"}
	return several(n, func() string {
		if r.IntN(2) == 0 {
			return special[r.IntN(len(special))]
		}
		return fmt.Sprintf("k%0*d", 1+r.IntN(16), r.IntN(50))
	})
}

// days are dates, most of them near each other.
func days(r *rand.Rand, n int) []string {
	special := []string{"1970-01-01", "1969-12-31", "2000-02-29", "1900-03-01", "0100-01-01", "9999-12-31", "2024-12-30", "2023-01-01"}
	return several(n, func() string {
		if r.IntN(4) == 0 {
			return special[r.IntN(len(special))]
		}
		return fmt.Sprintf("2024-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28))
	})
}

// stamps are timestamps with a fraction of up to so many digits; those of nine
// are of the years that fit.
func stamps(r *rand.Rand, n, digits int) []string {
	special := []string{"1970-01-01 00:00:00", "1969-12-31 23:59:59.5", "1900-03-01 12:00:00", "2000-02-29 23:59:59.999", "2024-03-31 02:30:00", "2024-10-27 02:30:00"}
	if digits < 9 {
		special = append(special, "0100-01-01 00:00:00", "9999-12-31 23:59:59.999")
	}
	return several(n, func() string {
		switch r.IntN(4) {
		case 0:
			return special[r.IntN(len(special))]
		case 1:
			return fmt.Sprintf("2024-%02d-01 00:00:00", 1+r.IntN(12))
		}
		fraction := fmt.Sprintf("%09d", r.IntN(1e9))[:digits]
		return fmt.Sprintf("2024-%02d-%02d %02d:%02d:%02d.%s", 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), fraction)
	})
}

// table is a generated table: one or several files of the same columns.
type table struct {
	from string // as it stands behind FROM
	cols []column
}

// makeTables writes tables into dir.
func (d *differ) makeTables(ctx context.Context, r *rand.Rand, dir string) (out []table, err error) {
	for i := range 3 {
		t, err := d.makeTable(ctx, r, dir, i)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// makeTable makes a table with all columns in some, and half of them in others.
func (d *differ) makeTable(ctx context.Context, r *rand.Rand, dir string, number int) (t table, err error) {
	for _, c := range columnTypes(r) {
		if number == 0 || r.IntN(3) > 0 || c.name == "i64" {
			t.cols = append(t.cols, c)
		}
	}
	var ddl []string
	for _, c := range t.cols {
		ddl = append(ddl, c.name+" "+c.typ)
	}
	if err := d.duckExec(ctx, fmt.Sprintf("CREATE OR REPLACE TABLE made (%s)", strings.Join(ddl, ", "))); err != nil {
		return t, err
	}
	rows := []int{0, 1, 7, 60, 300, 300, 300, 2500, 2500, 6000}[r.IntN(10)]
	if number == 0 {
		rows = 40 + r.IntN(100)
	}
	if err := d.duckExec(ctx, insertRows(r, t.cols, rows)...); err != nil {
		return t, err
	}
	names := []string{filepath.Join(dir, fmt.Sprintf("t%d.parquet", number))}
	if r.IntN(4) == 0 {
		names = append(names, filepath.Join(dir, fmt.Sprintf("t%d_more.parquet", number)))
	}
	for i, name := range names {
		if err := d.writeTable(ctx, r, name, i, len(names)); err != nil {
			return t, err
		}
		names[i] = quote(name)
	}
	t.from = names[0]
	if len(names) > 1 {
		t.from = "read_parquet([" + strings.Join(names, ", ") + "])"
	}
	return t, nil
}

// insertRows fills the table that has been made.
func insertRows(r *rand.Rand, cols []column, rows int) (out []string) {
	nulls := make([]float64, len(cols))
	for i := range nulls {
		nulls[i] = []float64{0, 0, 0.1, 0.5, 0.95}[r.IntN(5)]
		if r.IntN(30) == 0 {
			nulls[i] = 1
		}
	}
	for done := 0; done < rows; done += 500 {
		var text strings.Builder
		text.WriteString("INSERT INTO made VALUES ")
		for row := done; row < min(done+500, rows); row++ {
			if row > done {
				text.WriteString(", ")
			}
			for i, c := range cols {
				text.WriteString([]string{"(", ", "}[min(i, 1)])
				if r.Float64() < nulls[i] {
					text.WriteString("NULL")
				} else {
					text.WriteString(quote(c.from[r.IntN(len(c.from))]))
				}
			}
			text.WriteString(")")
		}
		out = append(out, text.String())
	}
	return out
}

// writeTable writes a part of the table as a Parquet file, by DuckDB or by
// colagg, which then reads what DuckDB has written.
func (d *differ) writeTable(ctx context.Context, r *rand.Rand, name string, part, parts int) error {
	order := ""
	if r.IntN(2) == 0 {
		order = " ORDER BY i64"
	}
	options := fmt.Sprintf("FORMAT parquet, ROW_GROUP_SIZE %d, COMPRESSION %s, PARQUET_VERSION %s, DICTIONARY_SIZE_LIMIT %d",
		[]int{2048, 4096, 100000}[r.IntN(3)], []string{"snappy", "zstd", "uncompressed", "gzip", "lz4_raw", "brotli"}[r.IntN(6)],
		[]string{"V1", "V2"}[r.IntN(2)], []int{1, 50, 100000}[r.IntN(3)])
	rows := fmt.Sprintf("SELECT * EXCLUDE number FROM (SELECT *, row_number() OVER () AS number FROM made) WHERE number %% %d = %d%s", parts, part, order)
	if err := d.duckExec(ctx, fmt.Sprintf("COPY (%s) TO %s (%s)", rows, quote(name), options)); err != nil || r.IntN(3) > 0 {
		return err
	}
	return rewrite(ctx, name)
}

// rewrite lets colagg read a file and write it anew, with small row groups.
func rewrite(ctx context.Context, name string) error {
	eng, err := colagg.New(colagg.Options{MemoryLimit: 8 << 20})
	if err != nil {
		return err
	}
	defer eng.Close()
	res, err := eng.Query(ctx, colagg.Query{From: colagg.Files(name), Select: []string{"*"}})
	if err != nil {
		return err
	}
	defer res.Release()
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	if err := res.WriteParquet(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
