package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines   = 600
	maxMedianLines = 200
	maxFuncLines   = 70
)

// TestFilesAreShort counts tests and nested modules too.
func TestFilesAreShort(t *testing.T) {
	var lines []int
	for _, f := range sources(t) {
		n := f.lines()
		lines = append(lines, n)
		if n > maxFileLines {
			t.Errorf("%s has %d lines; the limit is %d", f.name, n, maxFileLines)
		}
	}
	slices.Sort(lines)
	if m := lines[len(lines)/2]; m > maxMedianLines {
		t.Errorf("the median file has %d lines; the limit is %d", m, maxMedianLines)
	}
}

// TestFunctionsAreShort measures from the func keyword to the closing brace.
func TestFunctionsAreShort(t *testing.T) {
	for _, f := range sources(t) {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > maxFuncLines {
				t.Errorf("%s:%d: %s has %d lines; the limit is %d", f.name, f.line(fn.Pos()), fn.Name.Name, n, maxFuncLines)
			}
		}
	}
}

// TestPackagesAreDocumented wants a package comment in each package.
func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range sources(t) {
		if f.test() {
			continue
		}
		documented[f.dir] = documented[f.dir] || f.ast.Doc != nil
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

// TestExportedNamesAreDocumented wants a comment on every exported type,
// function, method of an exported type, constant and variable.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, f := range sources(t) {
		if f.test() {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s:%d: %s has no comment", f.name, f.line(d.Pos()), name)
			}
		}
	}
}

func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		recv := receiver(d)
		if !d.Name.IsExported() || d.Doc != nil || recv != "" && !ast.IsExported(recv) {
			return nil
		}
		return []string{strings.TrimPrefix(recv+"."+d.Name.Name, ".")}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT || d.Doc != nil {
			return nil
		}
		var names []string
		for _, s := range d.Specs {
			names = append(names, undocumentedSpec(s)...)
		}
		return names
	}
	return nil
}

func undocumentedSpec(s ast.Spec) []string {
	var names []*ast.Ident
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Doc == nil {
			names = []*ast.Ident{s.Name}
		}
	case *ast.ValueSpec:
		if s.Doc == nil && s.Comment == nil {
			names = s.Names
		}
	}
	var out []string
	for _, n := range names {
		if n.IsExported() {
			out = append(out, n.Name)
		}
	}
	return out
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

var vagueName = regexp.MustCompile(`(Manager|Helper|Base|Impl|Util|Utils)$`)

// TestNamesSaySomething refuses names that could mean anything.
func TestNamesSaySomething(t *testing.T) {
	for _, f := range sources(t) {
		for _, d := range f.ast.Decls {
			for _, name := range declared(d) {
				if vagueName.MatchString(name) {
					t.Errorf("%s:%d: %s is not a name from the design", f.name, f.line(d.Pos()), name)
				}
			}
		}
	}
}

func declared(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{d.Name.Name}
	case *ast.GenDecl:
		var names []string
		for _, s := range d.Specs {
			if s, ok := s.(*ast.TypeSpec); ok {
				names = append(names, s.Name.Name)
			}
		}
		return names
	}
	return nil
}

// TestPanicsAreBugs allows panic("BUG: …") alone, and recover only where a
// third-party library or a worker may panic: in spill that is the Arrow IPC
// library, which reads its messages without looking at lengths and has no other
// answer to an allocator that refuses.
func TestPanicsAreBugs(t *testing.T) {
	for _, f := range sources(t) {
		if f.test() || f.nested {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch fn, _ := call.Fun.(*ast.Ident); {
			case fn == nil:
			case fn.Name == "panic" && !isBug(call):
				t.Errorf("%s:%d: panic without \"BUG: …\"", f.name, f.line(call.Pos()))
			case fn.Name == "recover" && f.dir != "operators" && f.dir != "spill" && !inDir(f.dir, "parquetio"):
				t.Errorf("%s:%d: recover outside operators, spill and parquetio", f.name, f.line(call.Pos()))
			}
			return true
		})
	}
}

// isBug reports whether the first string literal of a call to panic says so.
func isBug(call *ast.CallExpr) bool {
	found := false
	first := true
	ast.Inspect(call, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && first {
			first = false
			found = strings.HasPrefix(lit.Value, `"BUG: `) || strings.HasPrefix(lit.Value, "`BUG: ")
		}
		return true
	})
	return found
}

var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

// TestNothingIsUnfinished refuses markers of work left over.
func TestNothingIsUnfinished(t *testing.T) {
	for _, f := range sources(t) {
		for _, group := range f.ast.Comments {
			if m := unfinished.FindString(group.Text()); m != "" {
				t.Errorf("%s:%d: a comment says %s", f.name, f.line(group.Pos()), m)
			}
		}
	}
}
