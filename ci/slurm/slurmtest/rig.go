// Package slurmtest runs a real Slurm for tests: munge, slurmctld and two slurmd with two
// cards each, from the system's packages, and where asked for slurmdbd on a MariaDB.
//
// A rig has a directory, a munge key and socket, ports, and names of nodes of its own, so
// that several run beside each other and beside a machine's own Slurm. What it starts is
// ended by pid: by Down, and by a process of its own where the test is killed.
//
// Its cards are /dev/null and /dev/zero: Slurm gives them out, and nothing runs on them.
package slurmtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Options say what kind of a Slurm it is.
type Options struct {
	Accounting bool          // slurmdbd on MariaDB
	Cgroups    bool          // task/cgroup: a job over its memory is ended. An error where this machine has none for it
	MinJobAge  time.Duration // until a job that ended is forgotten; 0 is 300 s, Slurm's own
	Conf       string        // lines for slurm.conf
}

// Rig is a Slurm that runs.
type Rig struct {
	Nodes  []string // their names, two
	Conf   string   // slurm.conf
	Shared string   // a directory that its nodes see, and that is left to the test

	o       Options
	dir     string
	ports   ports
	keeper  *keeper
	daemons map[string]*daemon
	bin     map[string]string
}

// Start is a rig for a test, and is gone at its end. Where Slurm is not installed, the test
// is skipped, or fails under GPUCI_TEST_STRICT.
func Start(t testing.TB, o Options) *Rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "slurm") // not t.TempDir: the path of a socket has 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	r, err := Up(dir, o)
	for tries := 0; errors.Is(err, errTaken) && tries < 3; tries++ {
		if err = emptied(dir); err == nil {
			r, err = Up(dir, o)
		}
	}
	var missing *MissingError
	switch {
	case errors.As(err, &missing) && os.Getenv("GPUCI_TEST_STRICT") != "1":
		_ = os.RemoveAll(dir)
		t.Skip(err)
	case err != nil:
		_ = os.RemoveAll(dir)
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("slurmctld said:\n%s", r.Log("slurmctld", 15))
		}
		if err := r.Down(); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return r
}

// MissingError says that this machine has no Slurm, or not all of it.
type MissingError struct{ Program string }

func (e *MissingError) Error() string {
	return e.Program + " is not on this machine: apt-get install slurm-wlm munge mariadb-server slurmdbd"
}

// programs finds what a rig runs.
func programs(o Options) (map[string]string, error) {
	names := []string{"munged", "slurmctld", "slurmd", "sinfo", "squeue", "scontrol"}
	if o.Accounting {
		names = append(names, "mariadb-install-db", "mariadbd", "slurmdbd", "sacctmgr")
	}
	bin := make(map[string]string)
	for _, name := range names {
		path, err := exec.LookPath(name)
		for _, dir := range []string{"/usr/sbin", "/sbin"} { // not on everybody's PATH
			if err != nil {
				path, err = exec.LookPath(filepath.Join(dir, name))
			}
		}
		if err != nil {
			return nil, &MissingError{name}
		}
		bin[name] = path
	}
	return bin, nil
}

