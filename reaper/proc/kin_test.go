package proc

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Two commands at once: the end of one never meets what the other left.
func TestTwoAtOnce(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		a, b := start(t, c, "leaves-stubborn"), start(t, c, "leaves-stubborn")
		<-a.Done()
		<-b.Done()
		of := func(p *Process) Stat {
			m, err := p.Members()
			if err != nil || len(m) != 1 {
				t.Fatalf("%+v, %v; want one orphan each", m, err)
			}
			return m[0]
		}
		left, other := of(a), of(b)
		if left.PID == other.PID {
			t.Fatalf("both claim pid %d", left.PID)
		}
		if r := a.End(Limits{Grace: grace}, nil); len(r.Ended) != 1 || r.Ended[0].PID != left.PID || !r.Gone() {
			t.Errorf("the first: %+v; want pid %d ended", r, left.PID)
		}
		if !lives(other) {
			t.Error("the end of the first met the second's orphan")
		}
		if r := b.End(Limits{Grace: grace}, nil); len(r.Ended) != 1 || r.Ended[0].PID != other.PID || !r.Gone() {
			t.Errorf("the second: %+v; want pid %d ended", r, other.PID)
		}
		nothingLeft(t, b)
	})
}

// An orphan with nothing to know it by is not ended while it could be another
// command's; in a leaf it is known. What is left goes with the last command.
func TestTwoAtOnceWithoutMark(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		a := start(t, c, "polite") // so that its orphan would be younger than either
		b := start(t, c, "leaves-naked")
		<-b.Done()
		r := a.End(Limits{Grace: grace}, nil)
		if len(r.Ended) != 1 || r.Ended[0].PID != a.Identity.PID {
			t.Errorf("the first: %+v; want the command alone", r)
		}
		if r := b.End(Limits{}, nil); len(r.Ended) != 1 || r.Ended[0].Comm != "sleep" {
			t.Errorf("the second: %+v; want the sleep", r)
		}
		nothingLeft(t, b)
	})
}

// A process that was our child before the first command is a stranger.
func TestStrangers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bothWays(t, func(t *testing.T, c Command) {
		cmd := exec.Command("sh", "-c", `setsid sleep 600 >/dev/null 2>&1 & echo $!; exec "$0"`, self)
		cmd.Env = append(os.Environ(), "PROC_TEST_ROLE=supervisor")
		if c.NoLeaf {
			cmd.Env = append(cmd.Env, "PROC_TEST_NOLEAF=1")
		}
		out, err := cmd.Output()
		text, said, _ := strings.Cut(string(out), "\n")
		pid, perr := strconv.Atoi(text)
		if err != nil || perr != nil {
			t.Fatalf("%v, %v: %q", err, perr, out)
		}
		s, err := Real.Stat(pid)
		if err != nil || s.Zombie() {
			t.Fatalf("the stranger is gone: %v; %s", err, said)
		}
		endNow(t, s)
		if strings.TrimSpace(said) != "ended 0 stuck 0 <nil>" {
			t.Errorf("it said %q", said)
		}
	})
}

// Pid 1 inherits from everybody: there only what is proved is its own.
func TestPidOne(t *testing.T) {
	if os.Getpid() != 1 {
		inPidNamespace(t)
		return
	}
	mountProc(t)
	p := start(t, Command{NoLeaf: true}, "leaves-stubborn")
	<-p.Done()
	if err := exec.Command("sh", "-c", "setsid sleep 600 >/dev/null 2>&1 &").Run(); err != nil {
		t.Fatal(err)
	}
	r := p.End(Limits{Settle: 50 * time.Millisecond, Grace: grace}, nil)
	if len(r.Ended) != 1 || r.Ended[0].Comm == "sleep" || !r.Gone() {
		t.Errorf("%+v; want its own orphan alone", r)
	}
	pids, _ := children()
	if !isSleep(pids) {
		t.Error("the stranger's orphan was ended")
	}
}

func inPidNamespace(t *testing.T, env ...string) {
	t.Helper()
	if unix.Geteuid() != 0 {
		needs(t, "root")
	}
	again(t, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}, env...)
}

func mountProc(t *testing.T) {
	t.Helper()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		t.Fatal(err)
	}
}

