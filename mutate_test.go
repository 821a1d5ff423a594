package colagg_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// TestMutatedStatements runs the queries of testdata/sql with words left out,
// doubled and exchanged: each gives rows or an error with a place in the text.
func TestMutatedStatements(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 2, BatchRows: 64})
	var queries [][]string
	for _, entry := range statementEntries(t) {
		if !strings.Contains(entry.query, "trips") {
			queries = append(queries, strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(entry.query)))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for range rounds {
		words := append([]string{}, queries[rng.IntN(len(queries))]...)
		other := queries[rng.IntN(len(queries))]
		for range 1 + rng.IntN(2) {
			i, j := rng.IntN(len(words)), rng.IntN(len(words))
			switch rng.IntN(4) {
			case 0:
				words = append(words[:i], words[i+1:]...)
			case 1:
				words[i], words[j] = words[j], words[i]
			case 2:
				words[i] = other[rng.IntN(len(other))]
			default:
				words = append(words[:i], append([]string{other[rng.IntN(len(other))]}, words[i:]...)...)
			}
			if len(words) == 0 {
				words = other
			}
		}
		text := strings.Join(words, " ")
		if err := runMutated(t, e, text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// runMutated runs a statement that may be wrong, and returns what no statement
// may give.
func runMutated(t *testing.T, e *colagg.Engine, text string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	res, err := e.SQL(t.Context(), text)
	if err == nil {
		defer res.Release()
		for res.Next() {
		}
		_ = res.Plan().String()
		err = res.Err()
	}
	var known *colagg.Error
	if err != nil && (!errors.As(err, &known) || known.Kind == colagg.Internal) {
		return err
	}
	return nil
}
