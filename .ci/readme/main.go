// Command readme runs the examples of a Markdown file in the current folder:
//
//	readme README.md
//
// Two kinds of fenced blocks count. In a block marked sh every line is a
// command, which must succeed. In a block marked console a line that begins
// with "$ " is a command and the lines after it are what it prints; as the
// order of groups is free, lines are compared without regard to their order.
// A command goes on in the next line after a backslash at its end.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

type example struct {
	line    int
	command string
	output  []string // what it prints; nil if the file does not say
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: readme FILE.md")
		os.Exit(2)
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
	failed := 0
	found := examples(strings.Split(string(text), "\n"))
	for _, e := range found {
		if err := e.run(); err != nil {
			failed++
			fmt.Printf("%s:%d: %s\n%v\n", os.Args[1], e.line, e.command, err)
		}
	}
	fmt.Printf("%d commands, %d failed\n", len(found), failed)
	if failed > 0 || len(found) == 0 {
		os.Exit(1)
	}
}

// examples returns the commands of a Markdown file's lines.
func examples(lines []string) []example {
	var out []example
	kind, open := "", false
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if mark, ok := strings.CutPrefix(line, "```"); ok {
			kind, open = strings.TrimSpace(mark), !open
			continue
		}
		if !open {
			continue
		}
		command, isCommand := line, strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#")
		if kind == "console" {
			command, isCommand = strings.CutPrefix(line, "$ ")
		}
		switch {
		case kind == "sh" && isCommand, kind == "console" && isCommand:
			e := example{line: i + 1, command: command}
			for strings.HasSuffix(e.command, "\\") && i+1 < len(lines) {
				i++
				e.command += "\n" + lines[i]
			}
			if kind == "console" {
				e.output = []string{}
			}
			out = append(out, e)
		case kind == "console" && len(out) > 0:
			last := &out[len(out)-1]
			last.output = append(last.output, line)
		}
	}
	return out
}

// run runs the command with bash and compares what it prints on both outputs.
func (e example) run() error {
	got, err := exec.Command("bash", "-c", e.command).CombinedOutput()
	if e.output == nil {
		if err != nil {
			return fmt.Errorf("%w\n%s", err, got)
		}
		return nil
	}
	g, w := normal(strings.Split(string(got), "\n")), normal(e.output)
	if !slices.Equal(g, w) {
		return fmt.Errorf("printed:\n%s\nbut the file says:\n%s", got, strings.Join(e.output, "\n"))
	}
	return nil
}

// normal returns lines without trailing space and empty ones, sorted.
func normal(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimRight(l, " \t\r"); l != "" {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return out
}
