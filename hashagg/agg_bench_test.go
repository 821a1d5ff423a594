package hashagg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// BenchmarkUpdate measures Accumulator.Update on batches of 8192 rows, in
// nanoseconds a row.
func BenchmarkUpdate(b *testing.B) {
	const rows = 8192
	i32, i64, f64 := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64
	narrow, wide := &arrow.Decimal128Type{Precision: 15, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 2}
	cases := []struct {
		name string
		arg  arrow.DataType
		form form
		null int // one in so many rows
	}{
		{"count", i64, flat, 0}, {"count", i64, flat, 9},
		{"sum", i32, flat, 0}, {"sum", i64, flat, 0}, {"sum", i64, flat, 9}, {"sum", i64, coded, 0},
		{"sum", f64, flat, 0}, {"sum", narrow, flat, 0}, {"sum", wide, flat, 0},
		{"avg", i64, flat, 0}, {"avg", f64, flat, 0}, {"avg", f64, flat, 9},
		{"min", i32, flat, 0}, {"max", i64, flat, 0}, {"max", f64, flat, 0}, {"max", wide, flat, 0},
		{"min", arrow.BinaryTypes.String, flat, 0}, {"min", arrow.BinaryTypes.String, coded, 0},
		{"first", i64, flat, 0}, {"last", i64, flat, 0}, {"last", arrow.BinaryTypes.String, flat, 0},
		{"bool_and", arrow.FixedWidthTypes.Boolean, flat, 0},
		{"stddev_samp", i64, flat, 0}, {"stddev_samp", f64, flat, 0},
	}
	for _, groups := range []int{1, 4, 100, 1 << 20} {
		for _, c := range cases {
			name := fmt.Sprintf("%d/%s/%s/form%d/null%d", groups, c.name, c.arg, c.form, c.null)
			b.Run(name, func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				agg, err := Bind(c.name, []arrow.DataType{c.arg})
				if err != nil {
					b.Fatal(err)
				}
				slab := &Slab{Stride: agg.Words + 1}
				acc := agg.New(slab, 1)
				slab.Grow(groups)
				acc.Grow(groups)
				const batches = 32
				var tickets [batches][]uint32
				var args [batches][]*vector.Vector
				for k := range batches {
					tickets[k] = make([]uint32, rows)
					cells := make([]cell, rows)
					for i := range cells {
						tickets[k][i] = uint32(r.IntN(groups))
						if c.null == 0 || r.IntN(c.null) > 0 {
							cells[i] = randomCell(r, c.arg, small)
						}
					}
					args[k] = []*vector.Vector{makeVector(b, r, c.arg, cells, c.form)}
				}
				k := 0
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					at := Ordinals{First: uint64(k) * rows}
					if err := acc.Update(tickets[k%batches], args[k%batches], at); err != nil {
						b.Fatal(err)
					}
					k++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}
