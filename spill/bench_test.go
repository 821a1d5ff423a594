package spill

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// numbers is rows of two int64 columns and a hash, as a partition of groups is.
func numbers(rows int) table {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := &vector.Batch{Len: rows}
	fields := []arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: arrow.PrimitiveTypes.Int64},
		{Name: "hash", Type: arrow.PrimitiveTypes.Uint64}}
	for i := range fields {
		values := make([]uint64, rows)
		for k := range values {
			values[k] = []uint64{rnd.Uint64N(20_000_000), rnd.Uint64N(100), rnd.Uint64()}[i]
		}
		b.Cols = append(b.Cols, &vector.Vector{Type: fields[i].Type, Len: rows, Data: vector.AsBytes(values)})
	}
	return table{arrow.NewSchema(fields, nil), []*vector.Batch{b}}
}

// texts is rows of one text column and a hash.
func texts(rows int) table {
	t := numbers(rows)
	b := vector.NewBuilder(arrow.BinaryTypes.String)
	for i := range rows {
		if err := b.AppendBytes(fmt.Appendf(nil, "https://example.org/item/%08d/view", vector.Values[int64](t.batches[0].Cols[0])[i])); err != nil {
			panic(err)
		}
	}
	t.batches[0].Cols = []*vector.Vector{b.Vector(), t.batches[0].Cols[2]}
	t.schema = arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}, {Name: "hash", Type: arrow.PrimitiveTypes.Uint64}}, nil)
	return t
}

func (t table) bytes() int64 {
	var n int64
	for _, b := range t.batches {
		for _, v := range b.Cols {
			n += int64(len(v.Data) + 4*len(v.Offsets))
		}
	}
	return n
}

// BenchmarkSpill writes and reads batches of about 64 KiB and 1 MiB.
func BenchmarkSpill(b *testing.B) {
	for _, c := range []struct {
		name string
		table
	}{
		{"numbers/64K", numbers(2730)}, {"numbers/1M", numbers(43690)},
		{"texts/64K", texts(1337)}, {"texts/1M", texts(21400)},
	} {
		b.Run(c.name+"/append", func(b *testing.B) {
			d := Open(Config{Dirs: []string{b.TempDir()}})
			defer func() { _ = d.Close() }()
			f := d.File()
			b.SetBytes(c.bytes())
			b.ReportAllocs()
			for b.Loop() {
				e, err := f.Append(c.schema, c.batches...)
				if err != nil {
					b.Fatal(err)
				}
				if d.Stats().OnDisk > 1<<30 {
					d.Release(e)
				}
			}
			b.ReportMetric(float64(d.Stats().Written)/float64(d.Stats().Extents)/float64(c.bytes()), "ratio")
		})
		b.Run(c.name+"/read", func(b *testing.B) {
			d := Open(Config{Dirs: []string{b.TempDir()}})
			defer func() { _ = d.Close() }()
			f := d.File()
			var extents []Extent
			for range 100 {
				e, err := f.Append(c.schema, c.batches...)
				if err != nil {
					b.Fatal(err)
				}
				extents = append(extents, e)
			}
			b.SetBytes(c.bytes())
			b.ReportAllocs()
			r := d.Reader(c.schema, extents)
			for b.Loop() {
				_, err := r.Next(context.Background())
				if err == io.EOF {
					_ = r.Close()
					r = d.Reader(c.schema, extents)
				} else if err != nil {
					b.Fatal(err)
				}
			}
			_ = r.Close()
		})
	}
}
