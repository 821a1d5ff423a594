package expr

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the table of functions into docs/language.md")

// TestFunctionsDocumented holds that docs/language.md has the table of functions
// that there are.
func TestFunctionsDocumented(t *testing.T) {
	const path, begin, end = "../../docs/language.md", "-rewrite -->\n", "<!-- end of functions -->"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for functions", path)
	}
	want := before + begin + functionTable() + end + after
	if *rewrite {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(doc) {
		t.Errorf("%s has another table of functions; -rewrite makes it anew", path)
	}
}

func functionTable() string {
	var b strings.Builder
	for _, c := range categories {
		fmt.Fprintf(&b, "\n### %s\n\n| function | what it gives |\n| --- | --- |\n", c.name)
		for _, f := range c.rows {
			names := strings.Split(f.name, ", ")
			other := ""
			if len(names) > 1 {
				other = "; also `" + strings.Join(names[1:], "`, `") + "`"
			}
			fmt.Fprintf(&b, "| `%s(%s)` | %s%s |\n", names[0], f.args, f.about, other)
		}
	}
	return b.String() + "\n"
}

// TestFunctionNames holds that no name is there twice and each is documented.
func TestFunctionNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range categories {
		for _, f := range c.rows {
			if f.about == "" || f.bind == nil {
				t.Errorf("%s has no description or no meaning", f.name)
			}
			for _, name := range strings.Split(f.name, ", ") {
				if seen[name] || !HasFunction(strings.ToUpper(name)) {
					t.Errorf("%s is there twice", name)
				}
				seen[name] = true
			}
		}
	}
}
