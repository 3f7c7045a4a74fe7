package proc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// freezer makes a cgroup of the v1 freezer, the one thing here that makes a
// process which SIGKILL does not end.
func freezer(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("/sys/fs/cgroup/freezer", "gpuci-test-"+strconv.Itoa(os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		needs(t, "a v1 freezer that can be written: "+err.Error())
	}
	t.Cleanup(func() {
		_ = os.WriteFile(filepath.Join(dir, "freezer.state"), []byte("THAWED"), 0)
		for range 100 {
			if os.Remove(dir) == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%s could not be removed", dir)
	})
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0); err != nil {
		t.Fatal(err)
	}
}

// Field case 12: SIGKILL stays pending on a process that cannot run. The end is
// bounded all the same, it says so, and what is left is found later.
func TestFrozen(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		dir := freezer(t)
		c.Name = "frozen-" + strconv.Itoa(os.Getpid())
		p := start(t, c, "polite")
		put(t, filepath.Join(dir, "cgroup.procs"), strconv.Itoa(p.Identity.PID))
		put(t, filepath.Join(dir, "freezer.state"), "FROZEN")
		r := p.End(Limits{Grace: 50 * time.Millisecond, Kill: 300 * time.Millisecond}, nil)
		if len(r.Stuck) != 1 || r.Stuck[0].PID != p.Identity.PID || r.Stuck[0].State != 'D' || !r.Stuck[0].Pending {
			t.Errorf("%+v; want the frozen one, in D, with SIGKILL pending", r)
		}
		put(t, filepath.Join(dir, "freezer.state"), "THAWED")
		<-p.Done()
		if p.Exit().Signal != unix.SIGKILL {
			t.Errorf("thawed, it ended with %v", p.Exit())
		}
		left := Leftover{Cgroups: LeafParent(), Name: c.Name}
		if r := left.End(context.Background(), Limits{Kill: time.Second}, nil); !r.Gone() {
			t.Errorf("the leaf could not be taken away: %+v", r)
		}
		nothingLeft(t, p)
	})
}

// Field case 28: a parent-death signal would follow the thread that forked, and
// Go retires threads. A thousand starts while threads come and go all end well.
func TestThreadChurn(t *testing.T) {
	starts := 1000
	if testing.Short() {
		starts = 100
	}
	stop := make(chan struct{})
	var churn sync.WaitGroup
	for range 2 {
		churn.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				gone := make(chan struct{})
				go func() {
					runtime.LockOSThread() // never unlocked: the thread ends with us
					close(gone)
				}()
				<-gone
			}
		})
	}
	defer churn.Wait()
	defer close(stop)
	for i := range starts {
		p, err := Start(context.Background(), Command{Argv: []string{"true"}, Dir: "/", Env: os.Environ(), NoLeaf: i%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		<-p.Done()
		if r := p.End(Limits{Settle: 10 * time.Second}, nil); !p.Exit().Clean() || len(r.Ended)+len(r.Stuck) > 0 {
			t.Fatalf("start %d: %v, %+v", i, p.Exit(), r)
		}
	}
}

// A leaf with cgroups of its members' own below it (a gpuci in a gate makes
// some) is ended and taken away whole.
func TestNestedCgroups(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		if c.NoLeaf {
			t.Skip("only in a leaf")
		}
		p := start(t, c, "polite")
		below := filepath.Join(p.leaf.dir, "mine", "deeper")
		if err := os.MkdirAll(below, 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(below, "cgroup.procs"), strconv.Itoa(p.Identity.PID))
		if r := p.End(Limits{}, nil); len(r.Ended) != 1 || len(r.Stuck) != 0 {
			t.Errorf("%+v", r)
		}
		nothingLeft(t, p)
	})
}

