package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colagg/colagg/cmd/colagg/internal/render"
)

// The binary formats.
const (
	formatParquet render.Format = "parquet"
	formatArrow   render.Format = "arrow"
)

// formats lists the values of --format.
var formats = []render.Format{
	render.Table, render.CSV, render.TSV, render.JSON, render.NDJSON, render.Markdown, formatParquet, formatArrow,
}

// endings maps the ending of an output file to its format.
var endings = map[string]render.Format{
	".csv": render.CSV, ".tsv": render.TSV, ".json": render.JSON, ".ndjson": render.NDJSON, ".jsonl": render.NDJSON,
	".md": render.Markdown, ".markdown": render.Markdown, ".txt": render.Table, ".parquet": formatParquet, ".parq": formatParquet, ".pq": formatParquet,
	".arrow": formatArrow, ".ipc": formatArrow, ".feather": formatArrow,
}

func binary(f render.Format) bool { return f == formatParquet || f == formatArrow }

// chooseFormat returns the format of the result: the one named, else the one
// of the output file's ending, else csv, or a table on a terminal.
func chooseFormat(named, path string, terminal bool) (render.Format, error) {
	f := render.Format(strings.ToLower(named))
	if path != "" && directory(path) {
		return "", usagef("output %s is a directory; name a file in it", path)
	}
	switch {
	case f != "":
		if alias, ok := endings["."+string(f)]; ok && !slices.Contains(formats, f) {
			f = alias
		}
		if !slices.Contains(formats, f) {
			return "", usagef("unknown format %q; the formats are %s", named, joinFormats(", "))
		}
	case path == "" && terminal:
		f = render.Table
	default:
		var ok bool
		if f, ok = endings[strings.ToLower(filepath.Ext(path))]; !ok {
			f = render.CSV
		}
	}
	if binary(f) && path == "" && terminal {
		return "", usagef("%s is binary and not for a terminal; name a file with -o", f)
	}
	return f, nil
}

// directory reports whether path is one, or can be nothing else.
func directory(path string) bool {
	if st, err := os.Stat(path); err == nil {
		return st.IsDir()
	}
	return os.IsPathSeparator(path[len(path)-1])
}

func joinFormats(sep string) string {
	var names []string
	for _, f := range formats {
		names = append(names, string(f))
	}
	return strings.Join(names, sep)
}
