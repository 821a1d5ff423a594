package hashagg

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

func TestListsAreNoKeys(t *testing.T) {
	in := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)}}, nil)
	if _, err := NewSink(in, Config{Keys: []int{0}}); err == nil || !strings.Contains(err.Error(), "cannot be a key") {
		t.Errorf("a key of lists: error %v", err)
	}
}
