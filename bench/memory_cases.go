package main

import "strings"

// memoryCase is one query of `bench memory`, as colagg's flags and as SQL.
type memoryCase struct {
	name  string
	about string
	data  string   // name of the data set
	flags []string // of colagg query
	sql   string   // for DuckDB; FILE stands for the data set. Sums of integers are BIGINT, since HUGEINT would be written as DOUBLE
	// columns of the answer as they are compared: of one type and, where the
	// order within lists does not matter, in one order.
	columns []string
	// position tells that the order of rows is part of the answer; it is the
	// order of the SQL's ORDER BY, which must be total.
	position string
}

// memoryCases returns all of them.
func memoryCases() []memoryCase {
	keys := strings.Split("k01,k02,k03,k04,k05,k06,k07,k08,k09,k10,k11,k12,k13", ",")
	wide := memoryCase{name: "wide", about: "3M rows, 592K groups of 13 text keys, 7 sums of decimals", data: "wide",
		flags: []string{"-g", strings.Join(keys, ",")}, columns: keys}
	list := append([]string{}, keys...)
	for _, v := range strings.Split("v1,v2,v3,v4,v5,v6,v7", ",") {
		wide.flags = append(wide.flags, "-a", "sum("+v+") as s"+v)
		list = append(list, "sum("+v+") AS s"+v)
		wide.columns = append(wide.columns, "s"+v+"::DECIMAL(38,2)")
	}
	wide.sql = "SELECT " + strings.Join(list, ", ") + " FROM FILE GROUP BY " + strings.Join(keys, ", ")
	return []memoryCase{
		{name: "integers", about: "20M rows, 20M groups of an int64 key, sum and count", data: "memory-ids",
			flags:   []string{"-g", "k", "-a", "sum(v) as s, count(*) as n"},
			sql:     "SELECT k, sum(v)::BIGINT AS s, count(*) AS n FROM FILE GROUP BY k",
			columns: []string{"k", "s::BIGINT", "n::BIGINT"}},
		{name: "texts", about: "10M rows, 10M groups of a text key of 61 bytes, sum and count", data: "memory-texts",
			flags:   []string{"-g", "t", "-a", "sum(v) as s, count(*) as n"},
			sql:     "SELECT t, sum(v)::BIGINT AS s, count(*) AS n FROM FILE GROUP BY t",
			columns: []string{"t", "s::BIGINT", "n::BIGINT"}},
		wide,
		{name: "count-distinct", about: "count(distinct) of 20M values in 1M groups", data: "memory-ids",
			flags:   []string{"-g", "g", "-a", "count(distinct k) as n"},
			sql:     "SELECT g, count(DISTINCT k) AS n FROM FILE GROUP BY g",
			columns: []string{"g", "n::BIGINT"}},
		{name: "lists-10m-1", about: "array_agg of 10M rows in 10M groups", data: "memory-texts",
			flags:   []string{"-g", "u", "-a", "array_agg(v) as l"},
			sql:     "SELECT u, array_agg(v) AS l FROM FILE GROUP BY u",
			columns: []string{"u", "list_sort(l)"}},
		{name: "lists-1m-16", about: "array_agg of 16M rows in 1M groups", data: "memory-lists",
			flags:   []string{"-g", "g", "-a", "array_agg(v) as l"},
			sql:     "SELECT g, array_agg(v) AS l FROM FILE GROUP BY g",
			columns: []string{"g", "list_sort(l)"}},
		{name: "distinct", about: "DISTINCT of 20M different rows of two columns", data: "memory-ids",
			flags:   []string{"--select", "k,v", "--distinct"},
			sql:     "SELECT DISTINCT k, v FROM FILE",
			columns: []string{"k", "v"}},
		{name: "order", about: "20M rows of two columns in order", data: "memory-ids",
			flags:   []string{"--select", "k,v", "--order-by", "k"},
			sql:     "SELECT k, v FROM FILE ORDER BY k",
			columns: []string{"k", "v"}, position: "k"},
		{name: "least-texts", about: "min and max of 10M texts in 4.3M groups", data: "memory-texts",
			flags:   []string{"-g", "g", "-a", "min(t) as lo, max(t) as hi"},
			sql:     "SELECT g, min(t) AS lo, max(t) AS hi FROM FILE GROUP BY g",
			columns: []string{"g", "lo", "hi"}},
	}
}

// query is the case's SQL over a file.
func (c memoryCase) query(file string) string {
	return strings.ReplaceAll(c.sql, "FILE", "read_parquet("+quote(file)+")")
}

// expected is the SQL of the fingerprint that an answer should have.
func (c memoryCase) expected(file string) string {
	if c.position == "" {
		return fingerprintSQL(c.columns, "("+c.query(file)+")")
	}
	return fingerprintSQL(append([]string{"file_row_number"}, c.columns...),
		"(SELECT row_number() OVER (ORDER BY "+c.position+") - 1 AS file_row_number, * FROM ("+c.query(file)+"))")
}

// found is the SQL of the fingerprint of an answer's file.
func (c memoryCase) found(file string) string {
	if c.position == "" {
		return fingerprintSQL(c.columns, "read_parquet("+quote(file)+")")
	}
	return fingerprintSQL(append([]string{"file_row_number"}, c.columns...), "read_parquet("+quote(file)+", file_row_number = true)")
}

// fingerprintSQL gives the number of rows, and the sum of their hashes, which
// does not depend on the order of rows.
func fingerprintSQL(columns []string, from string) string {
	return "SELECT count(*), coalesce(sum(hash(" + strings.Join(columns, ", ") + ")::HUGEINT), 0)::VARCHAR FROM " + from
}
