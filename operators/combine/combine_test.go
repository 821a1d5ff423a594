package combine

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

var int64Type = arrow.PrimitiveTypes.Int64

func int64s(values ...int64) *vector.Vector {
	v := vector.New(int64Type, len(values))
	copy(vector.Values[int64](v), values)
	return v
}

// batches is a source of batches that streams share.
type batches struct {
	mu      sync.Mutex
	list    []*vector.Batch
	columns int
	opened  int
	closed  int
}

func (s *batches) Schema() *arrow.Schema { return ints(s.columns) }

func ints(n int) *arrow.Schema {
	var fields []arrow.Field
	for i := range n {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: int64Type})
	}
	return arrow.NewSchema(fields, nil)
}

func (s *batches) Stream() (operators.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return s, nil
}

func (s *batches) Next(context.Context) (*vector.Batch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == 0 {
		return nil, io.EOF
	}
	b := s.list[0]
	s.list = s.list[1:]
	return b, nil
}

func (s *batches) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}

// read returns the rows of a stream, as text, and their positions.
func read(t *testing.T, s operators.Stream) (rows []string, positions []uint64) {
	t.Helper()
	for {
		b, err := s.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		sel := b.Sel
		if sel == nil {
			for i := range b.Len {
				sel = append(sel, uint32(i))
			}
		}
		for _, i := range sel {
			row := ""
			for _, c := range b.Cols {
				flat, err := vector.Flatten(c)
				if err != nil {
					t.Fatal(err)
				}
				cell := "NULL"
				if !flat.IsNull(int(i)) {
					cell = fmt.Sprint(vector.Values[int64](flat)[i])
				}
				row += " " + cell
			}
			rows, positions = append(rows, row[1:]), append(positions, b.Row+uint64(i))
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return rows, positions
}

func TestConcat(t *testing.T) {
	first := &batches{columns: 2, list: []*vector.Batch{
		{Cols: []*vector.Vector{int64s(1, 2, 3), int64s(10, 20, 30)}, Len: 3},
		{Cols: []*vector.Vector{int64s(4, 5), int64s(40, 50)}, Len: 2, Sel: []uint32{1}, Row: 3},
	}}
	second := &batches{columns: 1, list: []*vector.Batch{{Cols: []*vector.Vector{int64s(7)}, Len: 1, Row: 5}}}
	c := NewConcat(ints(3), []Part{
		{Source: first, Columns: []int{1, 0, 2}, Constants: []*vector.Vector{int64s(-1)}},
		{Source: &batches{columns: 1}, Columns: []int{0, 0, 0}},
		{Source: second, Columns: []int{0, 1, 0}, Constants: []*vector.Vector{vector.NewNull(int64Type, 1)}},
	})
	s, err := c.Stream()
	if err != nil {
		t.Fatal(err)
	}
	rows, positions := read(t, s)
	if want := []string{"10 1 -1", "20 2 -1", "30 3 -1", "50 5 -1", "7 NULL 7"}; !slices.Equal(rows, want) {
		t.Errorf("got %q", rows)
	}
	if !slices.IsSorted(positions) || positions[3] != 4 || positions[4] != 2*partPositions+5 {
		t.Errorf("positions %v", positions)
	}
	if f := c.Flow(0); f.Rows != 4 || f.Batches != 2 || c.Flow(1).Batches != 0 || c.Flow(2).Rows != 1 {
		t.Errorf("%+v", f)
	}
	if first.opened != 1 || first.closed != 1 || second.closed != 1 {
		t.Errorf("%d opened, %d and %d closed", first.opened, first.closed, second.closed)
	}
}

func TestCopies(t *testing.T) {
	for _, size := range []int{1, 2, 3, 100} {
		src := &batches{columns: 3, list: []*vector.Batch{
			{Cols: []*vector.Vector{int64s(1, 2, 3, 4), int64s(3, 0, 7, 1), int64s(1, 9, 0, 1)}, Len: 4, Sel: []uint32{0, 1, 2}},
			{Cols: []*vector.Vector{int64s(5, 6), int64s(1, 2), int64s(3, 0)}, Len: 2},
		}}
		c := NewCopies(src, func(l, r int64) int64 { return l - r }, size, memory.NewBudget(0))
		s, err := c.Stream()
		if err != nil {
			t.Fatal(err)
		}
		rows, positions := read(t, s)
		if want := []string{"1", "1", "3", "3", "3", "3", "3", "3", "3", "6", "6"}; !slices.Equal(rows, want) {
			t.Errorf("batches of %d: %q", size, rows)
		}
		if want := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(positions, want) {
			t.Errorf("batches of %d: positions %v", size, positions)
		}
		if r := c.Report(); r.In != 5 || r.Out != 11 || r.Batches != 2 || src.closed != 1 || c.Schema().NumFields() != 1 {
			t.Errorf("%+v", r)
		}
	}
	budget := memory.NewBudget(1)
	src := &batches{columns: 3, list: []*vector.Batch{{Cols: []*vector.Vector{int64s(1), int64s(1), int64s(0)}, Len: 1}}}
	s, _ := NewCopies(src, func(l, r int64) int64 { return 1 }, 10, budget).Stream()
	if _, err := s.Next(t.Context()); err != nil || budget.Used() == 0 {
		t.Errorf("%v, %d bytes are held", err, budget.Used())
	}
}

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		skip, most int64
		want       []string
	}{
		{0, -1, []string{"1", "2", "3", "5", "6"}}, {0, 0, nil}, {2, 1, []string{"3"}}, {1, 3, []string{"2", "3", "5"}},
		{4, 9, []string{"6"}}, {5, -1, nil}, {3, -1, []string{"5", "6"}}, {0, 3, []string{"1", "2", "3"}},
	} {
		src := &batches{columns: 1, list: []*vector.Batch{
			{Cols: []*vector.Vector{int64s(1, 2, 3)}, Len: 3},
			{Cols: []*vector.Vector{int64s(4, 5, 6)}, Len: 3, Sel: []uint32{1, 2}, Row: 3},
		}}
		w := NewWindow(src.Schema(), src.Stream, c.skip, c.most)
		first, err := w.Stream()
		if err != nil {
			t.Fatal(err)
		}
		second, _ := w.Stream()
		if rows, _ := read(t, second); len(rows) > 0 {
			t.Errorf("the second stream has %q", rows)
		}
		if rows, _ := read(t, first); !slices.Equal(rows, c.want) || w.Report().Out != int64(len(rows)) {
			t.Errorf("%d of those behind %d: %q, %+v", c.most, c.skip, rows, w.Report())
		}
	}
}

func TestExpand(t *testing.T) {
	src := &batches{columns: 1, list: []*vector.Batch{
		{Cols: []*vector.Vector{int64s(1, 2)}, Len: 2},
		{Cols: []*vector.Vector{int64s(3, 4)}, Len: 2, Sel: []uint32{1}, Row: 2},
	}}
	e := NewExpand(src, ints(2).Fields(), [][]Added{
		{{Column: 0}, {Constant: int64s(0)}},
		{{Constant: vector.NewNull(int64Type, 1)}, {Constant: int64s(1)}},
	})
	s, err := e.Stream()
	if err != nil {
		t.Fatal(err)
	}
	rows, positions := read(t, s)
	if want := []string{"1 1 0", "2 2 0", "1 NULL 1", "2 NULL 1", "4 4 0", "4 NULL 1"}; !slices.Equal(rows, want) {
		t.Errorf("got %q", rows)
	}
	if want := []uint64{0, 1, 0, 1, 3, 3}; !slices.Equal(positions, want) {
		t.Errorf("positions %v", positions)
	}
	if r := e.Report(); r.In != 3 || r.Out != 6 || r.Batches != 2 || e.Schema().NumFields() != 3 || src.closed != 1 {
		t.Errorf("%+v", r)
	}
}
