package main

import "strings"

// agg is one aggregate of a question: fn is count, sum, avg, min or max, and
// col its column ("" for count(*)).
type agg struct {
	Fn  string `json:"fn"`
	Col string `json:"col"`
	As  string `json:"as"`
}

// call is the aggregate as SQL and colagg both spell it.
func (a agg) call() string {
	if a.Col == "" {
		return a.Fn + "(*)"
	}
	return a.Fn + "(" + a.Col + ")"
}

// question is one GROUP BY over one data set.
type question struct {
	name string
	data string // name of the data set
	keys []string
	aggs []agg
}

// sql is the question over a table expression.
func (q question) sql(from string) string {
	list := append([]string{}, q.keys...)
	for _, a := range q.aggs {
		list = append(list, a.call()+" AS "+a.As)
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + from + " GROUP BY " + strings.Join(q.keys, ", ")
}

// columns are the columns that the question reads, each once.
func (q question) columns() []string {
	var out []string
	seen := map[string]bool{"": true}
	add := func(c string) {
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	for _, k := range q.keys {
		add(k)
	}
	for _, a := range q.aggs {
		add(a.Col)
	}
	return out
}

// ask makes a question from lists separated by spaces; an aggregate is
// fn:column, or count.
func ask(name, data, keys, aggs string) question {
	q := question{name: name, data: data, keys: strings.Fields(keys)}
	for _, s := range strings.Fields(aggs) {
		fn, col, _ := strings.Cut(s, ":")
		as := fn + "_" + col
		if col == "" {
			as = "n"
		}
		q.aggs = append(q.aggs, agg{Fn: fn, Col: col, As: as})
	}
	return q
}

// questions returns all of them. The h2o ones keep their numbers in the
// db-benchmark; q7 leaves out the subtraction of its two aggregates.
func questions() []question {
	list := []question{
		ask("h2o-q1", "h2o", "id1", "sum:v1"),
		ask("h2o-q2", "h2o", "id1 id2", "sum:v1"),
		ask("h2o-q3", "h2o", "id3", "sum:v1 avg:v3"),
		ask("h2o-q4", "h2o", "id4", "avg:v1 avg:v2 avg:v3"),
		ask("h2o-q5", "h2o", "id6", "sum:v1 sum:v2 sum:v3"),
		ask("h2o-q7", "h2o", "id3", "max:v1 min:v2"),
		ask("h2o-q10", "h2o", "id1 id2 id3 id4 id5 id6", "sum:v3 count"),
	}
	for _, d := range []string{"uniform", "heavy02", "heavy05", "heavy10", "heavy20", "heavy50", "heavy95", "80-20", "zipf", "sparse"} {
		list = append(list, ask("skew-"+d, d, "k", "sum:v count"))
	}
	return append(list,
		ask("groups100", "groups100", "k", "sum:v count"),
		ask("groups5m", "groups5m", "k", "sum:v count"),
		ask("lineitem-flags", "lineitem", "l_returnflag l_linestatus",
			"sum:l_quantity sum:l_extendedprice avg:l_quantity avg:l_extendedprice avg:l_discount count"),
		ask("lineitem-order", "lineitem", "l_orderkey", "sum:l_quantity"),
		ask("lineitem-date", "lineitem", "l_shipdate", "count max:l_extendedprice"),
		ask("web-url", "weblog", "url", "count"),
		ask("web-phrase", "weblog", "search_phrase", "count"),
		ask("web-region", "weblog", "region_id", "sum:adv_engine_id count avg:resolution_width"),
		ask("web-user", "weblog", "user_id", "count"),
		ask("web-user-phrase", "weblog", "user_id search_phrase", "count"),
		ask("wide", "wide", "k01 k02 k03 k04 k05 k06 k07 k08 k09 k10 k11 k12 k13",
			"sum:v1 sum:v2 sum:v3 sum:v4 sum:v5 sum:v6 sum:v7"),
	)
}
