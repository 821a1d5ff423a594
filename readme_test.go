package colagg_test

import (
	"strings"
	"testing"
)

// maxReadmeLines keeps the README to what one reads.
const maxReadmeLines = 225

// TestReadme holds the program in the README, and what it prints, to Example.
func TestReadme(t *testing.T) {
	readme := string(readFile(t, "README.md"))
	if n := strings.Count(readme, "\n"); n > maxReadmeLines {
		t.Errorf("the README has %d lines; the limit is %d", n, maxReadmeLines)
	}
	program, rest := between(t, readme, "```go\n", "```\n")
	body, _ := between(t, program, "\nfunc main() {\n", "\n}\n")
	printed, _ := between(t, rest, "```text\n", "```\n")

	source := string(readFile(t, "example_test.go"))
	example, rest := between(t, source, "\nfunc Example() {\n", "\n\t// Unordered output:\n")
	if body != example {
		t.Errorf("the README's program is\n%s\nand Example is\n%s", body, example)
	}
	comment, _ := between(t, "\n"+rest, "\n", "}\n")
	if want := strings.ReplaceAll(comment, "\t// ", ""); printed != want {
		t.Errorf("the README's program prints\n%s\nand Example\n%s", printed, want)
	}
	imports, _ := between(t, program, "import (\n", ")\n")
	ours, _ := between(t, source, "import (\n", ")\n")
	for line := range strings.Lines(imports) {
		if !strings.Contains(ours, line) {
			t.Errorf("the README imports %s", strings.TrimSpace(line))
		}
	}
}

// between returns what is between two texts, and what follows.
func between(t *testing.T, s, from, to string) (inside, rest string) {
	t.Helper()
	_, s, found := strings.Cut(s, from)
	inside, rest, ended := strings.Cut(s, to)
	if !found || !ended {
		t.Fatalf("there is no %q with %q after it", from, to)
	}
	return inside, rest
}
