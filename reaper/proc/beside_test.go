package proc

import (
	"os/exec"
	"testing"
)

// TestBesideIsNoStranger: a child that stays beside commands does not make
// supervision doubt their orphans; one that was started past us does.
func TestBesideIsNoStranger(t *testing.T) {
	start := func(begin func(*exec.Cmd) (func() error, error)) bool {
		cmd := exec.Command("cat")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		wait, err := begin(cmd)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Real.Stat(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		kin.Lock()
		found := strangers()[s.key()]
		kin.Unlock()
		in.Close()
		if err := wait(); err != nil {
			t.Error(err)
		}
		return found
	}
	if start(StartBeside) {
		t.Error("a child that was started beside is a stranger")
	}
	if !start(func(cmd *exec.Cmd) (func() error, error) { return cmd.Wait, cmd.Start() }) {
		t.Error("a child that nobody told of is none")
	}
}
