package hashagg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

const benchmarkRows = 8192

// BenchmarkUpdate measures Accumulator.Update on batches of 8192 rows, in
// nanoseconds a row.
func BenchmarkUpdate(b *testing.B) {
	i32, i64, f64 := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64
	narrow, wide := decimalType(15, 2), decimalType(38, 2)
	text, boolean := arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean
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
		{"min", text, flat, 0}, {"min", text, coded, 0},
		{"first", i64, flat, 0}, {"last", i64, flat, 0}, {"last", text, flat, 0},
		{"bool_and", boolean, flat, 0},
		{"stddev_samp", i64, flat, 0}, {"stddev_samp", f64, flat, 0}, {"kurtosis", f64, flat, 0}, {"product", f64, flat, 0},
		{"corr", i64, flat, 0}, {"corr", f64, flat, 0}, {"max_by", i64, flat, 0}, {"max_by", text, flat, 0}, {"bit_or", i64, flat, 0},
	}
	for _, groups := range []int{1, 100, 1 << 20} {
		for _, c := range cases {
			name := fmt.Sprintf("%d/%s/%s/form%d/null%d", groups, c.name, c.arg, c.form, c.null)
			b.Run(name, func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				// Few enough batches to stay in the cache, as decoded pages do.
				var args [8][]*vector.Vector
				for k := range args {
					cells := make([]cell, benchmarkRows)
					for i := range cells {
						if c.null == 0 || r.IntN(c.null) > 0 {
							cells[i] = randomCell(r, c.arg, small)
						}
					}
					args[k] = []*vector.Vector{makeVector(b, r, c.arg, cells, c.form)}
				}
				benchmarkUpdate(b, r, c.name, groups, args[:])
			})
		}
	}
}

func benchmarkUpdate(b *testing.B, r *rand.Rand, name string, groups int, args [][]*vector.Vector) {
	columns := functions[slices.IndexFunc(functions, func(f function) bool { return f.name == name })].columns
	agg, err := Bind(name, slices.Repeat([]arrow.DataType{args[0][0].Type}, max(1, columns.min)), Modifiers{})
	if err != nil {
		b.Fatal(err)
	}
	for k, v := range args {
		args[k] = slices.Repeat(v, max(1, columns.min)) // the same column for each
	}
	slab := &Slab{Stride: agg.Words + 1}
	acc := agg.New(slab, 1)
	slab.Grow(groups)
	acc.Grow(groups)
	clear(slab.Words) // so that the system has given the pages
	tickets := make([]uint32, len(args)*benchmarkRows)
	if groups > len(tickets) {
		tickets = make([]uint32, 2*groups)
	}
	for i := range tickets {
		tickets[i] = uint32(r.IntN(groups))
	}
	k := 0
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		at := k * benchmarkRows % len(tickets)
		err := acc.Update(tickets[at:at+benchmarkRows], args[k%len(args)], Ordinals{First: uint64(k) * benchmarkRows})
		if err != nil {
			b.Fatal(err)
		}
		k++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkRows, "ns/row")
}

// BenchmarkFinal measures Accumulator.Final, in nanoseconds a group.
func BenchmarkFinal(b *testing.B) {
	cases := []struct {
		name string
		arg  arrow.DataType
	}{
		{"sum", arrow.PrimitiveTypes.Int64}, {"sum", arrow.PrimitiveTypes.Float64}, {"sum", decimalType(15, 2)},
		{"avg", arrow.PrimitiveTypes.Int64}, {"avg", arrow.PrimitiveTypes.Float64}, {"avg", decimalType(15, 2)},
		{"avg", decimalType(38, 2)}, {"min", arrow.BinaryTypes.String}, {"stddev_samp", arrow.PrimitiveTypes.Int64},
		{"stddev_samp", arrow.PrimitiveTypes.Float64},
	}
	for _, c := range cases {
		b.Run(c.name+"/"+c.arg.String(), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			agg, err := Bind(c.name, []arrow.DataType{c.arg}, Modifiers{})
			if err != nil {
				b.Fatal(err)
			}
			h := newHarness(b, agg)
			h.grow(benchmarkRows)
			tickets := make([]uint32, benchmarkRows)
			cells := make([]cell, benchmarkRows)
			for i := range tickets {
				tickets[i] = uint32(i)
				cells[i] = randomCell(r, c.arg, small)
			}
			args := []*vector.Vector{makeVector(b, r, c.arg, cells, flat)}
			for range 3 {
				if err := h.acc.Update(tickets, args, Ordinals{}); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if _, err := h.acc.Final(0, benchmarkRows); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkRows, "ns/group")
		})
	}
}