// A vfork parent sleeps in D until its child lets it go: SIGKILL ends it, and
// the child, which is an orphan then, with it.
func TestVforkParent(t *testing.T) {
	path := compiled(t, "vforker")
	bothWays(t, func(t *testing.T, c Command) {
		c.Argv, c.Dir, c.Env = []string{path}, "/", os.Environ()
		p, err := Start(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		until(t, p.Identity.PID, "is in D", func(s Stat) bool { return s.State == 'D' })
		r := p.End(Limits{Grace: 100 * time.Millisecond}, nil)
		if len(r.Ended) != 2 || len(r.Stuck) != 0 {
			t.Errorf("%+v; want parent and child ended", r)
		}
		nothingLeft(t, p)
	})
}

// Root can leave a leaf. The command itself is a member all the same, and so is
// an orphan that was handed to us.
func TestLeavingTheLeaf(t *testing.T) {
	above := LeafParent()
	if above == "" || unix.Access(filepath.Join(above, "cgroup.procs"), unix.W_OK) != nil {
		needs(t, "a cgroup v2 directory that can be written")
	}
	for name, script := range map[string]string{
		"the command": "echo $$ > " + above + "/cgroup.procs; echo ready; exec sleep 3600",
		"an orphan":   "(echo $BASHPID > " + above + "/cgroup.procs; exec sleep 3600) & echo ready; sleep 0.1",
		"threaded":    "d=" + above + "/$(basename $(sed -n s/^0:://p /proc/self/cgroup)); mkdir $d/t && echo threaded > $d/t/cgroup.type; sleep 3600 & echo ready; sleep 0.1",
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			p, err := Start(context.Background(), Command{Argv: []string{"bash", "-c", script}, Dir: "/", Env: os.Environ(), Stdout: w, Stderr: os.Stderr})
			_ = w.Close()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Read(make([]byte, 6)); err != nil {
				t.Fatal(err)
			}
			if name != "the command" {
				<-p.Done()
			}
			began := time.Now()
			res := p.End(Limits{Settle: 50 * time.Millisecond, Grace: grace}, nil)
			if len(res.Ended) != 1 || len(res.Stuck) != 0 {
				t.Errorf("%+v; want one that is ended", res)
			}
			if pids, _ := children(); len(pids) > 0 {
				t.Errorf("children left: %s", described(pids))
			}
			t.Logf("it took %s", time.Since(began))
			nothingLeft(t, p)
		})
	}
}

// A command that has the name of a daemon that may stay is no daemon.
func TestLeaveIsNotTheCommand(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		c.Argv, c.Dir, c.Env, c.Leave = []string{"sleep", "3600"}, "/", os.Environ(), []string{"sleep"}
		p, err := Start(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r := p.End(Limits{Grace: 5 * time.Second}, nil); len(r.Ended) != 1 || len(r.Spared) != 0 {
			t.Errorf("%+v", r)
		}
		nothingLeft(t, p)
	})
}

// What one command may leave, the next one's end does not meet.
func TestLeftDaemonOutlivesTheNext(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		c.Leave = []string{"sleep"}
		p := start(t, c, "leaves-naked")
		<-p.Done()
		r := p.End(Limits{Settle: time.Second}, nil)
		if len(r.Spared) != 1 {
			t.Fatalf("%+v", r)
		}
		c.Leave = nil
		next := start(t, c, "exit7")
		<-next.Done()
		if r := next.End(Limits{Settle: 50 * time.Millisecond, Grace: grace}, nil); len(r.Ended) != 0 {
			t.Errorf("%+v; the daemon of another command was met", r)
		}
		s := r.Spared[0]
		if err := Real.Signal(Identity{s.PID, s.Start, p.Identity.BootID}, unix.SIGKILL); err != nil {
			t.Error(err)
		}
		reapAll(t, p)
	})
}

// described says what processes are that should not be there.
func described(pids []int) string {
	var out []string
	for _, pid := range pids {
		s, err := Real.Stat(pid)
		out = append(out, fmt.Sprintf("%+v %v", s, err))
	}
	return strings.Join(out, "; ")
}
