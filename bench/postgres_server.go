package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errNoPostgres is what a machine without PostgreSQL gives.
var errNoPostgres = errors.New("postgres: there is no PostgreSQL here: name a server with -server, or install one " +
	"(Debian: apt-get install postgresql) so that initdb, pg_ctl and psql are in PATH, in /usr/lib/postgresql/*/bin or in the folder given by -bin")

// pgFolders are where packages put programs that are not in PATH.
var pgFolders = []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin"}

// findProgram looks for a program of PostgreSQL in a folder if one is given,
// else in PATH, then in the folders that patterns match, newest version first.
func findProgram(name, folder string, patterns []string) (string, error) {
	if folder == "" {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	} else {
		patterns = []string{folder}
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(pattern, name))
		if err != nil {
			return "", err
		}
		slices.SortFunc(found, func(a, b string) int { return versionIn(b) - versionIn(a) })
		for _, path := range found {
			if path, err := exec.LookPath(path); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%w (%s was not found)", errNoPostgres, name)
}

// versionIn is the last number in a path, 0 if there is none.
func versionIn(path string) int {
	end := strings.LastIndexAny(path, "0123456789") + 1
	start := end
	for start > 0 && path[start-1] >= '0' && path[start-1] <= '9' {
		start--
	}
	n, _ := strconv.Atoi(path[start:end])
	return n
}

// pgServer is a server that psql reaches.
type pgServer struct {
	psql string
	to   []string // psql's arguments that name the server
}

// say runs commands one after the other in one session and returns what they
// print; in is the input of COPY FROM STDIN.
func (s *pgServer) say(ctx context.Context, in io.Reader, out io.Writer, commands ...string) error {
	args := append(slices.Clone(s.to), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1")
	for _, c := range commands {
		args = append(args, "-c", c)
	}
	cmd := exec.CommandContext(ctx, s.psql, args...)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("postgres: psql: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	return nil
}

// text is say for a short answer.
func (s *pgServer) text(ctx context.Context, commands ...string) (string, error) {
	var out strings.Builder
	err := s.say(ctx, nil, &out, commands...)
	return strings.TrimSpace(out.String()), err
}

// cluster is a temporary server with a folder of its own.
type cluster struct {
	pgServer
	dir  string
	ctl  string
	data string
	as   *user.User // nil: this process's user
}

// startCluster makes a database cluster in a new folder below parent and starts
// a server that listens on a socket there and nowhere else. It is for
// measuring: what it writes does not outlast a crash.
func startCluster(ctx context.Context, parent, folder string, patterns []string, sharedBuffers string) (*cluster, error) {
	var path [3]string
	for i, name := range []string{"initdb", "pg_ctl", "psql"} {
		var err error
		if path[i], err = findProgram(name, folder, patterns); err != nil {
			return nil, err
		}
	}
	c := &cluster{pgServer: pgServer{psql: path[2]}, ctl: path[1]}
	var err error
	if c.as, err = serverUser(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp(parent, "colagg-postgres-"); err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	if c.dir, err = filepath.Abs(c.dir); err == nil {
		err = c.init(ctx, path[0], sharedBuffers)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	c.to = []string{"-h", c.dir, "-p", pgPort, "-U", "postgres", "-d", "postgres"}
	if err := c.run(ctx, c.ctl, "start", "-w", "-t", "60", "-D", c.data, "-l", filepath.Join(c.dir, "log")); err != nil {
		log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, log), os.RemoveAll(c.dir))
	}
	return c, nil
}

// pgPort is part of the socket's name.
const pgPort = "5432"

// init makes the cluster's files.
func (c *cluster) init(ctx context.Context, initdb, sharedBuffers string) error {
	if c.as != nil {
		uid, err := strconv.Atoi(c.as.Uid)
		if err != nil {
			return fmt.Errorf("postgres: %w", err)
		}
		if err := os.Chown(c.dir, uid, -1); err != nil {
			return fmt.Errorf("postgres: %w", err)
		}
	}
	c.data = filepath.Join(c.dir, "data")
	if err := c.run(ctx, initdb, "-D", c.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	conf := strings.Join([]string{"", "listen_addresses = ''", "unix_socket_directories = " + quote(c.dir), "port = " + pgPort,
		"shared_buffers = " + quote(sharedBuffers), "max_worker_processes = 64", "max_parallel_workers = 64", "autovacuum = off",
		"fsync = off", "synchronous_commit = off", "full_page_writes = off", "wal_level = minimal", "max_wal_senders = 0",
		"max_wal_size = '16GB'", "checkpoint_timeout = '1h'", ""}, "\n")
	f, err := os.OpenFile(filepath.Join(c.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	_, err = f.WriteString(conf)
	return errors.Join(err, f.Close())
}

// serverUser is the user that the server runs as: this process's (nil), but not
// the superuser, as whom it refuses to run.
func serverUser() (*user.User, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return u, nil
		}
	}
	return nil, errors.New("postgres: the server does not run as the superuser, and there is no user postgres or nobody")
}

// run runs one of the server's programs, as the server's user.
func (c *cluster) run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	if c.as != nil {
		line := shellQuote(program)
		for _, a := range args {
			line += " " + shellQuote(a)
		}
		cmd = exec.CommandContext(ctx, "su", "-s", "/bin/sh", c.as.Username, "-c", line)
	}
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("postgres: %s: %w: %s", filepath.Base(program), err, bytes.TrimSpace(out))
	}
	return nil
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// stop ends the server and removes its folder, also after ctx has ended.
func (c *cluster) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(c.run(ctx, c.ctl, "stop", "-w", "-m", "immediate", "-D", c.data), os.RemoveAll(c.dir))
}
