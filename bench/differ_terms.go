package main

import (
	"fmt"
	"slices"
	"strings"
)

// term is an expression: a form whose %s are its operands.
type term struct {
	kind    kind
	form    string
	args    []*term
	inexact bool // a float that engines may round differently
}

// String is the term's SQL.
func (t *term) String() string {
	texts := make([]any, len(t.args))
	for i, a := range t.args {
		texts[i] = a.String()
	}
	if len(texts) == 0 {
		return t.form
	}
	return fmt.Sprintf(t.form, texts...)
}

// production is a form of expressions. Those that colagg does not take are
// found out by a probe and left out.
type production struct {
	out     kind
	form    string
	ins     []kind
	inexact bool
}

// String is the production's name in reports.
func (p production) String() string {
	names := make([]any, len(p.ins))
	for i, k := range p.ins {
		names[i] = string(k)
	}
	return fmt.Sprintf(p.form, names...)
}

// parseProductions reads lines "out: form ; form" with the kinds of operands
// in braces, such as "int: ({int} + {int})", or the number of an operand that comes again. A ~ before a form says that its result is inexact.
func parseProductions(text string) (list []production) {
	for line := range strings.Lines(text) {
		out, forms, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		for form := range strings.SplitSeq(forms, " ; ") {
			p := production{out: kind(out)}
			form, p.inexact = strings.CutPrefix(form, "~")
			parts := strings.Split(strings.ReplaceAll(form, "%", "%%"), "{")
			p.form = parts[0]
			for _, part := range parts[1:] {
				in, rest, _ := strings.Cut(part, "}")
				if in >= "1" && in <= "9" { // an operand once more
					p.form += "%[" + in + "]s" + rest
					continue
				}
				p.ins = append(p.ins, kind(in))
				p.form += "%s" + rest
			}
			if len(p.ins) == 0 {
				p.form = strings.ReplaceAll(p.form, "%%", "%")
			}
			list = append(list, p)
		}
	}
	return list
}

// sorts are names in forms that stand for each of several kinds; each occurrence
// in one form is the same kind.
var sorts = []struct {
	name  kind
	kinds []kind
}{
	{"any", []kind{kInt, kBig, kDec, kWide, kFloat, kWild, kSmall, kText, kBlob, kBool, kDate, kTime, kStamp, kNano, kZoned}},
	{"moment", []kind{kDate, kStamp}},
}

// spread makes productions of one with a sort: one for each kind.
func spread(list []production) []production {
	for _, sort := range sorts {
		var out []production
		for _, p := range list {
			if p.out != sort.name && !slices.Contains(p.ins, sort.name) {
				out = append(out, p)
				continue
			}
			for _, k := range sort.kinds {
				q := p
				q.ins = slices.Clone(p.ins)
				for i, in := range q.ins {
					if in == sort.name {
						q.ins[i] = k
					}
				}
				if q.out == sort.name {
					q.out = k
				}
				out = append(out, q)
			}
		}
		list = out
	}
	return list
}

