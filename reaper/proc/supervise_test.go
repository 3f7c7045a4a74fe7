package proc

import (
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
	p := start(t, "polite")
	ended, left := p.End(Limits{Grace: 10 * time.Second}, nil)
	<-p.Done()
	if p.Exit().Signal != unix.SIGTERM || len(ended) != 1 || len(left) != 0 {
		t.Errorf("exit %v, ended %v, left %v; want SIGTERM alone", p.Exit(), ended, left)
	}
	nothingLeft(t, p)
}

func TestEndStubborn(t *testing.T) {
	p := start(t, "stubborn")
	_, left := p.End(Limits{Grace: grace}, nil)
	<-p.Done()
	if p.Exit().Signal != unix.SIGKILL || len(left) != 0 {
		t.Errorf("exit %v, left %v; want SIGKILL", p.Exit(), left)
	}
	nothingLeft(t, p)
}

// A second Ctrl-C does not wait for a grace of an hour.
func TestEndHurry(t *testing.T) {
	p := start(t, "stubborn")
	hurry := make(chan struct{})
	close(hurry)
	p.End(Limits{Grace: time.Hour}, hurry)
	<-p.Done()
	nothingLeft(t, p)
}

func TestEndStopped(t *testing.T) {
	p := start(t, "stopped")
	p.End(Limits{Grace: 10 * time.Second}, nil)
	<-p.Done()
	if p.Exit().Signal != unix.SIGTERM {
		t.Errorf("exit %v; a stopped process acts on SIGTERM once it is continued", p.Exit())
	}
}

// Field case 2: what a command leaves in another session is found and ended.
func TestEscapee(t *testing.T) {
	for _, role := range []string{"leaves-stubborn", "leaves-naked"} {
		t.Run(role, func(t *testing.T) {
			p := start(t, role)
			<-p.Done()
			ended, left := p.End(Limits{Settle: 10 * time.Millisecond, Grace: grace}, nil)
			if len(ended) != 1 || len(left) != 0 || !p.Exit().Clean() {
				t.Errorf("exit %v, ended %v, left %v; want one escapee", p.Exit(), ended, left)
			}
			nothingLeft(t, p)
		})
	}
}

// Field case 8: a generation every 5 ms, each in a new session.
func TestGenerations(t *testing.T) {
	p := start(t, "generations")
	_, left := p.End(Limits{Kill: 20 * time.Second}, nil)
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	time.Sleep(50 * time.Millisecond) // ten generations would have come by now
	nothingLeft(t, p)
}

// Orphans are reaped by pid: os/exec's own children keep their exit status.
func TestReapingStealsNothing(t *testing.T) {
	p := start(t, "orphan-maker")
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
		if _, err := p.Members(); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	<-p.Done()
	if _, err := p.Members(); err != nil { // reaps what came since
		t.Fatal(err)
	}
	table, err := Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range table {
		if s.PPID == os.Getpid() && s.Zombie() {
			t.Errorf("zombie left: %+v", s)
		}
	}
}

func TestExitCode(t *testing.T) {
	p := start(t, "exit7")
	<-p.Done()
	if p.Exit().Code != 7 {
		t.Errorf("got %v, want exit status 7", p.Exit())
	}
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
		if _, err := Start(Command{Argv: []string{name}, Dir: dir, Env: os.Environ()}); !errors.Is(err, want) {
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
		p, err := Start(c)
		if err != nil {
			t.Fatalf("%v: %v", c.Argv, err)
		}
		<-p.Done()
		if p.Exit().Code != 3 {
			t.Errorf("%v: got %v", c.Argv, p.Exit())
		}
	}
}

// Field case 11: on a start time that does not match, nothing is signalled.
func TestSignalNeedsIdentity(t *testing.T) {
	p := start(t, "polite")
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
