package archtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	arrowPath   = "github.com/apache/arrow/go/v17/arrow"
	parquetPath = "github.com/apache/arrow/go/v17/parquet"
)

// mayImport has a row for each package of the main module: what its code
// outside tests may import beside the standard library. A package of this
// module is named by its folder ("." is the root package); others by a prefix
// of their import path.
var mayImport = map[string][]string{
	"vector":    {arrowPath},
	"memory":    {},
	"operators": {"vector", arrowPath},

	"operators/combine": {"operators", "vector", "memory", arrowPath},
	"operators/expr":    {"operators", "operators/expr/calendar", "vector", "memory", "internal/sql", arrowPath},
	"operators/order":   {"operators", "vector", "memory", "spill", arrowPath},

	"operators/expr/calendar":     {},
	"parquetio/internal/encoding": {"vector"},
	"parquetio": {"operators", "vector", "memory", "parquetio/internal/encoding", arrowPath, parquetPath,
		"github.com/andybalholm/brotli", "github.com/cespare/xxhash/v2", "github.com/golang/snappy", "github.com/klauspost/compress", "github.com/pierrec/lz4/v4"},

	"spill": {"vector", "memory", arrowPath, "github.com/cespare/xxhash/v2"},

	"hashagg": {"operators", "vector", "memory", "spill", arrowPath, "github.com/axiomhq/hyperloglog", "github.com/cespare/xxhash/v2"},

	"internal/sql": {},
	".":            {"hashagg", "parquetio", "operators", "operators/combine", "operators/expr", "operators/order", "spill", "vector", "memory", "internal/sql", arrowPath, "github.com/bmatcuk/doublestar/v4"},

	"cmd/colagg/internal/render": {arrowPath, "github.com/jedib0t/go-pretty/v6", "github.com/dustin/go-humanize"},
	"cmd/colagg/internal/chart":  {},
	"cmd/colagg/internal/bench":  {".", "cmd/colagg/internal/chart", arrowPath},
	"cmd/colagg": {".", "cmd/colagg/internal/render", "cmd/colagg/internal/bench", arrowPath, "github.com/spf13/cobra", "github.com/schollz/progressbar/v3",
		"github.com/dustin/go-humanize", "golang.org/x/sys/unix", "golang.org/x/term"},

	"internal/archtest": {},
	"internal/oracle":   {arrowPath},
}

// codecs are the modules that read Parquet or decompress; parquetio hides them.
var codecs = []string{parquetPath, "github.com/andybalholm/brotli", "github.com/golang/snappy", "github.com/klauspost/compress",
	"github.com/pierrec/lz4", "github.com/apache/thrift"}

func allowed(path string, rules []string) bool {
	local, ours := "", false
	if path == modulePath {
		local, ours = ".", true
	} else if rest, ok := strings.CutPrefix(path, modulePath+"/"); ok {
		local, ours = rest, true
	}
	if ours {
		return slices.Contains(rules, local)
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return path != "C" // the standard library
	}
	return slices.ContainsFunc(rules, func(r string) bool { return inDir(path, r) })
}

// TestImportsPointDown holds every package to its row of mayImport.
func TestImportsPointDown(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sources(t) {
		if f.nested || f.test() || inDir(f.dir, ".ci") {
			continue
		}
		seen[f.dir] = true
		rules, known := mayImport[f.dir]
		if !known {
			t.Errorf("%s: package %s has no row in the table of imports", f.name, f.dir)
			continue
		}
		for _, path := range f.imports() {
			if !allowed(path, rules) {
				t.Errorf("%s: package %s may not import %s", f.name, f.dir, path)
			}
		}
	}
	for dir := range mayImport {
		if !seen[dir] {
			t.Errorf("the table of imports has a row for %s, which is no package", dir)
		}
	}
}

// TestCodecsStayInParquetio holds for test files too.
func TestCodecsStayInParquetio(t *testing.T) {
	for _, f := range sources(t) {
		if f.nested || inDir(f.dir, "parquetio") {
			continue
		}
		for _, path := range f.imports() {
			if slices.ContainsFunc(codecs, func(c string) bool { return inDir(path, c) }) {
				t.Errorf("%s: %s is imported outside parquetio", f.name, path)
			}
		}
	}
}

// TestUnsafeStaysBelow allows unsafe in vector's views and in parquetio only.
func TestUnsafeStaysBelow(t *testing.T) {
	for _, f := range sources(t) {
		if f.nested || f.dir == "vector" || inDir(f.dir, "parquetio") {
			continue
		}
		if slices.Contains(f.imports(), "unsafe") {
			t.Errorf("%s: unsafe is imported outside vector and parquetio", f.name)
		}
	}
}

// TestHeavyPackagesAreNotLinked keeps out of the command what would triple its
// size: gRPC and the Arrow packages that pull it in.
func TestHeavyPackagesAreNotLinked(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("the go command is needed: %v", err)
	}
	cmd := exec.Command(goTool, "list", "-deps", "./cmd/colagg")
	cmd.Dir = moduleRoot
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, modulePath) {
		t.Fatalf("the command does not depend on %s: the list of dependencies must be wrong", modulePath)
	}
	banned := []string{"google.golang.org", parquetPath + "/pqarrow", arrowPath + "/compute", arrowPath + "/flight", "golang.org/x/net"}
	for _, dep := range deps {
		if slices.ContainsFunc(banned, func(b string) bool { return inDir(dep, b) }) {
			t.Errorf("the command depends on %s", dep)
		}
	}
}