// scalarForms are the forms of expressions of rows.
const scalarForms = `
int: ({int} + {int}) ; ({int} - {int}) ; ({int} * {int}) ; (- {int}) ; ({int} / nullif({int}, 0)) ; ({int} % nullif({int}, 0)) ; ({int} / 7) ; ({int} % 5) ; ({int} / -3) ; ({int} % -4)
int: abs({int}) ; length({text}) ; char_length({text}) ; octet_length({blob}) ; strpos({text}, {text}) ; position('a' IN {text}) ; ascii({text}) ; sign({int}) ; ({date} - {date})
int: year({moment}) ; month({moment}) ; day({moment}) ; quarter({moment}) ; week({moment}) ; isodow({moment}) ; dayofweek({moment}) ; dayofyear({moment}) ; isoyear({moment}) ; hour({stamp}) ; minute({stamp}) ; second({stamp}) ; decade({moment}) ; century({moment}) ; millennium({moment})
int: EXTRACT(year FROM {moment}) ; EXTRACT(dow FROM {moment}) ; EXTRACT(doy FROM {moment}) ; EXTRACT(quarter FROM {moment}) ; EXTRACT(hour FROM {stamp}) ; date_part('month', {moment}) ; epoch_ms({stamp}) ; epoch_us({stamp})
int: date_diff('day', {date}, {date}) ; date_diff('month', {stamp}, {stamp}) ; date_diff('hour', {stamp}, {stamp}) ; date_diff('year', {date}, {date}) ; CAST({bool} AS INTEGER) ; CAST({int} AS BIGINT) ; CAST({int} AS INTEGER) ; CAST({dec} AS BIGINT) ; CAST({float} AS INTEGER) ; {int}::BIGINT
int: ({int} & 15) ; ({int} | 3) ; bit_count(CAST({int} AS BIGINT)) ; greatest({int}, {int}) ; least({int}, {int}) ; (CASE WHEN {bool} THEN 1 WHEN {bool} THEN 2 ELSE 0 END) ; gcd({int}, {int}) ; try_cast(regexp_replace({text}, '[^0-9]', '', 'g') AS INTEGER) ; CAST('12' AS INTEGER)
any: coalesce({any}, {any}) ; nullif({any}, {any}) ; (CASE WHEN {bool} THEN {any} ELSE {any} END) ; (CASE WHEN {bool} THEN {any} END) ; (CASE {any} WHEN {any} THEN {any} ELSE {any} END) ; greatest({any}, {any}) ; least({any}, {any}, {any}) ; if({bool}, {any}, {any}) ; ifnull({any}, {any})
dec: ({dec} + {dec}) ; ({dec} - {dec}) ; ({dec} * 1.5) ; (- {dec}) ; ({dec} + {int}) ; ({int} * 0.25) ; abs({dec}) ; round({dec}, 1) ; CAST({dec} AS DECIMAL(12,2)) ; CAST({int} AS DECIMAL(12,3)) ; round({dec}) ; floor({dec}) ; ceil({dec}) ; trunc({dec}) ; sign({dec}) ; ({dec} % 3.5)
float: ({float} + {float}) ; ({float} - {float}) ; ({float} * {float}) ; (- {float}) ; ({float} + {int}) ; ({float} * {dec}) ; abs({float}) ; floor({float}) ; ceil({float}) ; trunc({float}) ; CAST({int} AS DOUBLE) ; CAST({dec} AS DOUBLE) ; ({float} / 4.0e0) ; sqrt(abs({float})) ; {float}::DOUBLE ; ~({dec} / 3.0) ; ~({float} / 3) ; ~ln(abs({float}) + 1) ; ~exp({float} / 1000) ; ~power({float}, 2) ; ~sin({float}) ; ~cbrt({float}) ; ~log10(abs({float}) + 1.5e0) ; ~atan2({float}, 3.0e0) ; ~degrees({float}) ; ~pi() ; sign({float})
float: ({float} % 3.0e0) ; ~epoch({stamp})
wild: (- {wild}) ; abs({wild}) ; CAST({float4} AS DOUBLE) ; greatest({wild}, {float})
text: upper({text}) ; lower({text}) ; ({text} || {text}) ; concat({text}, {text}) ; substring({text}, 2, 3) ; substr({text}, abs({int}) + 1) ; substring({text} FROM 2 FOR 2) ; left({text}, 3) ; right({text}, 2) ; left({text}, -1) ; trim({text}) ; ltrim({text}) ; rtrim({text}) ; trim(BOTH 'a' FROM {text}) ; replace({text}, 'a', 'xy') ; reverse({text}) ; repeat({text}, 2) ; lpad({text}, 5, '*') ; rpad({text}, 4, 'ab') ; split_part({text}, 'a', 1) ; CAST({int} AS VARCHAR) ; CAST({dec} AS VARCHAR) ; CAST({date} AS VARCHAR) ; CAST({bool} AS VARCHAR) ; CAST({stamp} AS VARCHAR) ; concat_ws('-', {text}, {text}) ; regexp_replace({text}, '[0-9]+', '#') ; chr(65) ; translate({text}, 'ab', 'xy') ; md5({text}) ; strftime({stamp}, '%Y-%m') ; CAST({big} AS VARCHAR) ; regexp_extract({text}, '([a-z])([0-9])', 2)
bool: ({any} = {any}) ; ({any} <> {any}) ; ({any} < {any}) ; ({any} <= {any}) ; ({any} > {any}) ; ({any} >= {any}) ; ({any} IS NULL) ; ({any} IS NOT NULL) ; ({any} IS DISTINCT FROM {any}) ; ({any} IS NOT DISTINCT FROM {any}) ; ({any} BETWEEN {any} AND {any}) ; ({any} NOT BETWEEN {any} AND {any}) ; ({any} IN ({any}, {any}, {any})) ; ({any} NOT IN ({any}, {any})) ; ({any} IN ({any}, NULL))
bool: ({bool} AND {bool}) ; ({bool} OR {bool}) ; (NOT {bool}) ; ({bool} AND {bool}) ; ({bool} OR {bool}) ; ({bool} IS TRUE) ; ({bool} IS NOT FALSE) ; ({bool} IS NOT TRUE) ; ({bool} IS FALSE)
bool: ({int} < {dec}) ; ({dec} >= {int}) ; ({float} > {dec}) ; ({int} = {float}) ; ({big} <> {int}) ; ({big} < {dec}) ; ({big} > {big}) ; ({float} <= {big}) ; ({wild} < {int}) ; ({int} IN (1, 2.5, 3)) ; ({date} < {stamp}) ; ({date} = '2024-03-01') ; ({stamp} >= '2024-06-01') ; ({nano} < TIMESTAMP '2024-05-01 00:00:00.5') ; (date_trunc('day', {nano}) = TIMESTAMP '2024-05-01 00:00:00') ; ({stamp} < DATE '2024-02-01') ; ({stamp} - {stamp} > INTERVAL '30 days') ; ({zoned} > TIMESTAMPTZ '2024-05-01 00:00:00+02')
bool: ({text} LIKE 'k%') ; ({text} LIKE '%a%') ; ({text} LIKE '_b') ; ({text} NOT LIKE 'a%b') ; ({text} ILIKE 'Z%') ; ({text} LIKE '%') ; ({text} LIKE '') ; starts_with({text}, 'k') ; contains({text}, 'a') ; ({text} LIKE '%1%2%') ; ({text} ILIKE '%ÜR%') ; regexp_matches({text}, '^k[0-9]+$') ; ends_with({text}, '1') ; ({text} SIMILAR TO 'k(0|1)%') ; CAST({int} AS BOOLEAN) ; isnan({wild}) ; isfinite({wild}) ; isinf({wild}) ; ({text} LIKE 'a!_b' ESCAPE '!') ; (xor({int}, 1) = 3)
date: ({date} + 3) ; ({date} - 4) ; ({date} + CAST({int} AS INTEGER)) ; last_day({date}) ; CAST({stamp} AS DATE) ; make_date(2024, 1, 5) ; CAST('2024-02-03' AS DATE) ; (5 + {date})
stamp: date_trunc('month', {stamp}) ; date_trunc('hour', {stamp}) ; date_trunc('week', {date}) ; date_trunc('quarter', {stamp}) ; date_trunc('year', {moment}) ; ({stamp} + INTERVAL '1 day') ; ({stamp} - INTERVAL '1 month') ; ({date} + INTERVAL '36 hours') ; ({date} - INTERVAL '1 year') ; time_bucket(INTERVAL '1 hour', {stamp}) ; time_bucket(INTERVAL '2 months', {stamp}) ; CAST({date} AS TIMESTAMP) ; date_add({stamp}, INTERVAL '90 minutes') ; ({stamp} + {span}) ; ({zoned} AT TIME ZONE 'Europe/Berlin') ; make_timestamp(2024, 2, 3, 4, 5, 6.5)
zoned: ({stamp} AT TIME ZONE 'America/New_York') ; date_trunc('day', {zoned}) ; ({zoned} + INTERVAL '1 hour') ; to_timestamp({int})
span: INTERVAL '1 day' ; INTERVAL '2 months' ; INTERVAL 3 HOUR ; INTERVAL '-1 day 05:00' ; ({stamp} - {stamp}) ; age({stamp}, {stamp}) ; (INTERVAL '1 day' * 3) ; (- INTERVAL '1 month')
`

