package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// living lists the processes of one name below us.
func living(t *testing.T, comm string) (out []Stat) {
	t.Helper()
	table, err := Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range alive(table.Below(os.Getpid())) {
		if s.Comm == comm {
			out = append(out, s)
		}
	}
	return out
}

// Families that fork faster than they can be listed end with their leaf. In a
// session they do with their process group, or it is said that they do not. The
// long form (GPUCI_SOAK=1) forks as fast as it can, which fills the machine's
// table of processes for a moment: not beside other tests.
func TestFastForkers(t *testing.T) {
	path := compiled(t, "chain")
	bothWays(t, func(t *testing.T, c Command) {
		families, life := "1 2 3 4", " 1 500"
		if os.Getenv("GPUCI_SOAK") == "1" {
			families, life = "1 2 3 4 5 6 7 8", " 3"
		}
		if c.NoLeaf {
			families = "1 2"
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		c.Argv, c.Dir, c.Env, c.Stdout = []string{"bash", "-c", "for i in " + families + "; do " + path + life + "; done"}, "/", os.Environ(), w
		p, err := Start(context.Background(), c)
		_ = w.Close()
		if err != nil {
			t.Fatal(err)
		}
		<-p.Done()
		if hungUp(t, r) {
			t.Error("there is no family: nothing to test")
		}
		hurry := make(chan struct{})
		close(hurry)
		res := p.End(Limits{Grace: time.Hour, Settle: time.Hour}, hurry)
		if len(res.Stuck) > 0 || res.Err == nil && !hungUp(t, r) || res.Err != nil && !c.NoLeaf {
			t.Errorf("%+v; all ended: %t", res, hungUp(t, r))
		}
		until := soon(t)
		for !hungUp(t, r) && until.Err() == nil {
			time.Sleep(time.Millisecond) // they end by themselves
		}
		_, _ = p.children()
	})
}

// hungUp says whether nobody has the other end of a pipe any more: the one
// thing that can be told of those who are dead before they can be looked at.
func hungUp(t *testing.T, r *os.File) bool {
	t.Helper()
	fds := []unix.PollFd{{Fd: int32(r.Fd()), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, 0); err != nil {
		t.Fatal(err)
	}
	return fds[0].Revents&unix.POLLHUP != 0
}

// A command that ends while it is looked at leaves its children to us after the
// list was read: the look is taken again, once.
func TestCommandEndsUnderLook(t *testing.T) {
	l := look{stable: true}
	if l.see(zombie(t)); l.stable {
		t.Error("a look that the command did not live through was believed")
	}
	l.stable = true
	if l.see(zombie(t)); !l.stable {
		t.Error("no look would be believed until it was waited for")
	}
	for range 60 {
		p, err := Start(context.Background(), Command{Argv: []string{"sh", "-c", "(setsid sleep 3599 &); exit 3"}, Dir: "/", Env: os.Environ(), NoLeaf: true})
		if err != nil {
			t.Fatal(err)
		}
		go p.End(Limits{}, nil)
		if r := p.End(Limits{}, nil); !r.Gone() {
			t.Errorf("%+v", r)
		}
		if left := living(t, "sleep"); len(left) > 0 {
			t.Fatalf("said to be gone, and alive: %+v", left)
		}
	}
}

// A program on a dead server holds nobody else up, and is given up.
func TestStartHangs(t *testing.T) {
	f := mountStuck(t)
	defer f.Release()
	bothWays(t, func(t *testing.T, c Command) {
		other := start(t, c, "polite")
		giveUp, failed := make(chan struct{}), make(chan error, 1)
		go func() {
			c := c
			c.Argv, c.Dir, c.Env, c.GiveUp = []string{f.Page}, "/", os.Environ(), giveUp
			_, err := Start(context.Background(), c)
			failed <- err
		}()
		f.Await(t)
		if r := other.End(Limits{}, nil); len(r.Ended) != 1 || !r.Gone() {
			t.Errorf("%+v", r)
		}
		close(giveUp)
		if err := <-failed; !errors.Is(err, ErrNoStart) {
			t.Errorf("%v; want ErrNoStart", err)
		}
	})
}

// A command that has not ended has not ended well.
func TestNoExitYet(t *testing.T) {
	p := startAnyhow(t, Command{}, "polite")
	if e := p.Exit(); e.Code != -1 || e.Clean() {
		t.Errorf("%+v", e)
	}
}

// What is asked aside does not keep a command from its own, and what the answer
// leaves is not the command's.
func TestAside(t *testing.T) {
	p := start(t, Command{NoLeaf: true}, "leaves-naked")
	q := start(t, Command{NoLeaf: true, Aside: true}, "leaves-stubborn")
	<-p.Done()
	<-q.Done()
	// By the session, and not by the name, which exec sets a moment after it closed the
	// file that told us.
	left := p.End(Limits{Grace: grace}, nil)
	if len(left.Ended) != 1 || !left.Gone() {
		t.Errorf("the command: %+v; want the one that it left", left)
	}
	if r := q.End(Limits{Grace: grace}, nil); len(r.Ended) != 1 || !r.Gone() || len(left.Ended) == 1 && r.Ended[0].Session == left.Ended[0].Session {
		t.Errorf("aside: %+v; want the one that it left", r)
	}
}

// What could have been another command's is looked at again without that one.
func TestDeniedIsForgotten(t *testing.T) {
	other := start(t, Command{NoLeaf: true}, "polite")
	p := start(t, Command{NoLeaf: true}, "leaves-naked")
	<-p.Done()
	if m, err := p.Members(); err != nil || len(m) != 0 {
		t.Fatalf("%+v, %v; want none beside another command", m, err)
	}
	other.End(Limits{}, nil)
	if r := p.End(Limits{}, nil); len(r.Ended) != 1 || !r.Gone() {
		t.Errorf("%+v; want the orphan", r)
	}
}

// Empty leaves of dead gpucis that no run stands for go with the next one made.
func TestStaleLeaves(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		if c.NoLeaf {
			t.Skip("only in a leaf")
		}
		dead := exec.Command("true")
		if err := dead.Run(); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		keep := map[string]bool{}
		for i, one := range []struct {
			pid  int
			at   time.Time
			stay bool
		}{{dead.Process.Pid, old, false}, {dead.Process.Pid, time.Now(), true}, {os.Getpid(), old, true}} {
			dir := filepath.Join(LeafParent(), leafPrefix+strconv.Itoa(one.pid)+"-unnamed.00000000000"+strconv.Itoa(i))
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(dir) })
			if err := os.Chtimes(dir, one.at, one.at); err != nil {
				t.Fatal(err)
			}
			keep[dir] = one.stay
		}
		start(t, c, "polite").End(Limits{}, nil)
		for dir, stay := range keep {
			if _, err := os.Stat(dir); (err == nil) != stay {
				t.Errorf("%s: %v; want it to stay: %t", dir, err, stay)
			}
		}
	})
}

