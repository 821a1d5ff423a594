package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// fingerprint is what answers are compared by.
type fingerprint struct {
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"` // of the hashes of the rows
}

// fingerprintCommand is `bench fingerprint`: SQL in, the fingerprint as JSON
// out. It has no limit of memory.
func fingerprintCommand(ctx context.Context, in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	d := &duckEngine{}
	if _, err := d.open(ctx, job{Threads: 2}); err != nil {
		return err
	}
	defer d.close()
	var f fingerprint
	if err := d.conn.QueryRowContext(ctx, string(text)).Scan(&f.Rows, &f.Sum); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(f)
}

// fingerprintOf asks in a process of its own: what this one has held counts as
// resident memory of processes that it starts (see startLimited).
func fingerprintOf(ctx context.Context, sql string) (fingerprint, error) {
	var f fingerprint
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	cmd := exec.CommandContext(ctx, self, "fingerprint")
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader([]byte(sql)), &complaint
	text, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("comparing: %w: %s", err, bytes.TrimSpace(complaint.Bytes()))
	}
	return f, json.Unmarshal(text, &f)
}

// differs says how an answer's fingerprint is another one than it should be,
// "" if it is not.
func (f fingerprint) differs(want fingerprint) string {
	switch {
	case f.Rows != want.Rows:
		return fmt.Sprintf("%d rows instead of %d", f.Rows, want.Rows)
	case f.Sum != want.Sum:
		return "other rows"
	}
	return ""
}
