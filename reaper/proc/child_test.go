package proc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary play the children it needs.
func TestMain(m *testing.M) {
	if role := os.Getenv("PROC_TEST_ROLE"); role != "" {
		play(role)
		return
	}
	os.Exit(m.Run())
}

// play is a child. Each says "ready" on stdout once it is what it plays.
func play(role string) {
	switch role {
	case "stubborn": // ignores every polite signal
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		ready()
		time.Sleep(time.Hour)
	case "polite":
		ready()
		time.Sleep(time.Hour)
	case "leaves-stubborn": // ends and leaves a grandchild in a session of its own
		spawn("stubborn", nil).wait()
	case "leaves-naked": // the same, and the grandchild has no environment of ours
		spawn("naked", nil).wait()
	case "naked":
		_ = syscall.Exec("/bin/sleep", []string{"sleep", "3600"}, nil)
	case "generations": // every 5 ms a new one under a new session, the old one ends
		time.Sleep(5 * time.Millisecond)
		spawn("generations", nil)
		if os.Getenv("PROC_TEST_FIRST") != "" {
			ready()
			time.Sleep(time.Hour)
		}
	case "leaves-generations":
		spawn("generations", nil)
		time.Sleep(30 * time.Millisecond)
	case "stopped": // stops itself, as Ctrl-Z would
		ready()
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour)
	case "interactive":
		playInteractive()
	case "supervisor": // runs a command, and says what its end met
		p, err := Start(context.Background(), Command{Argv: []string{"sleep", "0.1"}, Dir: "/", Env: os.Environ(), NoLeaf: os.Getenv("PROC_TEST_NOLEAF") != ""})
		if err != nil {
			panic(err)
		}
		<-p.Done()
		r := p.End(Limits{Settle: 10 * time.Millisecond}, nil)
		fmt.Println("ended", len(r.Ended), "stuck", len(r.Stuck), r.Err)
	case "subreaper": // keeps an orphan that has nothing of ours for itself
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
		spawn("leaves-naked", nil)
		for pids := []int(nil); len(pids) < 1 || !isSleep(pids); pids, _ = children() {
			time.Sleep(time.Millisecond)
		}
		ready()
		time.Sleep(time.Hour)
	case "undumpable": // whose environment is not even its own user's to read
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
		ready()
		time.Sleep(time.Hour)
	case "big":
		text := bytes.Repeat([]byte{1}, 256<<20)
		fmt.Println(len(text))
	case "exit7":
		os.Exit(7)
	case "orphan-maker": // leaves a dead orphan to its subreaper
		spawn("exit7", nil)
		time.Sleep(20 * time.Millisecond)
	}
}

// isSleep says whether one of the processes has become sleep(1).
func isSleep(pids []int) bool {
	return slices.ContainsFunc(pids, func(pid int) bool {
		s, err := Real.Stat(pid)
		return err == nil && s.Comm == "sleep"
	})
}

func ready() { fmt.Println("ready") }

type spawned struct{ out *bufio.Reader }

// spawn starts a role in a session of its own; it inherits our stdout's place
// in the chain through a pipe that wait reads one line from.
func spawn(role string, extra []string) spawned {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), "PROC_TEST_ROLE="+role, "PROC_TEST_FIRST="), extra...)
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	_ = w.Close()
	return spawned{bufio.NewReader(r)}
}

func (s spawned) wait() {
	if os.Getenv("PROC_TEST_ROLE") == "leaves-naked" {
		time.Sleep(50 * time.Millisecond) // sleep(1) says nothing
		return
	}
	_, _ = s.out.ReadString('\n')
}

// bothWays runs a test in a leaf and without one.
func bothWays(t *testing.T, test func(t *testing.T, c Command)) {
	t.Helper()
	t.Run("leaf", func(t *testing.T) {
		l, err := newLeaf("probe-" + strconv.Itoa(os.Getpid()))
		if err != nil {
			needs(t, "a cgroup v2 directory that can be written: "+err.Error())
		}
		if err := l.remove(); err != nil {
			t.Fatal(err)
		}
		test(t, Command{})
	})
	t.Run("session", func(t *testing.T) { test(t, Command{NoLeaf: true}) })
}

// needs skips a test that cannot run here; where that counts, it fails.
func needs(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs " + what)
	}
	t.Skip("needs " + what)
}

// start runs a role under supervision and waits until it is ready.
func start(t *testing.T, c Command, role string) *Process {
	t.Helper()
	p := startAnyhow(t, c, role)
	if (p.leaf == nil) != c.NoLeaf {
		t.Fatalf("leaf %v, want none: %t; %v", p.leaf, c.NoLeaf, p.NoLeaf)
	}
	return p
}

// startAnyhow takes whichever way of supervision there is.
func startAnyhow(t *testing.T, c Command, role string) *Process {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	c.Argv, c.Dir, c.Stdout, c.Stderr = []string{"/proc/self/exe"}, t.TempDir(), w, os.Stderr
	c.Env = append(os.Environ(), "PROC_TEST_ROLE="+role, "PROC_TEST_FIRST=1")
	p, err := Start(context.Background(), c)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(Limits{}, nil) })
	switch role {
	case "exit7", "big", "orphan-maker", "leaves-stubborn", "leaves-naked", "leaves-generations":
	default:
		if text, err := bufio.NewReader(r).ReadString('\n'); err != nil {
			t.Fatalf("%s never became ready: %q, %v", role, text, err)
		}
	}
	return p
}

// nothingLeft fails if anything below us but our own test is alive, or the
// leaf is still there.
func nothingLeft(t *testing.T, p *Process) {
	t.Helper()
	if p.leaf != nil {
		if _, err := os.Stat(p.leaf.dir); err == nil {
			t.Errorf("the leaf %s is still there", p.leaf.dir)
		}
		return
	}
	if m, err := p.Members(); err != nil || len(m) > 0 {
		t.Errorf("still alive: %+v, %v", m, err)
	}
}
