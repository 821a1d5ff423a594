package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// command runs one of bench's commands.
func command(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("say gen, run, matrix, growth, postgres, memory, differ or list")
	}
	switch args[0] {
	case "gen":
		return genCommand(ctx, args[1:], out)
	case "run":
		return runCommand(ctx, args[1:], out)
	case "worker":
		return workerCommand(ctx, args[1:], os.Stdin, out)
	case "matrix":
		return matrixCommand(ctx, args[1:], out)
	case "growth":
		return growthCommand(ctx, args[1:], out)
	case "postgres":
		return postgresCommand(ctx, args[1:], out)
	case "memory":
		return memoryCommand(ctx, args[1:], out)
	case "differ":
		return differCommand(ctx, args[1:], out)
	case "fingerprint":
		return fingerprintCommand(ctx, os.Stdin, out)
	case "list":
		listCommand(out)
		return nil
	}
	return fmt.Errorf("unknown command %q: say gen, run, matrix, growth, postgres, memory, differ or list", args[0])
}
