package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// run executes a command line and returns the exit status.
func run(ctx context.Context, env *environ, args []string) int {
	root := rootCommand(env)
	out := &checkedWriter{w: env.stdout}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(env.stderr)
	root.SetHelpCommand(helpCommand(root))
	addCompletion(root)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.err
	}
	if name := ""; err != nil {
		if _, other := fmt.Sscanf(err.Error(), "unknown command %q for", &name); other == nil {
			err = unknownCommand(root, name)
		}
	}
	env.discardOutput()
	code, tell := status(err)
	if tell {
		env.complain(err)
	}
	return code
}

// rootCommand returns the command with its subcommands. No template of cobra
// is set: that would link text/template, and with it every method that there
// is: 3.6 MB.
func rootCommand(env *environ) *cobra.Command {
	root := &cobra.Command{
		Use:   "colagg",
		Short: "GROUP BY over Parquet files",
		Long: `colagg answers GROUP BY over Parquet files.

Results go to standard output, everything else to standard error. The exit
status is 0; or 1 if it failed, 2 if the command line or the query is wrong,
130 if a signal ended it, 141 if nobody reads the pipe that it writes to.`,
		Example: `  colagg query trips.parquet --group-by city --agg 'count(*), avg(fare)'
  colagg query 'logs/**/*.parquet' --group-by day -o days.csv
  colagg sql "SELECT city, max(fare) FROM 'trips.parquet' GROUP BY 1 ORDER BY 2 DESC"
  colagg schema trips.parquet
  colagg bench skew`,
		Version:                    buildVersion(),
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		PersistentPreRunE:          func(cmd *cobra.Command, _ []string) error { return noEmptyFlags(cmd) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		name := strings.TrimPrefix(err.Error(), "unknown flag: --")
		if why := missingFlags[name]; why != "" {
			return usagef("--%s: %s", name, why)
		}
		return usagef("%s; see '%s --help'", strings.TrimSuffix(err.Error(), "."), cmd.CommandPath())
	})
	root.AddCommand(queryCommand(env), sqlCommand(env), schemaCommand(env), benchCommand(env), versionCommand(env))
	return root
}

// missingFlags has what is said of flags that one may expect.
var missingFlags = map[string]string{
	"filter":  "--where filters rows",
	"sort":    "--order-by orders the result",
	"columns": "--select names columns",
}

func unknownCommand(cmd *cobra.Command, name string) error {
	if strings.ContainsAny(name, "./*") {
		return usagef("%q is no command; did you mean 'colagg query %s'?", name, name)
	}
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		return usagef("%q is no command; did you mean '%s'?", name, strings.Join(s, "' or '"))
	}
	return usagef("%q is no command; see 'colagg --help'", name)
}
