package hashagg

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// TestCrowdedTexts groups few rows a group by the least of a text, so that
// states are shared nearly from the start, and compares with a map.
func TestCrowdedTexts(t *testing.T) {
	const rows, groups, size = 40_000, 20_000, 8192
	r := rand.New(rand.NewPCG(4, 2))
	i64, str := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	src := &batches{schema: arrow.NewSchema([]arrow.Field{{Name: "k", Type: i64}, {Name: "s", Type: str}}, nil)}
	want := map[int64][]byte{}
	for at := 0; at < rows; at += size {
		n := min(size, rows-at)
		keys, texts := vector.NewBuilder(i64), vector.NewBuilder(str)
		for range n {
			k := r.Int64N(groups) * 1_000_003
			s := []byte(fmt.Sprint("text ", r.IntN(1_000_000_000)))
			if err := keys.AppendBytes(vector.AsBytes([]int64{k})); err != nil {
				t.Fatal(err)
			}
			if err := texts.AppendBytes(s); err != nil {
				t.Fatal(err)
			}
			if least, ok := want[k]; !ok || bytes.Compare(s, least) < 0 {
				want[k] = s
			}
		}
		src.rest = append(src.rest, &vector.Batch{Cols: []*vector.Vector{keys.Vector(), texts.Vector()}, Len: n, Row: uint64(at)})
	}
	least, err := Bind("min", []arrow.DataType{str}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	sink, err := NewSink(src.schema, Config{Keys: []int{0}, Calls: []Call{{Agg: least, Args: []int{1}, Name: "min"}}, Strategy: Shared, Workers: 3, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	out, _, err := operators.Drain(context.Background(), src, sink, 3)
	if err != nil {
		t.Fatal(err)
	}
	in, err := out.Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		b, err := in.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range vector.Values[int64](b.Cols[0])[:b.Len] {
			if got := b.Cols[1].Bytes(i); !bytes.Equal(got, want[k]) {
				t.Fatalf("group %d: %q, want %q", k, got, want[k])
			}
			delete(want, k)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d groups are missing", len(want))
	}
	switches := sink.Report().Switches
	if len(switches) == 0 || !strings.Contains(switches[0].Reason, "predicted with shared states") {
		t.Errorf("switches: %+v", switches)
	}
}
