package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// modulePath is the path of the main module.
const modulePath = "github.com/colagg/colagg"

// moduleRoot is the main module's folder, seen from this package's.
const moduleRoot = "../.."

// sourceFile is one parsed Go file of the checkout.
type sourceFile struct {
	name   string // slash-separated, from the module root
	dir    string // folder of name, "." for the root
	nested bool   // belongs to another module below this one
	text   string
	ast    *ast.File
	fset   *token.FileSet
}

// test reports whether the file is compiled into tests only.
func (f *sourceFile) test() bool { return strings.HasSuffix(f.name, "_test.go") }

// lines returns the number of lines of the file.
func (f *sourceFile) lines() int { return strings.Count(f.text, "\n") }

// line returns the line number of a position.
func (f *sourceFile) line(p token.Pos) int { return f.fset.Position(p).Line }

// imports returns the import paths of the file.
func (f *sourceFile) imports() []string {
	var out []string
	for _, s := range f.ast.Imports {
		out = append(out, strings.Trim(s.Path.Value, `"`))
	}
	return out
}

// sources parses every Go file below the module root.
func sources(t *testing.T) []*sourceFile {
	t.Helper()
	var files []*sourceFile
	nested := map[string]bool{}
	err := filepath.WalkDir(moduleRoot, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(moduleRoot, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			_, err := os.Stat(filepath.Join(p, "go.mod"))
			nested[rel] = rel != "." && (err == nil || nested[parent(rel)])
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		f, err := parse(p, rel)
		if err != nil {
			return err
		}
		f.nested = nested[f.dir]
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d Go files found below %s", len(files), moduleRoot)
	}
	return files
}

func parse(path, rel string) (*sourceFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &sourceFile{name: rel, dir: parent(rel), text: string(text), ast: tree, fset: fset}, nil
}

func parent(rel string) string {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i]
	}
	return "."
}

// inDir reports whether the folder dir is root or lies below it.
func inDir(dir, root string) bool {
	return dir == root || strings.HasPrefix(dir, root+"/")
}
