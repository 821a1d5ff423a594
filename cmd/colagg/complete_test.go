package main

import (
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

func TestCompletion(t *testing.T) {
	trips := data("trips.parquet")
	for _, c := range []struct {
		args []string
		want string // in the order that is printed; or a part of it
	}{
		{[]string{"query", trips, "--group-by", "ci"}, "city"},
		{[]string{"query", trips, "--group-by", "city,PA"}, "city,passengers city,paid city,payment.method city,payment.card_last4"},
		{[]string{"query", trips, "-g", "ta"}, ""},
		{[]string{"query", trips, "--where", "fare > 2 and pas"}, "fare > 2 and passengers"},
		{[]string{"query", trips, "-w", "not (PA"}, "not (passengers not (paid not (payment.method not (payment.card_last4"},
		{[]string{"query", trips, "--agg", "bool_"}, "bool_and( bool_or("},
		{[]string{"query", trips, "--agg", "count(*), sum(fa"}, "count(*), sum(fare)"},
		{[]string{"query", trips, "--agg", "count(*"}, ""},
		{[]string{"query", data("names.parquet"), "-g", `"w`}, `"with space"`},
		{[]string{"query", trips, "--strategy", ""}, strings.Join(colagg.Strategies(), " ")},
		{[]string{"query", trips, "--format", ""}, "table csv tsv json ndjson markdown parquet arrow"},
		{[]string{"query", trips, "--progress", ""}, "auto always never"},
		{[]string{"query", "nothing.parquet", "-g", ""}, ""},
		{[]string{"query", "-g", ""}, ""},
		{[]string{"schema", trips, "-f", ""}, "table json"},
		{[]string{"bench", "s"}, "scale skew"},
		{[]string{"bench", "skew", "--strategies", "auto,se"}, "auto,serial"},
		{[]string{"bench", "skew", "--progress", ""}, "auto always never"},
		{[]string{"bench", "skew", "--rows", ""}, ""},
		{[]string{"bench", "skew", ""}, ""},
	} {
		_, stdout, _ := newSandbox().run(append([]string{"__completeNoDesc"}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		if got := strings.Join(lines[:len(lines)-1], " "); got != c.want {
			t.Errorf("%s: %s, want %s", strings.Join(c.args, " "), got, c.want)
		}
		if directive := lines[len(lines)-1]; directive != ":4" && directive != ":6" { // no files
			t.Errorf("%s: %s", strings.Join(c.args, " "), directive)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := must(t, "completion", shell); !strings.Contains(got, "colagg") || len(got) < 1000 {
			t.Errorf("%s: %d bytes", shell, len(got))
		}
	}
}