// aggregateForms are calls of aggregates. Of those behind "ordered" the order of
// rows shows.
const aggregateForms = `
int: count(*) ; count({any}) ; count(DISTINCT {any}) ; sum({int}) ; sum(DISTINCT {int}) ; count({bool}) ; count(*) FILTER (WHERE {bool}) ; sum({int}) FILTER (WHERE {bool}) ; count(DISTINCT {int}) FILTER (WHERE {bool}) ; bit_and({int}) ; bit_or({int}) ; bit_xor({int}) ; sum({bool}) ; count()
any: min({any}) ; max({any}) ; min({any}) FILTER (WHERE {bool}) ; quantile_disc({any}, 0.25) ; max(DISTINCT {any}) ; first({any} ORDER BY {1} DESC) ; last({any} ORDER BY {1} NULLS FIRST)
total: sum({dec}) ; sum(DISTINCT {dec}) ; sum({dec}) FILTER (WHERE {bool}) ; sum({wide})
float: ~avg({int}) ; ~avg({dec}) ; ~avg({float}) ; ~sum({float}) ; ~sum(DISTINCT {float}) ; ~stddev({int}) ; ~stddev_pop({float}) ; ~var_samp({dec}) ; ~var_pop({int}) ; ~median({int}) ; ~median({float}) ; ~quantile_cont({float}, 0.3) ; ~avg(DISTINCT {int}) ; ~entropy({int}) ; ~entropy({text}) ; ~avg({float}) FILTER (WHERE {bool}) ; ~covar_pop({float}, {int}) ; ~covar_samp({float}, {float}) ; ~regr_count({int}, {float}) ; ~sem({int}) ; ~geomean(abs({int}) + 1)
bool: bool_and({bool}) ; bool_or({bool}) ; bool_and({bool}) FILTER (WHERE {bool})
text: string_agg({text}, '; ' ORDER BY {1}) ; string_agg(DISTINCT {text}, ',' ORDER BY {1}) ; string_agg({text}, '' ORDER BY {1} DESC) FILTER (WHERE {bool})
list: array_agg({any} ORDER BY {1}) ; list(DISTINCT {int} ORDER BY {1}) ; min({int}, 3) ; max({text}, 2) ; array_agg({int} ORDER BY {1} DESC) FILTER (WHERE {bool})
`

// orderedForms are aggregates that see the order of rows.
const orderedForms = `
any: first({any}) ; last({any}) ; any_value({any}) ; min_by({any}, {int}) ; max_by({any}, {date})
text: string_agg({text}, '|') ; group_concat({text})
list: array_agg({any}) ; list({int})
`
