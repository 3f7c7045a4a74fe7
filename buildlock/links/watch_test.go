package links

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// needs skips the test where something is missing, and fails it where nothing
// may be missing.
func needs(t *testing.T, have bool, what string) {
	t.Helper()
	switch {
	case have:
	case os.Getenv("GPUCI_TEST_STRICT") == "1":
		t.Fatalf("needs %s", what)
	default:
		t.Skipf("needs %s", what)
	}
}

// looks runs a watch for so many looks, and says what it said. Between is done
// before each of them, from 1 on.
func (w *Watch) looks(n int, between func(look int) []proc.Stat) (said []string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.Waiting = func(l buildlock.Line) { said = append(said, l.String()) }
	look := 0
	w.Run(ctx, func() (list []proc.Stat, err error) {
		if look++; between != nil {
			list = between(look)
		}
		if look > n {
			cancel()
		}
		return list, nil
	})
	return said
}

// ours takes the link lock for the build "ours".
func ours(t *testing.T, dir string) *buildlock.Ticket {
	t.Helper()
	ticket, err := buildlock.Acquire(t.Context(), buildlock.Options{Dir: dir, Wait: -1, Who: buildlock.Who{Build: "ours"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ticket.Release() })
	return ticket
}

// file is the ticket's in the lock directory.
func file(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "link", "0*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("tickets: %q, %v", found, err)
	}
	return found[0]
}

// linker starts a real one that inherits what is kept, and links until the test
// ends.
func linker(t *testing.T) proc.Stat {
	t.Helper()
	ld, err := exec.LookPath("ld")
	needs(t, err == nil, "ld")
	script := filepath.Join(t.TempDir(), "script")
	if err := unix.Mkfifo(script, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(ld, "-T", script)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for late := time.Now().Add(time.Minute); time.Now().Before(late); time.Sleep(time.Millisecond) {
		if s := stat(t, cmd.Process.Pid); s.State == 'S' {
			if _, ok := IsLinker(s); ok {
				return s
			}
		}
	}
	t.Fatal("there is no linker")
	return proc.Stat{}
}
