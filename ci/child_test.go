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

	"gpuci/gates"
)

// Variables that make the test binary a gpuci with one night to spend.
const (
	childDir    = "GPUCI_TEST_NIGHT"        // in this directory
	childResume = "GPUCI_TEST_NIGHT_RESUME" // "1": the last one
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
	o.Note = func(text string) { fmt.Fprintln(os.Stderr, text) }
	r, err := Run(ctx, o)
	switch {
	case errors.Is(err, ErrNoNight):
		return gates.ExitNothing
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return gates.ExitUnexpected
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
	return r.Exit
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
