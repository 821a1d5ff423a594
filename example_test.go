package colagg_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

func Example() {
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	res, err := eng.Query(context.Background(), colagg.Query{
		From:    colagg.Files("testdata/trips.parquet"),
		GroupBy: []string{"vendor"},
		Aggs:    []string{"count(*)", "sum(fare) as total", "max(passengers)"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Release()
	for rec, err := range res.Batches() {
		if err != nil {
			log.Fatal(err)
		}
		vendor := rec.Column(0).(*array.String)
		count := rec.Column(1).(*array.Int64)
		total := rec.Column(2).(*array.Float64)
		most := rec.Column(3).(*array.Int32)
		for i := range int(rec.NumRows()) {
			fmt.Printf("%-8s %4d trips, %.2f in fares, at most %d on board\n", vendor.Value(i), count.Value(i), total.Value(i), most.Value(i))
		}
	}
	// Unordered output:
	// Blue Cab 2757 trips, 38157.69 in fares, at most 6 on board
	// Meridian 1702 trips, 24001.65 in fares, at most 6 on board
	// Zest      541 trips, 7578.00 in fares, at most 6 on board
}

// Without keys there is one row, and a Result is an ordinary Arrow record
// reader.
func ExampleEngine_Query() {
	eng, err := colagg.New(colagg.Options{Workers: 2, MemoryLimit: 1 << 30})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	res, err := eng.Query(context.Background(), colagg.Query{
		From: colagg.Files("testdata/trips.parquet"),
		Aggs: []string{`count(*), count(distance), sum(tip), avg(tip), min(pickup)`},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Release()
	for res.Next() {
		rec := res.Record()
		for i, f := range res.Schema().Fields() {
			fmt.Printf("%s (%s): %s\n", f.Name, f.Type, rec.Column(i).ValueStr(0))
		}
	}
	if err := res.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("input rows:", res.Stats().Rows)
	// Output:
	// count(*) (int64): 5000
	// count(distance) (int64): 4899
	// sum(tip) (decimal(38, 2)): 23772.5
	// avg(tip) (decimal(14, 6)): 5.975993
	// min(pickup) (timestamp[us, tz=UTC]): 2024-04-01 00:04:28Z
	// input rows: 5000
}

// Errors say what, where and what to do about it.
func ExampleError() {
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	_, err = eng.Query(context.Background(), colagg.Query{
		From:    colagg.Files("testdata/trips.parquet"),
		GroupBy: []string{"city"},
		Aggs:    []string{"sum(fair)"},
	})
	var e *colagg.Error
	if errors.As(err, &e) && e.Kind == colagg.BadQuery {
		fmt.Println(e)
		fmt.Printf("%s\n%*s\n", e.Source, e.Offset+1, "^")
	}
	// Output:
	// there is no column fair (at position 5 of 'sum(fair)'); nearest of the 13 columns: fare, paid
	// sum(fair)
	//     ^
}

// A path may be a file, a directory or a pattern.
func ExampleFiles() {
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	for _, from := range []colagg.Source{
		colagg.Files("testdata/parts/p1.parquet", "testdata/parts/p2.parquet"),
		colagg.Files("testdata/parts"),
		colagg.Files("testdata/**/p[12].parquet"),
	} {
		files, err := eng.Describe(context.Background(), from)
		if err != nil {
			log.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		fmt.Println(names)
	}
	// Output:
	// [testdata/parts/p1.parquet testdata/parts/p2.parquet]
	// [testdata/parts/p1.parquet testdata/parts/p2.parquet testdata/parts/p3.parquet]
	// [testdata/parts/p1.parquet testdata/parts/p2.parquet]
}

func ExampleFS() {
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	res, err := eng.Query(context.Background(), colagg.Query{
		From: colagg.FS(os.DirFS("testdata"), "trips*.parquet"),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Release()
	for rec, err := range res.Batches() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Column(0))
	}
	// Output:
	// [5000]
}

// object stands for a file in a remote store.
type object struct{ data []byte }

func (o object) Name() string { return "s3://bucket/trips.parquet" }

func (o object) Open(context.Context) (colagg.ReaderAt, error) {
	return opened{bytes.NewReader(o.data)}, nil
}

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

// Whatever can be read at any position is an input.
func ExampleInputs() {
	data, err := os.ReadFile("testdata/trips.parquet")
	if err != nil {
		log.Fatal(err)
	}
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	res, err := eng.Query(context.Background(), colagg.Query{
		From:    colagg.Inputs(object{data}),
		GroupBy: []string{"payment.method"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Release()
	for rec, err := range res.Batches() {
		if err != nil {
			log.Fatal(err)
		}
		for i := range int(rec.NumRows()) {
			fmt.Println(rec.Column(0).ValueStr(i), rec.Column(1).ValueStr(i))
		}
	}
	// Unordered output:
	// app 1489
	// card 2449
	// cash 1012
	// (null) 50
}

// The answer of one query may be the input of another.
func ExampleRecords() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "Sensor Name", Type: arrow.BinaryTypes.String},
		{Name: "value", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"north", "south", "north"}, nil)
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{1.5, 2, 2.5}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	rr, err := array.NewRecordReader(schema, []arrow.Record{rec})
	if err != nil {
		log.Fatal(err)
	}
	defer rr.Release()

	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	perSensor, err := eng.Query(context.Background(), colagg.Query{
		From:    colagg.Records(rr),
		GroupBy: []string{`"Sensor Name"`},
		Aggs:    []string{"avg(value) as mean"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer perSensor.Release()
	most, err := eng.Query(context.Background(), colagg.Query{
		From: colagg.Records(perSensor),
		Aggs: []string{"max(mean), count(*) as sensors"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer most.Release()
	for rec, err := range most.Batches() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Column(0), rec.Column(1))
	}
	// Output:
	// [2] [2]
}

func ExampleResult_WriteArrow() {
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	res, err := eng.Query(context.Background(), colagg.Query{
		From:    colagg.Files("testdata/trips.parquet"),
		GroupBy: []string{"vendor", "paid"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Release()
	var buf bytes.Buffer
	if err := res.WriteArrow(&buf); err != nil {
		log.Fatal(err)
	}
	r, err := ipc.NewFileReader(bytes.NewReader(buf.Bytes()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Schema().NumFields(), "columns")
	// Output:
	// 3 columns
}

// A plan before the query runs, and after.
func ExampleEngine_Explain() {
	eng, err := colagg.New(colagg.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	q := colagg.Query{From: colagg.Files("testdata/trips.parquet"), GroupBy: []string{"passengers"}, Limit: 2}
	plan, err := eng.Explain(context.Background(), q)
	if err != nil {
		log.Fatal(err)
	}
	scan, agg := plan.Pipelines[0].Operators[0], plan.Pipelines[0].Operators[1]
	fmt.Println(scan.RowsOut.Estimate, "rows,", scan.Scan.Bytes.Estimate, "bytes;", agg.Aggregate.Groups.Estimate, "groups,", agg.Aggregate.Strategy)

	res, err := eng.Query(context.Background(), q)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Release()
	for res.Next() {
	}
	plan = res.Plan()
	fmt.Println(plan.Pipelines[0].Operators[0].RowsOut.Actual, "rows,", plan.Pipelines[1].Operators[0].RowsOut.Actual, "of", res.Stats().Groups, "groups")
	// Output:
	// 5000 rows, 2268 bytes; 6 groups, serial
	// 5000 rows, 2 of 6 groups
}
