package ci

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/slurm"
	"gpuci/ci/slurm/slurmtest"
	"gpuci/ci/spool"
)

// slurmStage is a repository whose gates run on a real Slurm.
type slurmStage struct {
	*laneStage
	rig     *slurmtest.Rig
	program string // the gpuci that nodes run
}

// program builds the gpuci that nodes run.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir, "gpuci/cmd/gpuci")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "gpuci")
}

// newSlurmStage is a repository below a directory whose name has all that a shell would
// read; what the gates write goes to $LOG there.
func newSlurmStage(t *testing.T, rig *slurmtest.Rig, program, toml string) *slurmStage {
	t.Helper()
	shared := filepath.Join(rig.Shared, "it's 50% $(touch no)\n\"here\"", t.Name())
	if err := os.MkdirAll(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, v := range rig.Env() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	toml = "[slurm]\nshared = " + strconv.Quote(shared) + "\nscratch = " + strconv.Quote(filepath.Join(shared, "scratch")) + "\n" + toml
	s := &slurmStage{logged(t, newStage(t, toml)), rig, program}
	t.Cleanup(func() { rig.MustBeEmpty(t) })
	return s
}

// onSlurm makes a night one whose gates run as jobs.
func (o *Options) onSlurm(program string) {
	here, cfg, state, past := o.Here, o.Config, o.State, o.Past
	o.On = "slurm"
	o.Open = func(ctx context.Context, _, id, dir string) (executor.Executor, error) {
		note := func(text string) { o.Note(text) }
		place, err := spool.Open(spool.Options{
			Shared: cfg.Slurm.Shared, Scratch: cfg.Slurm.Scratch, Night: id, Here: here, State: state, Past: past, Program: program, Version: "test", NoPressure: true, Note: note,
		})
		if err != nil {
			return nil, err
		}
		return slurm.New(ctx, slurm.Options{Config: cfg.Slurm, Spool: place, Dir: dir, Env: os.Environ(), Settle: 3 * time.Second, Note: note})
	}
}

// stepper counts the steps of a night, writes them down, and kills the process at one,
// by its number or its name.
func stepper() func(string) {
	kill, _ := strconv.Atoi(os.Getenv(childKill))
	file := os.Getenv(childSteps)
	count := 0
	return func(step string) {
		count++
		if file != "" {
			if f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err == nil {
				fmt.Fprintln(f, step)
				_ = f.Close()
			}
		}
		if count == kill || step == os.Getenv(childKill) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until it comes
		}
	}
}

// child is a night on Slurm in another process.
func (s *slurmStage) child(env ...string) *exec.Cmd {
	return s.laneStage.child(append(env, childSlurm+"="+s.program)...)
}

// night spends one on Slurm, which must come to a report.
func (s *slurmStage) night(change ...func(*Options)) Report {
	s.t.Helper()
	return s.laneStage.night(append([]func(*Options){func(o *Options) { o.onSlurm(s.program) }}, change...)...)
}

// closed says what is left of nights that are over.
func (s *slurmStage) closed() {
	s.t.Helper()
	s.clean()
	if names := (books{filepath.Join(s.dir, ".git/gpuci/ci")}).away(); len(names) > 0 {
		s.t.Errorf("nights that still have something there: %q", names)
	}
	left, _ := filepath.Glob(filepath.Join(s.rig.Shared, "*", "*", "*", "gpuci-*", "nights", "*", "tasks", "*"))
	if len(left) > 0 {
		s.t.Errorf("the shared place still has %q", left)
	}
}
