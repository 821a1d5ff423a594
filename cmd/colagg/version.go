package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(env *environ) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of colagg and of what it is built with",
		Example: "  colagg version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(env.stdout, "colagg version %s\n", buildVersion()) // as --version does
			return err
		},
	}
}

// buildVersion describes the running program in one line, without its name.
func buildVersion() string {
	version, arrow, revision := "(devel)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, dep := range info.Deps {
			if dep.Path == "github.com/apache/arrow/go/v17" {
				arrow = ", arrow " + dep.Version
			}
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = fmt.Sprintf(", revision %.12s", s.Value)
			}
		}
	}
	return fmt.Sprintf("%s (%s, %s/%s%s%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, arrow, revision)
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, but there is %q", cmd.CommandPath(), args[0])
	}
	return nil
}

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("no file given; name a Parquet file, a pattern or a directory (see '%s --help')", cmd.CommandPath())
	}
	return nil
}
