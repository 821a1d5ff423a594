// Package colagg answers GROUP BY over Parquet files and Arrow records, in
// pure Go.
//
// An [Engine] holds what queries share: a memory budget and a number of
// workers. A [Query] is a plain struct; [Engine.Query] runs it and gives a
// [Result], which is an Arrow record reader:
//
//	eng, err := colagg.New(colagg.Options{})
//	res, err := eng.Query(ctx, colagg.Query{
//		From:    colagg.Files("data/*.parquet"),
//		GroupBy: []string{"city"},
//		Aggs:    []string{"count(*)", "sum(fare) as total"},
//	})
//	defer res.Release()
//	for rec, err := range res.Batches() { … }
//
// # Names
//
// Columns and functions are named as in SQL. A bare name matches a column of
// exactly that name, else the only one that matches without regard to case; a
// "quoted name" matches exactly, and a quote in it is written twice. Field b of
// struct a is a.b, unless there is a top-level column called "a.b", which comes
// first; "a"."b" is always the field.
//
// A column of the result is called as it was named with AS, or else the key's
// column (a.b for a field), or function and column as in sum(fare). A name that
// is there already gets _1, _2 and so on. A key that is named twice is one key.
//
// # Meaning
//
// NULL is a group of its own. NaN is equal to itself, and -0.0 to 0.0. An empty
// input has no groups, but one row where there are no keys. Sums of integers
// and decimals are exact: they fail where the type of the result cannot hold
// them, and never wrap. Results do not depend on the strategy, the number of
// workers or the size of a batch. Query.OrderBy orders rows; without it they are
// sorted by the keys where there are up to 10,000 groups; more are in no order,
// which may change from run to run, and so may what Query.Limit leaves of them.
// Rows that are not grouped are in the order of the input.
//
// # Concurrency and memory
//
// An Engine is safe for concurrent use; a Result belongs to one goroutine. A
// cancelled context stops a query within a batch, and when [Engine.Query]
// returns an error, nothing of it is left running. What a query holds of the
// engine's memory limit goes back when its Result is closed; a record that is
// retained for longer is the caller's.
package colagg
