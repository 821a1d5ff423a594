package expr

import (
	"testing"

	"github.com/colagg/colagg/vector"
)

// TestInDomains holds that the values of IN are those that are read, of every way
// that they are kept.
func TestInDomains(t *testing.T) {
	wide, _ := toInt128(pow10(3))
	for src, key := range map[string][]byte{
		`i32 in (1, 7, 9)`:         vector.KeyInt(7),
		`d2 in (1.5, 10.00, 3)`:    vector.KeyWide(wide),
		`u64 in (1, 7)`:            vector.KeyUint(7),
		`s in ('a', 'seven', 'b')`: []byte("seven"),
	} {
		domains, possible := bound(t, src).Domains()
		if !possible || len(domains) != 1 {
			t.Errorf("%s: %v, %t", src, domains, possible)
		}
		for _, d := range domains {
			if d.Intersect(vector.NewDomain(false, vector.Point(key))).Empty() {
				t.Errorf("%s: %v leaves out %v", src, d, key)
			}
		}
	}
}
