package main

import (
	"context"
	"strings"
	"time"

	"github.com/colagg/colagg"
	"github.com/spf13/cobra"
)

// completionTime is how long reading footers may take while a user waits for
// a completion.
const completionTime = 2 * time.Second

// completeFlags registers what the shell completes for flags of cmd.
func completeFlags(cmd *cobra.Command, flags map[string]cobra.CompletionFunc) {
	for flag, complete := range flags {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic("BUG: " + err.Error())
		}
	}
}

// completeWhen completes the values of --progress.
var completeWhen = cobra.FixedCompletions([]string{progressAuto, progressAlways, progressNever}, cobra.ShellCompDirectiveNoFileComp)

func completeQuery(cmd *cobra.Command) {
	completeFlags(cmd, map[string]cobra.CompletionFunc{
		"where":    completeCondition,
		"having":   completeCondition,
		"group-by": completeColumns,
		"agg":      completeAggs,
		"select":   completeColumns,
		"order-by": completeColumns,
		"offset":   cobra.NoFileCompletions,
		"limit":    cobra.NoFileCompletions,
	})
}

func completeBench(cmd *cobra.Command) {
	completeFlags(cmd, map[string]cobra.CompletionFunc{
		"rows":       cobra.NoFileCompletions,
		"groups":     cobra.NoFileCompletions,
		"threads":    cobra.NoFileCompletions,
		"runs":       cobra.NoFileCompletions,
		"seed":       cobra.NoFileCompletions,
		"strategies": completeStrategies,
		"progress":   completeWhen,
		"output":     completeDirs,
	})
	cmd.ValidArgsFunction = cobra.NoFileCompletions
}

// completeDirs completes a directory.
func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeStrategies completes the last of several strategies.
func completeStrategies(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before, word := splitLast(typed, ",")
	return prefixed(before, word, colagg.Strategies()), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeColumns completes the last of several columns.
func completeColumns(cmd *cobra.Command, files []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before, word := splitLast(typed, ",")
	return prefixed(before, word, columns(cmd.Context(), files)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeCondition completes the column that the last word begins.
func completeCondition(cmd *cobra.Command, files []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	at := strings.LastIndexAny(typed, " (<>=+-*/%") + 1
	return prefixed(typed[:at], typed[at:], columns(cmd.Context(), files)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeAggs completes the function or the column of the last of several
// aggregates.
func completeAggs(cmd *cobra.Command, files []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	before, word := splitLast(typed, ",")
	if name, arg, ok := strings.Cut(word, "("); ok {
		var calls []string
		for _, c := range columns(cmd.Context(), files) {
			calls = append(calls, c+")")
		}
		return prefixed(before+name+"(", arg, calls), directive
	}
	calls := []string{"count(*)"}
	for _, f := range colagg.Functions() {
		calls = append(calls, f+"(")
	}
	return prefixed(before, word, calls), directive
}

// splitLast splits s behind the last of the separators and the spaces after it.
func splitLast(s, separators string) (before, word string) {
	word = strings.TrimLeft(s[strings.LastIndexAny(s, separators)+1:], " ")
	return s[:len(s)-len(word)], word
}

// prefixed returns before and each of words that begins with word, whatever
// the case.
func prefixed(before, word string, words []string) []cobra.Completion {
	var out []cobra.Completion
	for _, w := range words {
		if len(w) >= len(word) && strings.EqualFold(w[:len(word)], word) {
			out = append(out, before+w)
		}
	}
	return out
}

// columns returns the columns that a query of the first of the files can use,
// as it spells them, or none if the file cannot be read soon.
func columns(ctx context.Context, files []string) []string {
	if len(files) == 0 {
		return nil
	}
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		return nil
	}
	defer func() { _ = eng.Close() }()
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	infos, err := eng.Describe(ctx, colagg.Files(files[0]))
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range infos[0].Columns {
		if c.Problem == "" {
			names = append(names, c.Name)
		}
	}
	return names
}
