package main

import (
	"io"
	"os"
	"strings"

	"github.com/colagg/colagg"
	"github.com/spf13/cobra"
)

const sqlLong = `Sql runs one SELECT statement. It is the argument, or what --file names, or else
read from standard input. Inputs stand behind FROM, in single quotes: a file, a
directory or a pattern as in 'colagg query', or several with commas between.

  [WITH name AS (SELECT ...), ...]
  SELECT [DISTINCT] expressions [FROM input or (SELECT ...)]
  [WHERE condition] [GROUP BY expressions | numbers | ALL] [HAVING condition]
  [UNION | INTERSECT | EXCEPT [ALL] SELECT ...]
  [ORDER BY expressions | numbers [ASC | DESC] [NULLS FIRST | LAST]]
  [LIMIT n] [OFFSET n]

What is said of conditions, columns, orders, formats, output files and plans in
'colagg query --help' holds here too.`

const sqlExample = `  colagg sql "SELECT city, count(*) AS n, avg(fare) FROM 'trips/*.parquet' GROUP BY city ORDER BY n DESC LIMIT 10"
  colagg sql --file report.sql -o report.parquet
  echo "FROM 'trips.parquet' SELECT max(day)" | colagg sql
  colagg sql --analyze "SELECT DISTINCT city FROM 'trips.parquet' EXCEPT SELECT city FROM 'known.parquet'"`

// maxStatement is the most bytes of a statement.
const maxStatement = 1 << 20

func sqlCommand(env *environ) *cobra.Command {
	flags, file := &runFlags{}, ""
	cmd := &cobra.Command{
		Use:     "sql [STATEMENT]",
		Short:   "Run a SELECT statement",
		Long:    sqlLong,
		Example: sqlExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := statement(env, file, args)
			if err != nil {
				return err
			}
			return flags.run(cmd, env, colagg.Query{SQL: text}, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&file, "file", "", "read the statement from `FILE`")
	flags.add(cmd)
	return cmd
}

// statement returns the text of the statement.
func statement(env *environ, file string, args []string) (string, error) {
	var in io.Reader = env.stdin
	switch {
	case len(args) > 1:
		return "", usagef("there are %d arguments; the statement is one, in double quotes", len(args))
	case len(args) == 1 && file != "":
		return "", usagef("the statement is an argument or in --file, not both")
	case len(args) == 1 && args[0] != "-":
		in = strings.NewReader(args[0])
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxStatement+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxStatement:
		return "", usagef("the statement is longer than %d bytes", maxStatement)
	case strings.TrimSpace(string(text)) == "":
		return "", usagef("there is no statement; see 'colagg sql --help'")
	}
	return string(text), nil
}