// Root finds what another user's run left; another user finds nothing of it,
// and says so.
func TestLeftoverOfAnotherUser(t *testing.T) {
	if os.Getenv("PROC_TEST_OTHER") != "" {
		root := 0
		r := Leftover{Name: "other-user", UID: &root}.End(soon(t), Limits{}, nil)
		if !errors.Is(r.Err, ErrOthers) || r.Gone() {
			t.Errorf("%+v; want ErrOthers", r)
		}
		return
	}
	if os.Geteuid() != 0 {
		needs(t, "root")
	}
	other := 65534
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(other), Gid: uint32(other)}}
	cmd := exec.Command("/bin/sleep", "600")
	cmd.SysProcAttr, cmd.Dir, cmd.Env = as, "/", []string{markVariable + "=other-user.000000000000"}
	pid := settled(t, launch(t, cmd))
	left := Leftover{Name: "other-user"}
	if r := left.End(soon(t), Limits{Kill: time.Second}, nil); len(r.Ended) > 0 {
		t.Errorf("taken for root's: %+v", r)
	}
	left.UID = &other
	r := left.End(soon(t), Limits{Kill: time.Second}, nil)
	if len(r.Ended) != 1 || r.Ended[0].PID != pid || !strings.Contains(r.Ended[0].Comm, "sleep") {
		t.Errorf("%+v; want pid %d ended", r, pid)
	}
	again(t, &syscall.SysProcAttr{Credential: as.Credential}, "PROC_TEST_OTHER=1")
}
