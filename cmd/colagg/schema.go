package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/colagg/colagg"
	"github.com/colagg/colagg/cmd/colagg/internal/render"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

func schemaCommand(env *environ) *cobra.Command {
	format := string(render.Table)
	cmd := &cobra.Command{
		Use:   "schema FILE...",
		Short: "Show the columns and row groups of Parquet files",
		Long: `Schema shows what the footers of Parquet files say: the columns with their
Parquet and Arrow types, encodings, codecs and sizes, and the row groups.

Columns are spelled as a query spells them. Of a column that cannot be queried
it says why.`,
		Example: `  colagg schema trips.parquet
  colagg schema 'logs/*.parquet' --format json`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "table" && format != "json" {
				return usagef("unknown format %q; the formats of a schema are table and json", format)
			}
			eng, err := colagg.New(colagg.Options{})
			if err != nil {
				return err
			}
			defer func() { _ = eng.Close() }()
			infos, err := eng.Describe(cmd.Context(), colagg.Files(args...))
			if err != nil {
				return err
			}
			if format == "json" {
				return schemaJSON(env.stdout, infos)
			}
			return schemaText(env.stdout, infos, env.columns)
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", format, "`FORMAT`: table, json")
	err := cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"table", "json"}, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return cmd
}

// schemaText writes a heading and a table for each file, and why columns cannot
// be queried. columns is the most cells in a line of a table, or 0.
func schemaText(w io.Writer, infos []colagg.FileInfo, columns int) error {
	for i, f := range infos {
		var text strings.Builder
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "%s: %s in %s, %s\n", render.Visible(f.Name), plural(f.Rows, "row"), rowGroups(f.RowGroups), size(f.Size))
		if f.CreatedBy != "" {
			fmt.Fprintf(&text, "written by %s\n", render.Visible(f.CreatedBy))
		}
		grid := render.Grid{
			Header:  []string{"column", "parquet type", "arrow type", "nulls", "encodings", "codec", "compressed", "uncompressed"},
			Right:   []bool{6: true, 7: true},
			Cut:     []bool{0: true, 1: true, 2: true, 4: true, 7: false},
			Columns: columns,
		}
		for _, c := range f.Columns {
			grid.Rows = append(grid.Rows, columnRow(c))
		}
		text.WriteString(grid.String())
		for _, c := range f.Columns {
			if c.Problem != "" {
				fmt.Fprintf(&text, "%s cannot be queried: %s\n", render.Visible(c.Name), render.Visible(c.Problem))
			}
		}
		if _, err := io.WriteString(w, text.String()); err != nil {
			return err
		}
	}
	return nil
}

func columnRow(c colagg.ColumnInfo) []string {
	parquet := c.Physical
	if c.Logical != "" {
		parquet += " " + c.Logical
	}
	nulls := "no"
	if c.Nullable {
		nulls = "yes"
	}
	arrow := c.Arrow
	if arrow == "" {
		arrow = "-"
	}
	return []string{
		render.Visible(c.Name), render.Visible(parquet), arrow, nulls,
		strings.Join(c.Encodings, " "), strings.Join(c.Codecs, " "), size(c.Compressed), size(c.Uncompressed),
	}
}

// rowGroups says how many row groups there are and of how many rows.
func rowGroups(groups []colagg.RowGroupInfo) string {
	s := plural(int64(len(groups)), "row group")
	if len(groups) < 2 {
		return s
	}
	least, most := groups[0].Rows, groups[0].Rows
	for _, g := range groups {
		least, most = min(least, g.Rows), max(most, g.Rows)
	}
	if least == most {
		return fmt.Sprintf("%s of %s", s, humanize.Comma(most))
	}
	return fmt.Sprintf("%s of %s to %s", s, humanize.Comma(least), humanize.Comma(most))
}

// plural returns the number n with the noun.
func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return humanize.Comma(n) + " " + noun
}

func size(bytes int64) string { return humanize.IBytes(uint64(max(0, bytes))) }

// schemaFile and the types below are the JSON form of a schema. Sizes are in
// bytes.
type schemaFile struct {
	Name      string           `json:"name"`
	Size      int64            `json:"size"`
	Rows      int64            `json:"rows"`
	CreatedBy string           `json:"created_by"`
	RowGroups []schemaRowGroup `json:"row_groups"`
	Columns   []schemaColumn   `json:"columns"`
}

type schemaRowGroup struct {
	Rows         int64 `json:"rows"`
	Compressed   int64 `json:"compressed"`
	Uncompressed int64 `json:"uncompressed"`
}

type schemaColumn struct {
	Name         string   `json:"name"`
	Physical     string   `json:"physical_type"`
	Logical      string   `json:"logical_type"`
	Arrow        string   `json:"arrow_type"`
	Nullable     bool     `json:"nullable"`
	Repeated     bool     `json:"repeated"`
	Problem      string   `json:"problem,omitempty"`
	Encodings    []string `json:"encodings"`
	Codecs       []string `json:"codecs"`
	Values       int64    `json:"values"`
	Compressed   int64    `json:"compressed"`
	Uncompressed int64    `json:"uncompressed"`
}

// schemaJSON writes an array with an object for each file.
func schemaJSON(w io.Writer, infos []colagg.FileInfo) error {
	files := make([]schemaFile, len(infos))
	for i, f := range infos {
		s := schemaFile{Name: f.Name, Size: f.Size, Rows: f.Rows, CreatedBy: f.CreatedBy,
			RowGroups: []schemaRowGroup{}, Columns: []schemaColumn{}}
		for _, g := range f.RowGroups {
			s.RowGroups = append(s.RowGroups, schemaRowGroup(g))
		}
		for _, c := range f.Columns {
			s.Columns = append(s.Columns, schemaColumn{
				Name: c.Name, Physical: c.Physical, Logical: c.Logical, Arrow: c.Arrow,
				Nullable: c.Nullable, Repeated: c.Repeated, Problem: c.Problem,
				Encodings: append([]string{}, c.Encodings...), Codecs: append([]string{}, c.Codecs...),
				Values: c.Values, Compressed: c.Compressed, Uncompressed: c.Uncompressed,
			})
		}
		files[i] = s
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(files)
}
