package main

import (
	"io"

	"github.com/spf13/cobra"
)

// checkedWriter keeps the first error of writing, since those who print help
// do not look at it.
type checkedWriter struct {
	w   io.Writer
	err error
}

// Write writes p unless an earlier write failed.
func (c *checkedWriter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.err = err
	return n, err
}

// helpCommand is cobra's, but a command that does not exist is an error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []string
			if cmd, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				for _, c := range cmd.Commands() {
					if c.IsAvailableCommand() {
						names = append(names, c.Name())
					}
				}
			}
			return prefixed("", typed, names), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			switch {
			case err != nil:
				return unknownCommand(root, args[0])
			case len(rest) > 0:
				return usagef("%s has no command %q; see '%s --help'", cmd.CommandPath(), rest[0], cmd.CommandPath())
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

// addCompletion adds cobra's command, but a shell that it does not know is an
// error.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("%q is no shell; the shells are bash, fish, powershell and zsh", args[0])
		}
		return cmd.Help()
	}
}

// noEmptyFlags refuses flags that are given an empty value, which often is a
// variable that is not set.
func noEmptyFlags(cmd *cobra.Command) error {
	for _, name := range []string{"where", "having", "file", "output", "format", "memory", "max-temp", "strategy", "strategies", "progress", "explain", "analyze"} {
		value, err := cmd.Flags().GetString(name)
		if err == nil && value == "" && cmd.Flags().Changed(name) {
			return usagef("--%s has an empty value", name)
		}
	}
	return nil
}