// A dead orphan that its tracer does not let go can be reaped by nobody. It is
// no reason to take all others for members; in a pid namespace of its own, for
// the day when it is again.
func TestTracedZombie(t *testing.T) {
	if os.Getpid() != 1 {
		inPidNamespace(t, "PROC_TEST_TRACER="+compiled(t, "tracer"))
		return
	}
	mountProc(t)
	tracer := os.Getenv("PROC_TEST_TRACER")
	canary := exec.Command("/bin/sleep", "600")
	canary.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	witness, err := Real.Stat(launch(t, canary))
	if err != nil {
		t.Fatal(err)
	}
	bothWays(t, func(t *testing.T, c Command) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		c.Argv, c.Dir, c.Env = []string{"sh", "-c", `sleep 0.2 & "$0" $! & sleep 0.4`, tracer}, "/", os.Environ()
		c.Stdout, c.Stderr = w, os.Stderr
		p, err := Start(context.Background(), c)
		_ = w.Close()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := bufio.NewReader(r).ReadString('\n'); err != nil {
			t.Fatalf("%q, %v", text, err)
		}
		<-p.Done()
		res := p.End(Limits{Settle: 20 * time.Millisecond, Grace: grace}, nil)
		if len(res.Ended) != 1 || res.Ended[0].Comm != "tracer" || !res.Gone() {
			t.Errorf("%+v; want the tracer ended", res)
		}
		if !lives(witness) {
			t.Error("a stranger was ended")
		}
		reapAll2(t, p, witness)
	})
}

// reapAll2 waits until nothing but one process is left below us.
func reapAll2(t *testing.T, p *Process, but Stat) {
	t.Helper()
	for ctx := soon(t); ; time.Sleep(time.Millisecond) {
		_, _ = p.children()
		if pids, _ := children(); slices.Equal(pids, []int{but.PID}) {
			return
		}
		if ctx.Err() != nil {
			pids, _ := children()
			t.Fatalf("children left: %v", pids)
		}
	}
}

// What else this program starts in our session is neither blamed nor ended, and
// keeps its exit status, in whatever process group it is.
func TestOtherStarts(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "polite")
		helper := exec.Command("/bin/sleep", "600")
		helper.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		s, err := Real.Stat(launch(t, helper))
		if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		var looks sync.WaitGroup
		looks.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = p.children()
				}
			}
		})
		for range 200 {
			cmd := exec.Command("/bin/true")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Run(); err != nil {
				t.Errorf("run true: %v", err)
			}
		}
		close(stop)
		looks.Wait()
		if r := p.End(Limits{Grace: grace}, nil); len(r.Ended) != 1 || r.Ended[0].PID != p.Identity.PID {
			t.Errorf("%+v; want the command alone", r)
		}
		if !lives(s) {
			t.Error("the helper was ended")
		}
	})
}

// A command's children are seen also when the thread that started it ends.
func TestRetiringThreads(t *testing.T) {
	var p *Process
	started := make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with us
		defer close(started)
		p = start(t, Command{NoLeaf: true}, "polite")
	}()
	<-started
	stop := make(chan struct{})
	var churn sync.WaitGroup
	churn.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			gone := make(chan struct{})
			go func() {
				runtime.LockOSThread()
				_ = exec.Command("/bin/true").Run()
				close(gone)
			}()
			<-gone
		}
	})
	defer churn.Wait()
	defer close(stop)
	for range 300 {
		if m, err := p.Members(); err == nil && (len(m) != 1 || m[0].PID != p.Identity.PID) {
			t.Fatalf("%+v; want the command", m)
		}
	}
}

// A daemon that may stay may also start helpers later: the next command's end
// does not meet them.
func TestSparedHelper(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		dir := t.TempDir()
		script := `(while [ ! -e go ]; do sleep 0.01; done; setsid sleep 3601 & echo $! > pid; exec sleep 3602) & sleep 0.05`
		c.Argv, c.Dir, c.Env, c.Leave = []string{"bash", "-c", script}, dir, os.Environ(), []string{"bash"}
		p, err := Start(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		<-p.Done()
		r := p.End(Limits{Settle: 10 * time.Millisecond}, nil)
		if len(r.Spared) == 0 || len(r.Ended) != 0 {
			t.Fatalf("%+v", r)
		}
		c.Argv, c.Leave = []string{"bash", "-c", "touch go; while [ ! -s pid ]; do sleep 0.01; done; sleep 0.05"}, nil
		next, err := Start(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		<-next.Done()
		if r := next.End(Limits{Settle: 50 * time.Millisecond, Grace: grace}, nil); len(r.Ended) != 0 {
			t.Errorf("%+v; the daemon's helper was met", r)
		}
		pids, _ := children()
		for _, pid := range pids {
			s, err := Real.Stat(pid)
			if err != nil || s.Zombie() {
				continue
			}
			below, _ := Real.below([]Stat{s})
			endNow(t, s)
			for _, b := range below {
				if lives(b) {
					endNow(t, b)
				}
			}
		}
		reapAll(t, next)
	})
}

// An orphan that a subreaper of the command's own took is below that one.
func TestSubreaperBetween(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := start(t, c, "subreaper")
		if r := p.End(Limits{Grace: grace}, nil); len(r.Ended) < 2 || !slices.ContainsFunc(r.Ended, func(s Stat) bool { return s.Comm == "sleep" }) || !r.Gone() {
			t.Errorf("%+v; want the subreaper and its orphan ended", r)
		}
		nothingLeft(t, p)
	})
}
