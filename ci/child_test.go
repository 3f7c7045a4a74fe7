package ci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"gpuci/gates"
)

// Variables that make the test binary a gpuci with one night to spend.
const (
	childDir    = "GPUCI_TEST_NIGHT"        // in this directory
	childResume = "GPUCI_TEST_NIGHT_RESUME" // "1": the last one
	childSlurm  = "GPUCI_TEST_NIGHT_SLURM"  // the gpuci that its nodes run; "" runs the gates here
	childKill   = "GPUCI_TEST_NIGHT_KILL"   // the step at which it kills itself, from 1
	childUsed   = "GPUCI_TEST_NIGHT_USED"   // a file that says what CPU the process itself has used, in nanoseconds
	childSteps  = "GPUCI_TEST_NIGHT_STEPS"  // a file that its steps are written to
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(spendNight(dir, os.Getenv(childResume) == "1"))
	}
	os.Exit(m.Run())
}

// spendNight is a night in a process of its own. It prints the report, and ends
// with its exit code.
func spendNight(dir string, resume bool) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(gates.Signalled{Exit: gates.ExitTerminated})
	}()
	o, err := optionsIn(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return gates.ExitUnexpected
	}
	defer o.Past.Close()
	o.Resume = resume
	if program := os.Getenv(childSlurm); program != "" {
		o.onSlurm(program)
	}
	o.step = stepper()
	o.Note = func(text string) { fmt.Fprintln(os.Stderr, text) }
	r, err := Run(ctx, o)
	switch {
	case errors.Is(err, ErrNoNight):
		return gates.ExitNothing
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return gates.ExitUnexpected
	}
	if file := os.Getenv(childUsed); file != "" {
		_ = os.WriteFile(file, fmt.Append(nil, ownCPU().Nanoseconds()), 0o644)
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
	return r.Exit
}

// ownCPU is what this process has used, without its children.
func ownCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// child is a night of this repository in another process.
func (s *laneStage) child(env ...string) *exec.Cmd {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), append(env, childDir+"="+s.dir)...)
	return cmd
}
