package proc

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const grace = 300 * time.Millisecond

func TestEndPolite(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "polite")
		r := p.End(Limits{Grace: 10 * time.Second}, nil)
		<-p.Done()
		if p.Exit().Signal != unix.SIGTERM || len(r.Ended) != 1 || len(r.Stuck) != 0 {
			t.Errorf("exit %v, %+v; want SIGTERM alone", p.Exit(), r)
		}
		nothingLeft(t, p)
	})
}

func TestEndStubborn(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "stubborn")
		var last []int
		r := p.End(Limits{Grace: grace, Last: func(s Stat) { last = append(last, s.PID) }}, nil)
		<-p.Done()
		if p.Exit().Signal != unix.SIGKILL || len(r.Stuck) != 0 || len(last) != 1 {
			t.Errorf("exit %v, %+v, last %v; want SIGKILL", p.Exit(), r, last)
		}
		nothingLeft(t, p)
	})
}

// A second Ctrl-C does not wait for a grace of an hour.
func TestEndHurry(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "stubborn")
		hurry := make(chan struct{})
		close(hurry)
		p.End(Limits{Grace: time.Hour}, hurry)
		<-p.Done()
		nothingLeft(t, p)
	})
}

func TestEndStopped(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "stopped")
		p.End(Limits{Grace: 10 * time.Second}, nil)
		<-p.Done()
		if p.Exit().Signal != unix.SIGTERM {
			t.Errorf("exit %v; a stopped process acts on SIGTERM once it is continued", p.Exit())
		}
	})
}

// The context is the other way to end a command.
func TestContextEnds(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		ctx, cancel := context.WithCancel(context.Background())
		c.Argv, c.Dir, c.Env, c.Grace = []string{"sleep", "3600"}, t.TempDir(), os.Environ(), 10*time.Second
		p, err := Start(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		<-p.Done()
		if p.Exit().Signal != unix.SIGTERM {
			t.Errorf("exit %v, want SIGTERM", p.Exit())
		}
		if _, err := Start(ctx, c); !errors.Is(err, context.Canceled) {
			t.Errorf("started under a context that has ended: %v", err)
		}
		p.End(Limits{}, nil)
		nothingLeft(t, p)
	})
}

// Field case 2: what a command leaves in another session is found and ended.
func TestEscapee(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		for _, role := range []string{"leaves-stubborn", "leaves-naked"} {
			p := start(t, c, role)
			<-p.Done()
			r := p.End(Limits{Settle: 10 * time.Millisecond, Grace: grace}, nil)
			if len(r.Ended) != 1 || len(r.Stuck) != 0 || !p.Exit().Clean() {
				t.Errorf("%s: exit %v, %+v; want one escapee", role, p.Exit(), r)
			}
			nothingLeft(t, p)
		}
	})
}

// Field case 8: a generation every 5 ms, each in a new session; also after the
// command itself has ended, when there is nothing but generations.
func TestGenerations(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		for _, role := range []string{"generations", "leaves-generations"} {
			p := start(t, c, role)
			if role == "leaves-generations" {
				<-p.Done()
			}
			r := p.End(Limits{Settle: 50 * time.Millisecond, Kill: 20 * time.Second}, nil)
			if len(r.Stuck) > 0 || len(r.Ended) == 0 {
				t.Errorf("%s: %+v", role, r)
			}
			time.Sleep(50 * time.Millisecond) // ten generations would have come by now
			if pids, _ := children(); len(pids) > 0 {
				t.Errorf("%s: children left: %v", role, pids)
			}
			nothingLeft(t, p)
		}
	})
}

// A daemon that a build may start on purpose is told and not ended.
func TestLeave(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		c.Leave = []string{"sleep"}
		p := start(t, c, "leaves-naked") // becomes sleep(1)
		<-p.Done()
		r := p.End(Limits{Settle: time.Second, Grace: grace}, nil)
		if len(r.Spared) != 1 || len(r.Ended) != 0 || len(r.Stuck) != 0 {
			t.Fatalf("%+v; want one that is spared", r)
		}
		s, err := Real.Stat(r.Spared[0].PID)
		if err != nil || s.Zombie() {
			t.Errorf("the daemon is gone: %+v, %v", s, err)
		}
		if err := Real.Signal(Identity{s.PID, s.Start, p.Identity.BootID}, unix.SIGKILL); err != nil {
			t.Error(err)
		}
		reapAll(t, p)
		nothingLeft(t, p)
	})
}

