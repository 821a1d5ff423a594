package main

import (
	"github.com/colagg/colagg"
	"github.com/spf13/cobra"
)

// queryFlags are the flags of colagg query.
type queryFlags struct {
	runFlags
	groupBy, aggs []string
	selects       []string
	where, having string
	distinct      bool
	orderBy       []string
	limit, offset int64
}

const queryLong = `Query groups the rows of Parquet files and computes aggregates of each group; or
gives columns of the rows themselves, with --select.

FILE is a file, a directory (all Parquet files below it) or a pattern with *, ?,
[a-z], {this,that} and ** for any depth. Files and directories whose names begin
with a dot or an underscore are skipped unless they are named.

Columns are named as in SQL: without regard to case if that is unambiguous,
"in quotes" exactly; a.b is field b of struct a. Without --group-by all rows are
one group. Without --agg the rows are counted.

--where keeps the rows for which a condition is true: =, <>, <, <=, >, >=, and, or,
not, is null, in (...), between, like, ilike, arithmetic, 'text', 12.5 and
'2024-05-31' as in SQL. It stands before all else: what it leaves out is in no
group and counts for no --limit.

--having does the same with groups: it is about keys and aggregates.

--select gives rows in the order of the files, and with --distinct each
combination of its columns once. Where rows are grouped it gives keys and
aggregates, in any order. Entries, keys and arguments of aggregates may be expressions such
as 'fare * 2'. --order-by orders by columns of the result: by name, by
number from 1, or by something else such as 'sum(fare)'; NULL comes last, or
first with desc, and NaN is above all numbers.

Without --order-by groups are sorted by the keys, NULL last, where there are up to
10,000 that fit in memory; others are in no order, and --limit takes rows as they
come: not those with the largest aggregates.

The format is that of --format, else that of the ending of the output file, such
as .json, .md or .parquet, and csv if the ending tells none. Standard output has
csv, or a table on a terminal. There a table shows 40 rows; elsewhere it has all
of them, and more than 100,000 are refused. The other formats are complete at any
length. NULL is an empty field in csv (the empty
string is "", and in a result of one column NULL is the word), \N in tsv and null
in json, where NaN and infinities are null too. Numbers have all their digits in
every format. Binary values are ASCII with the other bytes as \xFF; fixed-size
ones are hexadecimal.

An output file appears whole or not at all, and replaces one that is there; it
may not be one of the inputs.

--explain shows how the query would be run, from the footers alone. --analyze
runs it and shows what each operator did: rows, bytes, pages, times, the strategy
and its switches, memory. A plan is text, JSON or an HTML page of one file.`

const queryExample = `  colagg query trips.parquet --group-by city
  colagg query trips.parquet --group-by city,day --agg 'count(*), sum(fare) as total, avg(distance)'
  colagg query 'logs/**/*.parquet' --group-by status --format json
  colagg query sales/ --agg 'min(price), max(price)' --group-by '"Product Name"' -o prices.parquet
  colagg query trips.parquet --group-by city --agg 'sum(fare) as total' --order-by 'total desc' --limit 10
  colagg query trips.parquet --group-by vendor --where "day >= '2024-04-01' and tip > 0.2 * fare"
  colagg query trips.parquet --select city,vendor --distinct --order-by city
  colagg query trips.parquet --group-by city --explain
  colagg query 'logs/*.parquet' --group-by status --analyze -o plan.html`

func queryCommand(env *environ) *cobra.Command {
	flags := &queryFlags{}
	cmd := &cobra.Command{
		Use:     "query FILE...",
		Short:   "Group the rows of Parquet files and compute aggregates",
		Long:    queryLong,
		Example: queryExample,
		Args:    someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := flags.query(args, cmd.Flags().Changed("limit"))
			if err != nil {
				return err
			}
			return flags.run(cmd, env, q, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	// Arrays, not slices: those would split sum(x, y) at its comma.
	f.StringVarP(&flags.where, "where", "w", "", "take the rows for which `CONDITION` is true, such as\n\"fare > 10 and city in ('Bern', 'Oslo')\"")
	f.StringArrayVarP(&flags.groupBy, "group-by", "g", nil, "group by `COLUMNS`, with commas between and 'as NAME' behind them or not; may be repeated")
	f.StringArrayVarP(&flags.aggs, "agg", "a", nil, "compute `AGGREGATES`, such as 'sum(fare) as total, max(day)';\nmay be repeated (default count(*))")
	f.StringVar(&flags.having, "having", "", "give the groups for which `CONDITION` is true, such as\n\"count(*) > 10 and total > 100\"")
	f.StringArrayVarP(&flags.selects, "select", "s", nil, "give `COLUMNS` of the rows, or keys and aggregates, with commas\nbetween and 'as NAME' behind them or not; * is all; may be\nrepeated")
	f.BoolVar(&flags.distinct, "distinct", false, "give rows that are equal once")
	f.StringArrayVar(&flags.orderBy, "order-by", nil, "order by `COLUMNS` of the result, each with asc or desc and\nnulls first or nulls last behind it or not; may be repeated")
	f.Int64Var(&flags.limit, "limit", 0, "give at most `N` rows, the first ones (default all)")
	f.Int64Var(&flags.offset, "offset", 0, "leave out the first `N` rows")
	flags.add(cmd)
	completeQuery(cmd)
	return cmd
}

// query makes a query of the flags; limited says whether --limit is given.
func (f *queryFlags) query(files []string, limited bool) (q colagg.Query, err error) {
	if f.limit < 0 {
		return q, usagef("--limit is negative: %d", f.limit)
	}
	if f.offset < 0 {
		return q, usagef("--offset is negative: %d", f.offset)
	}
	q = colagg.Query{From: colagg.Files(files...), Where: f.where, Having: f.having, GroupBy: f.groupBy, Aggs: f.aggs,
		Select: f.selects, Distinct: f.distinct, OrderBy: f.orderBy, Offset: f.offset}
	if limited {
		q.Limit = f.limit
		if f.limit == 0 {
			q.Limit = -1 // no rows; 0 would be all
		}
	}
	return q, nil
}
