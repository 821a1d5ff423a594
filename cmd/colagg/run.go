package main

import (
	"slices"
	"strings"

	"github.com/colagg/colagg"
	"github.com/spf13/cobra"
)

// maxThreads is the most that Options.Workers may be.
const maxThreads = 4096

// runFlags say how a query is run and where its result goes.
type runFlags struct {
	output, format string
	threads        int
	memory         string
	tempDirs       []string
	maxTemp        string
	noChecksums    bool
	strategy       string
	progress       string
	explain        string
	analyze        string
}

// add adds the flags to cmd.
func (f *runFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	flags.StringVarP(&f.format, "format", "f", "", "write the result in `FORMAT`:\n"+joinFormats(", "))
	flags.IntVar(&f.threads, "threads", 0, "use at most `N` threads (default one for each processor)")
	flags.StringVar(&f.memory, "memory", "", "use at most this `SIZE` of memory for groups and buffers,\nsuch as 512MB, 2GiB or 50% of what there is (default 70%)")
	flags.StringArrayVar(&f.tempDirs, "temp-dir", nil, "keep what does not fit in memory in `DIR`; may be repeated\n(default the system's directory for temporary files)")
	flags.StringVar(&f.maxTemp, "max-temp", "", "use at most this `SIZE` on disk for that (default all there is)")
	flags.BoolVar(&f.noChecksums, "no-checksums", false, "read pages whose checksum is wrong as they are")
	flags.StringVar(&f.strategy, "strategy", "auto", "aggregate in this `WAY`: "+strings.Join(colagg.Strategies(), ", "))
	flags.StringVar(&f.progress, "progress", progressAuto, "show progress on standard error `WHEN`: auto (on a\nterminal), always, never")
	flags.StringVar(&f.explain, "explain", "", "show the plan of the query with estimates, and do not run it;\n`FORM` is "+strings.Join(planForms, ", ")+" (default by the ending of -o, else text)")
	flags.StringVar(&f.analyze, "analyze", "", "run the query, drop its result and show the plan with what\nwas done; `FORM` as for --explain")
	flags.Lookup("explain").NoOptDefVal, flags.Lookup("analyze").NoOptDefVal = string(planAuto), string(planAuto)
	completeFlags(cmd, map[string]cobra.CompletionFunc{
		"strategy": cobra.FixedCompletions(colagg.Strategies(), cobra.ShellCompDirectiveNoFileComp),
		"format":   cobra.FixedCompletions(strings.Split(joinFormats(" "), " "), cobra.ShellCompDirectiveNoFileComp),
		"progress": completeWhen,
		"explain":  cobra.FixedCompletions(planForms, cobra.ShellCompDirectiveNoFileComp),
		"analyze":  cobra.FixedCompletions(planForms, cobra.ShellCompDirectiveNoFileComp),
		"threads":  cobra.NoFileCompletions,
		"memory":   cobra.NoFileCompletions,
		"max-temp": cobra.NoFileCompletions,
		"temp-dir": completeDirs,
	})
}

// run answers q; args are those of the command.
func (f *runFlags) run(cmd *cobra.Command, env *environ, q colagg.Query, args []string) error {
	if cmd.Flags().Changed("threads") && f.threads == 0 {
		return usagef("--threads must be between 1 and %d, not 0", maxThreads) // 0 would be the default
	}
	j, err := f.job(env, args)
	if err != nil {
		return err
	}
	j.query, j.query.Strategy = q, f.strategy
	return j.run(cmd.Context())
}

// job checks the flags and makes a job of them, without its query.
func (f *runFlags) job(env *environ, args []string) (*job, error) {
	j := &job{env: env, path: f.output}
	j.options = colagg.Options{Workers: f.threads, SkipChecksums: f.noChecksums}
	if j.path == "-" {
		j.path = ""
	}
	if f.threads < 0 || f.threads > maxThreads {
		return nil, usagef("--threads must be between 1 and %d, not %d", maxThreads, f.threads)
	}
	var err error
	if j.format, err = chooseFormat(f.format, j.path, env.stdoutTerminal); err != nil {
		return nil, err
	}
	if j.plan, err = f.planJob(args); err != nil {
		return nil, err
	}
	if j.progress, err = newProgress(env, f.progress); err != nil {
		return nil, err
	}
	if j.options.MemoryLimit, err = parseMemory(f.memory); err != nil {
		return nil, err
	}
	if slices.Contains(f.tempDirs, "") {
		return nil, usagef("--temp-dir has an empty value")
	}
	j.options.TempDirs = f.tempDirs
	if f.maxTemp != "" {
		if j.options.MaxTemp, err = parseSize("max-temp", f.maxTemp, "512MB or 20GiB"); err != nil {
			return nil, err
		}
	}
	return j, nil
}