// Orphans are reaped by pid: os/exec's own children keep their exit status.
func TestReapingStealsNothing(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "orphan-maker")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 25 {
					if err := exec.Command("/bin/true").Run(); err != nil {
						t.Errorf("run true: %v", err)
					}
				}
			})
		}
		for range 50 {
			_, _ = p.children()
		}
		wg.Wait()
		<-p.Done()
		p.End(Limits{Settle: time.Second}, nil)
		reapAll(t, p)
		if pids, _ := children(); len(pids) > 0 {
			t.Errorf("children left: %v", pids)
		}
	})
}

func TestExitCode(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "exit7")
		<-p.Done()
		p.End(Limits{Settle: time.Second}, nil)
		if p.Exit().Code != 7 || p.Usage().CPU <= 0 {
			t.Errorf("got %v, used %+v; want exit status 7", p.Exit(), p.Usage())
		}
	})
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"no-such-program-here": exec.ErrNotFound,
		"./none":               fs.ErrNotExist,
		"./plain":              fs.ErrPermission,
		plain:                  fs.ErrPermission,
	} {
		if _, err := Start(context.Background(), Command{Argv: []string{name}, Dir: dir, Env: os.Environ()}); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

// A relative program and PATH are the child's, not ours.
func TestLookPathIsTheChilds(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "mine")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Command{
		{Argv: []string{"./mine"}, Dir: dir, Env: os.Environ()},
		{Argv: []string{"mine"}, Dir: "/", Env: []string{"PATH=/nowhere:" + dir}},
	} {
		p, err := Start(context.Background(), c)
		if err != nil {
			t.Fatalf("%v: %v", c.Argv, err)
		}
		<-p.Done()
		if p.Exit().Code != 3 {
			t.Errorf("%v: got %v", c.Argv, p.Exit())
		}
		p.End(Limits{}, nil)
	}
}

// Field case 11: on a start time that does not match, nothing is signalled.
func TestSignalNeedsIdentity(t *testing.T) {
	p := start(t, Command{NoLeaf: true}, "polite")
	id := p.Identity
	for _, wrong := range []Identity{
		{id.PID, id.Start + 1, id.BootID}, {id.PID, id.Start, "another boot"}, {1 << 30, 1, id.BootID},
	} {
		if err := Real.Signal(wrong, unix.SIGKILL); !errors.Is(err, ErrGone) {
			t.Errorf("%+v: got %v, want ErrGone", wrong, err)
		}
	}
	if m, _ := p.Members(); len(m) != 1 {
		t.Fatal("a signal for another identity was delivered")
	}
	if err := Real.Signal(id, unix.SIGKILL); err != nil {
		t.Error(err)
	}
	<-p.Done()
	if err := Real.Signal(id, unix.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("after its end: got %v, want ErrGone", err)
	}
}

func TestSignalRefusesThreads(t *testing.T) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, task := range tasks {
		var tid int
		for _, c := range task.Name() {
			tid = 10*tid + int(c-'0')
		}
		if tid == os.Getpid() {
			continue
		}
		s, err := Real.Stat(tid)
		if err != nil {
			continue
		}
		boot, _ := Real.BootID()
		tried++
		if err := Real.Signal(Identity{tid, s.Start, boot}, unix.SIGURG); !errors.Is(err, ErrGone) {
			t.Errorf("thread %d: got %v, want ErrGone", tid, err)
		}
	}
	if tried == 0 {
		t.Fatal("no second thread to try")
	}
}

// reapAll waits until nothing below us is left, dead or alive.
func reapAll(t *testing.T, p *Process) {
	t.Helper()
	for ctx := soon(t); !noChildren(); time.Sleep(time.Millisecond) {
		if _, _ = p.children(); ctx.Err() != nil {
			pids, _ := children()
			t.Fatalf("children left: %v", pids)
		}
	}
}
