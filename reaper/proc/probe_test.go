package proc

import (
	"errors"
	"os"
	"testing"
)

// What is told of a leaf is what a command gets, and nothing of it stays.
func TestTryLeaf(t *testing.T) {
	got, err := TryLeaf(t.Context())
	p := start(t, Command{}, "polite")
	if (err == nil) != (p.Leaf() != "") {
		t.Fatalf("told %+v, %v; a command has %q, %v", got, err, p.Leaf(), p.NoLeaf)
	}
	if err != nil && !errors.Is(err, ErrNoLeaf) {
		t.Errorf("%v is no ErrNoLeaf", err)
	}
	if got.Dir == "" {
		needs(t, "a cgroup v2 directory to write in")
	}
	if _, err := os.Stat(got.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", got.Dir, err)
	}
	if _, err := os.Stat(p.Leaf() + "/io.pressure"); (err == nil) != got.Stall {
		t.Errorf("told %v of the stall, and the leaf of a command: %v", got.Stall, err)
	}
}

func TestTryPidfd(t *testing.T) {
	if err := TryPidfd(); err != nil {
		t.Error(err)
	}
}

// A thread that reads from an empty pipe is in the function of the kernel's that
// does it, whatever that is called in this version.
func TestTryWaitChannel(t *testing.T) {
	name, err := TryWaitChannel()
	if err != nil {
		needs(t, err.Error())
	}
	if name == "" {
		needs(t, "a kernel that tells what a thread waits in")
	}
	t.Log(name)
}
