package hashagg

import (
	"context"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// TestFarStates has so many groups that their states are brought near before
// they are updated, in one partition; each key comes twice, far apart.
func TestFarStates(t *testing.T) {
	const groups, batch = 150_000, 10_000
	i64 := arrow.PrimitiveTypes.Int64
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: i64}, {Name: "at", Type: i64}}, nil)
	var all []*vector.Batch
	for lo := 0; lo < 2*groups; lo += batch {
		k, at := vector.New(i64, batch), vector.New(i64, batch)
		for i := range batch {
			vector.Values[int64](k)[i], vector.Values[int64](at)[i] = int64((lo+i)%groups)<<40, int64(lo+i)
		}
		all = append(all, &vector.Batch{Cols: []*vector.Vector{k, at}, Len: batch, Row: uint64(lo)})
	}
	one := defaultKnobs()
	one.partitions = 1
	for _, s := range Strategies() {
		cfg := Config{Keys: []int{0}, Strategy: s, Workers: 2, Rows: 2 * groups, knobs: &one}
		for _, name := range []string{"first", "last", "sum"} {
			agg, err := Bind(name, []arrow.DataType{i64}, Modifiers{})
			if err != nil {
				t.Fatal(err)
			}
			cfg.Calls = append(cfg.Calls, Call{Agg: agg, Args: []int{1}, Name: name})
		}
		sink, err := NewSink(schema, cfg)
		if err != nil {
			t.Fatal(err)
		}
		src := &batches{schema: schema, rest: slices.Clone(all)}
		res, _, err := operators.Drain(context.Background(), src, sink, sink.Workers())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, b := range readAll(t, res, 1) {
			k, first, last, sum := vector.Values[int64](b.Cols[0]), vector.Values[int64](b.Cols[1]), vector.Values[int64](b.Cols[2]), vector.Values[int64](b.Cols[3])
			for i := range k {
				if g := k[i] >> 40; first[i] != g || last[i] != g+groups || sum[i] != 2*g+groups {
					t.Fatalf("%s: key %d is at %d and %d, sum %d", s, g, first[i], last[i], sum[i])
				}
			}
			n += b.Len
		}
		if n != groups {
			t.Errorf("%s: %d groups", s, n)
		}
		sink.Close()
	}
}