// emptied removes what is in a directory.
func emptied(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// errTaken says that somebody else has taken a port of a rig.
var errTaken = errors.New("a port was taken meanwhile")

// upTime is how long all daemons may take on a machine that does much else; the slowest is
// MariaDB's first start.
const upTime = 5 * time.Minute

// Up starts a rig in an empty directory, whose path must be short.
func Up(dir string, o Options) (r *Rig, err error) {
	bin, err := programs(o)
	if err != nil {
		return nil, err
	}
	r = &Rig{o: o, dir: dir, Conf: filepath.Join(dir, "slurm.conf"), Shared: filepath.Join(dir, "shared"), daemons: make(map[string]*daemon), bin: bin}
	if err := os.Chmod(dir, 0o755); err != nil { // munge wants to know that nobody else writes there
		return nil, err
	}
	if r.ports, err = freePorts(); err != nil {
		return nil, err
	}
	for _, c := range []string{"a", "b"} {
		r.Nodes = append(r.Nodes, fmt.Sprintf("gpuci%s%d", c, r.ports.ctld)) // cgroups are named by them
	}
	if err := r.configure(); err != nil {
		return nil, err
	}
	if r.keeper, err = keep(r.Conf); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start a Slurm in %s: %w\n%s", dir, err, r.Log("slurmctld", 15)), r.Down())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), upTime)
	defer cancel()
	return r, r.start(ctx)
}

func (r *Rig) start(ctx context.Context) error {
	if err := r.startMunge(ctx); err != nil {
		return err
	}
	if r.o.Accounting {
		if err := r.startAccounting(ctx); err != nil {
			return err
		}
	}
	if err := r.daemon("slurmctld", "-D", "-f", r.Conf); err != nil {
		return err
	}
	for _, n := range r.Nodes {
		if err := r.StartNode(n); err != nil {
			return err
		}
	}
	return r.until(ctx, "its nodes are idle", func() bool {
		out, err := r.Command(ctx, "sinfo", "-h", "-N", "-p", "main", "-o", "%T").Output()
		return err == nil && strings.TrimSpace(string(out)) == strings.TrimSpace(strings.Repeat("idle\n", len(r.Nodes)))
	})
}

// until waits for what daemons do by themselves.
func (r *Rig) until(ctx context.Context, what string, is func() bool) error {
	for !is() {
		for name, d := range r.daemons {
			if !d.gone() {
				continue
			}
			err := fmt.Errorf("%s ended: %s", name, r.Log(name, 5))
			if strings.Contains(r.Log(name, 30), "Address already in use") {
				err = fmt.Errorf("%w: %w", errTaken, err)
			}
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// Env is what makes Slurm's commands ask this rig.
func (r *Rig) Env() []string { return []string{"SLURM_CONF=" + r.Conf} }

// Command is one of Slurm's commands that asks this rig.
func (r *Rig) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, cmp.Or(r.bin[name], name), args...)
	cmd.Env = append(os.Environ(), r.Env()...)
	return cmd
}

// StopNode ends the slurmd of a node, as if the machine were off the network: what runs
// there goes on. Slurm calls it down after about ten seconds.
func (r *Rig) StopNode(node string) { r.daemons[node].kill() }

// StartNode starts the slurmd of a node.
func (r *Rig) StartNode(node string) error {
	return r.daemon(node, "-D", "-N", node, "-f", r.Conf)
}

// StopController ends slurmctld, which writes down first what it knows; jobs go on.
func (r *Rig) StopController() { r.daemons["slurmctld"].end() }

// StartController starts it again.
func (r *Rig) StartController() error { return r.daemon("slurmctld", "-D", "-f", r.Conf) }

// StopAccounting ends slurmdbd.
func (r *Rig) StopAccounting() { r.daemons["slurmdbd"].kill() }

// NodeEnv sets a variable of all jobs that begin from now on, as a site's TaskProlog does.
func (r *Rig) NodeEnv(name, value string) error {
	f, err := os.OpenFile(filepath.Join(r.dir, "nodeenv"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "export %s=%s\n", name, value)
	return err
}

// Log is the end of what a daemon has said: slurmctld, slurmdbd, mariadbd, munged, or the
// name of a node.
func (r *Rig) Log(name string, lines int) string {
	data, err := os.ReadFile(r.logFile(name))
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func (r *Rig) logFile(name string) string { return filepath.Join(r.dir, "log", name) }

// Down ends all that the rig and its jobs have started.
func (r *Rig) Down() error {
	err := r.keeper.end()
	for _, d := range r.daemons {
		d.wait()
	}
	return errors.Join(err, removeGroups(r.Nodes))
}
