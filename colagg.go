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
package colagg
