package proc

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Field case 11: a pid is used again. In a pid namespace of its own the test
// says which pid comes next.
func TestReusedPID(t *testing.T) {
	if os.Getpid() != 1 {
		if unix.Geteuid() != 0 {
			needs(t, "root")
		}
		again(t, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS})
		return
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		t.Fatal(err)
	}
	first := exec.Command("/bin/sleep", "600")
	pid := settled(t, launch(t, first))
	id, err := Real.Identity(pid)
	if err != nil {
		t.Fatal(err)
	}
	if alive, err := Real.Alive(id); !alive || err != nil {
		t.Fatalf("alive: got %v, %v", alive, err)
	}
	table, err := Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	if err := Real.Signal(id, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	second := another(t, pid, id.Start)

	if alive, err := Real.Alive(id); alive || err != nil {
		t.Errorf("the first: got alive %v, %v", alive, err)
	}
	if err := Real.Signal(id, unix.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("signal to the first: got %v, want ErrGone", err)
	}
	if alive, err := Real.Alive(second); !alive || err != nil {
		t.Errorf("the second: got alive %v, %v", alive, err)
	}
	u := Real.TreeUsage(table, pid)
	if len(u.Unread) != 1 || !errors.Is(u.Unread[0].Err, ErrGone) || u.IO != (IO{}) {
		t.Errorf("usage of the first counts the second's: %+v", u)
	}
}

// another starts a process that gets the given pid, in another clock tick.
func another(t *testing.T, pid int, start uint64) Identity {
	t.Helper()
	for range 1000 {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sleep", "600")
		got := settled(t, launch(t, cmd))
		id, err := Real.Identity(got)
		if err != nil {
			t.Fatal(err)
		}
		if got == pid && id.Start != start {
			return id
		}
		_ = cmd.Process.Kill() // too early, or a thread of ours took the number
		_ = cmd.Wait()
	}
	t.Fatalf("pid %d was not given again", pid)
	return Identity{}
}

func TestAliveFixtures(t *testing.T) {
	root := fixtureRoot(t, map[string]fixture{
		"12":                {files: map[string]string{"stat": line(12, "x")}},
		"13":                {files: map[string]string{"stat": "rubbish"}},
		"sys/kernel/random": {files: map[string]string{"boot_id": "b-1\n"}},
	})
	for _, c := range []struct {
		id   Identity
		want bool
	}{
		{Identity{12, 4242, "b-1"}, true}, {Identity{12, 4241, "b-1"}, false},
		{Identity{12, 4242, "b-0"}, false}, {Identity{14, 4242, "b-1"}, false},
	} {
		if got, err := root.Alive(c.id); got != c.want || err != nil {
			t.Errorf("%+v: got %v, %v", c.id, got, err)
		}
	}
	if _, err := root.Alive(Identity{13, 1, "b-1"}); err == nil {
		t.Error("a garbled stat must not look like a dead process")
	}
}
