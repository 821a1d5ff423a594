package operators

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colagg/colagg/vector"
)

// number makes a batch of i+1 rows, none for every third, the first ones late.
func number(i int) (*vector.Batch, error) {
	if i < 4 {
		time.Sleep(time.Duration(4-i) * time.Millisecond)
	}
	if i%3 == 2 {
		return nil, nil
	}
	return &vector.Batch{Len: i + 1}, nil
}

func TestAheadKeepsOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, n := range []int{0, 1, 7, 100} {
			s := Ahead(n, workers, number)
			want := 0
			for {
				b, err := s.Next(context.Background())
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if want%3 == 2 {
					want++
				}
				if b.Len != want+1 {
					t.Fatalf("%d workers: batch of %d rows, want %d", workers, b.Len, want+1)
				}
				want++
			}
			if left := n - want; left > 1 || left == 1 && n%3 != 0 {
				t.Errorf("%d workers: ended at %d of %d", workers, want, n)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAheadStops(t *testing.T) {
	broken := errors.New("broken")
	for _, workers := range []int{1, 3} {
		s := Ahead(50, workers, func(i int) (*vector.Batch, error) {
			if i == 20 {
				return nil, broken
			}
			return &vector.Batch{Len: 1}, nil
		})
		for i := range 20 {
			if _, err := s.Next(context.Background()); err != nil {
				t.Fatalf("%d workers: %v at %d", workers, err, i)
			}
		}
		if _, err := s.Next(context.Background()); err != broken {
			t.Errorf("%d workers: %v", workers, err)
		}
		s.Close()

		var calls atomic.Int64
		s = Ahead(1000, workers, func(int) (*vector.Batch, error) { calls.Add(1); return &vector.Batch{Len: 1}, nil })
		ctx, cancel := context.WithCancel(context.Background())
		if _, err := s.Next(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: %v", workers, err)
		}
		s.Close()
		if n := calls.Load(); n > int64(2*workers+1) {
			t.Errorf("%d workers: %d batches for one that was read", workers, n)
		}

		if workers > 1 {
			s = Ahead(10, workers, func(int) (*vector.Batch, error) { panic("oh") })
			if _, err := s.Next(context.Background()); err == nil {
				t.Error("a panic was lost")
			}
			s.Close()
		}
	}
}
