package main

import (
	"runtime"
	"strings"

	"github.com/colagg/colagg"
	"github.com/colagg/colagg/cmd/colagg/internal/bench"
	"github.com/spf13/cobra"
)

// benchKind is a subcommand of colagg bench.
type benchKind struct {
	name    string
	short   string
	long    string
	title   string // of the picture
	rows    int64  // by default: what takes about a minute on two cores
	figures func(bench.Options) []*bench.Figure
}

var benchKinds = []benchKind{
	{
		name: "skew", short: "Speed against the skew of the groups",
		long: `Skew measures the speed against the share of the rows that one group has (0, 2,
5, 10, 20, 50, 75 and 95 %), and against the shape of the distribution: uniform;
80-20, where a fifth of the groups have 80 % of the rows; Zipf's law with the
exponents 0.5, 1 and 1.5; one group with 50 %; sorted; and waves, where rows come
from a window of a 64th of the groups that passes over all of them four times.
The latter for states of fixed width, sum of an int64, and of variable width, min
of a string.`,
		title: "Speed by skew", rows: 2_000_000, figures: bench.Skew,
	},
	{
		name: "scale", short: "Speed against the number of workers",
		long: `Scale measures the speed against the number of workers: 1, 2, 4 and so on up to
--threads. It sums an int64 of uniform rows, and of rows of which a fifth of the
groups have 80 %.`,
		title: "Speed by workers", rows: 5_000_000, figures: bench.Scale,
	},
	{
		name: "aggregates", short: "Speed against the number of aggregates",
		long: `Aggregates measures the speed against the number of aggregates: 1, 2, 4, 8, 12,
16 and 32 sums of int64 columns, of uniform rows.`,
		title: "Speed by number of aggregates", rows: 2_000_000, figures: bench.Aggregates,
	},
}

const benchLong = `Bench measures the strategies of colagg on this machine and draws the figures.

Each strategy is a line. The rows are made in memory, the same for the same
--seed, --rows and --groups, so that reading files does not blur the figures.
Speed is million input rows per second: the median of --runs runs, in which the
strategies take turns, after one that does not count. All answers are compared,
and if two differ the command fails.`

const benchFiles = `

The rows are made in memory, and each strategy is a line. The speeds go to
standard output as a table, and with the ratio to the strategy serial into a .csv
and a .svg file, which appear whole or not at all and replace those that are
there. The published measurements of a shared hash aggregate in PostgreSQL had 20
million rows in a million groups: --rows 20_000_000 does the same. The default
size takes about a minute on a small machine.`

func benchCommand(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the strategies on this machine and draw figures",
		Long:  benchLong,
		Example: `  colagg bench skew
  colagg bench scale --threads 16 -o figures
  colagg bench aggregates --strategies serial,shared --rows 20_000_000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownBench(cmd, args[0])
		},
		SuggestionsMinimumDistance: 2,
	}
	for _, kind := range benchKinds {
		cmd.AddCommand(benchKindCommand(env, kind))
	}
	return cmd
}

func unknownBench(cmd *cobra.Command, name string) error {
	var names []string
	for _, k := range benchKinds {
		names = append(names, k.name)
	}
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		return usagef("%s has no command %q; did you mean '%s'?", cmd.CommandPath(), name, strings.Join(s, "' or '"))
	}
	return usagef("%s has no command %q; there are %s", cmd.CommandPath(), name, strings.Join(names, ", "))
}

// benchFlags are the flags of a subcommand of colagg bench.
type benchFlags struct {
	rows, groups  int64
	threads, runs int
	strategies    string
	seed          uint64
	output        string
	progress      string
}

func benchKindCommand(env *environ, kind benchKind) *cobra.Command {
	flags := &benchFlags{}
	cmd := &cobra.Command{
		Use:   kind.name,
		Short: kind.short,
		Long:  kind.long + benchFiles,
		Example: "  colagg bench " + kind.name + "\n" +
			"  colagg bench " + kind.name + " --rows 20_000_000 --groups 1_000_000 -o figures\n" +
			"  colagg bench " + kind.name + " --strategies auto,serial --runs 5",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("groups") {
				flags.groups = max(1, flags.rows/rowsPerGroup)
			}
			j, err := flags.job(env, kind)
			if err != nil {
				return err
			}
			return j.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Int64Var(&flags.rows, "rows", kind.rows, "aggregate `N` rows")
	f.Int64Var(&flags.groups, "groups", 0, "spread the rows over `N` groups (default a twentieth of\nthe rows)")
	f.IntVar(&flags.threads, "threads", runtime.GOMAXPROCS(0), "use at most `N` threads")
	f.IntVar(&flags.runs, "runs", 3, "take the median of `N` runs")
	f.StringVar(&flags.strategies, "strategies", strings.Join(colagg.Strategies(), ","), "measure the strategies in this `LIST`")
	f.Uint64Var(&flags.seed, "seed", 1, "make the rows from the random `NUMBER`")
	f.StringVarP(&flags.output, "output", "o", ".", "write "+kind.name+".csv and "+kind.name+".svg into the `DIRECTORY`")
	f.StringVar(&flags.progress, "progress", progressAuto, "show progress on standard error `WHEN`: auto (on a\nterminal), always, never")
	completeBench(cmd)
	return cmd
}
