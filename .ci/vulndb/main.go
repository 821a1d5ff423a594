// Command vulndb lays out a vulnerability database that govulncheck can read
// from a folder, without a network:
//
//	vulndb OSV-FOLDER OUT-FOLDER
//
// OSV-FOLDER is data/osv of the module golang.org/x/vulndb. The layout is that
// of https://go.dev/security/vuln/database#api: ID/ holds the reports, and
// index/modules.json names for each module the reports about it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

type report struct {
	ID       string `json:"id"`
	Modified string `json:"modified"`
	Affected []struct {
		Package struct {
			Name string `json:"name"`
		} `json:"package"`
	} `json:"affected"`
}

// vuln is a row of the index. It leaves out the version that fixes the report,
// which would only let a reader skip the report early.
type vuln struct {
	ID       string `json:"id"`
	Modified string `json:"modified"`
}

type module struct {
	Path  string `json:"path"`
	Vulns []vuln `json:"vulns"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: vulndb OSV-FOLDER OUT-FOLDER")
		os.Exit(2)
	}
	n, err := build(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulndb:", err)
		os.Exit(1)
	}
	fmt.Println(n, "reports")
}

func build(src, out string) (int, error) {
	src, err := filepath.Abs(src)
	if err != nil {
		return 0, err
	}
	files, err := filepath.Glob(filepath.Join(src, "GO-*.json"))
	if err != nil {
		return 0, err
	}
	if len(files) < 1000 {
		return 0, fmt.Errorf("only %d reports in %s: this is not the database", len(files), src)
	}
	byPath := map[string][]vuln{}
	latest := ""
	for _, name := range files {
		r, err := read(name)
		if err != nil {
			return 0, err
		}
		latest = max(latest, r.Modified) // RFC 3339 in UTC sorts as text
		v := vuln{ID: r.ID, Modified: r.Modified}
		for _, a := range r.Affected {
			if p := a.Package.Name; !slices.Contains(byPath[p], v) {
				byPath[p] = append(byPath[p], v)
			}
		}
	}
	var mods []module
	for p, vs := range byPath {
		mods = append(mods, module{Path: p, Vulns: vs})
	}
	index := filepath.Join(out, "index")
	if err := os.MkdirAll(index, 0o755); err != nil {
		return 0, err
	}
	if err := write(filepath.Join(index, "modules.json"), mods); err != nil {
		return 0, err
	}
	if err := write(filepath.Join(index, "db.json"), map[string]string{"modified": latest}); err != nil {
		return 0, err
	}
	return len(files), os.Symlink(src, filepath.Join(out, "ID"))
}

func read(name string) (*report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func write(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
