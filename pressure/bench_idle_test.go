//go:build bench && linux

package pressure

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestBenchIdle: what a watch costs while nothing happens, for a minute or
// GPUCI_BENCH_IDLE (the figure: 10m), side by side: of this machine, of a cgroup
// with nobody in it (which is idle whatever the machine does), looking at the
// IO file every second, and a Go process that waits for its signal and does
// nothing: what the runtime itself does. Issue 5: 0.05 s of CPU in all, fewer
// than two wake-ups a minute.
func TestBenchIdle(t *testing.T) {
	period := time.Minute
	if text := os.Getenv("GPUCI_BENCH_IDLE"); text != "" {
		var err error
		if period, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	var all []*idler
	for _, c := range []struct{ name, way, root string }{
		{"Watch, an idle cgroup", "watch", asMachine(t, ownGroup(t))},
		{"Watch, this machine", "watch", Real},
		{"a look every second", "poll", Real},
		{"nothing at all, in Go", "nothing", Real},
	} {
		all = append(all, startIdler(t, c.name, c.way, c.root))
	}
	machine := Read(Real)
	for _, i := range all {
		i.before = spentBy(t, i.cmd.Process.Pid)
	}
	time.Sleep(period)
	for _, i := range all {
		i.after = spentBy(t, i.cmd.Process.Pid)
	}
	span := Between(machine, Read(Real))
	fmt.Printf("%v of an idle watch; this machine meanwhile: cpu some %.0f %%, io full %.1f %%, memory full %.1f %%\n",
		period, span.CPU.Some.Percent(), span.IO.Full.Percent(), span.Memory.Full.Percent())
	for _, i := range all {
		i.report(t, period)
	}
}

type idler struct {
	name          string
	cmd           *exec.Cmd
	out           *bufio.Scanner
	before, after spent
}

func startIdler(t *testing.T, name, way, root string) *idler {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestIdleChild$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), "GPUCI_BENCH_IDLE_WAY="+way, "GPUCI_BENCH_IDLE_ROOT="+root)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	i := &idler{name: name, cmd: cmd, out: bufio.NewScanner(stdout)}
	if !i.out.Scan() || i.out.Text() != "ready" {
		t.Fatalf("%s said %q", name, i.out.Text())
	}
	return i
}

func (i *idler) report(t *testing.T, period time.Duration) {
	t.Helper()
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	said := ""
	for i.out.Scan() {
		if text, ok := strings.CutPrefix(i.out.Text(), "events "); ok {
			said = text
		}
	}
	if err := i.cmd.Wait(); err != nil {
		t.Fatalf("%s: %v", i.name, err)
	}
	ended := i.cmd.ProcessState
	woken, threads := 0, 0
	for task, n := range i.after.switches {
		if n -= i.before.switches[task]; n > 0 {
			woken, threads = woken+n, threads+1
		}
	}
	fmt.Printf("  %-22s %.4f s of CPU, %.3f s with its start and end (aim 0.05); %d voluntary switches, %.2f a minute (aim 2), of %d threads out of %d; events: %s\n",
		i.name, (i.after.cpu - i.before.cpu).Seconds(), (ended.UserTime() + ended.SystemTime()).Seconds(),
		woken, float64(woken)/period.Minutes(), threads, len(i.after.switches), said)
}

// spent is what all threads of a process used so far.
type spent struct {
	switches map[string]int // voluntary ones, by thread
	cpu      time.Duration
}

func spentBy(t *testing.T, pid int) (s spent) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("threads of %d: %v", pid, err)
	}
	s.switches = map[string]int{}
	for _, task := range tasks {
		status, err := os.ReadFile(task + "/status")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(status)) {
			if text, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
				s.switches[task], _ = strconv.Atoi(strings.TrimSpace(text))
			}
		}
		times, err := os.ReadFile(task + "/schedstat")
		if err != nil {
			t.Fatal(err)
		}
		ns, _ := strconv.ParseInt(strings.Fields(string(times))[0], 10, 64)
		s.cpu += time.Duration(ns)
	}
	return s
}

// TestIdleChild is one of the processes that TestBenchIdle measures.
func TestIdleChild(t *testing.T) {
	root := os.Getenv("GPUCI_BENCH_IDLE_ROOT")
	if root == "" {
		t.Skip("needs TestBenchIdle, which starts it")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	counts := map[EventKind]int{}
	switch os.Getenv("GPUCI_BENCH_IDLE_WAY") {
	case "nothing":
		fmt.Println("ready")
		<-ctx.Done()
		fmt.Println("events none")
		return
	case "poll":
		fmt.Println("ready")
		for seconds := time.NewTicker(time.Second); ctx.Err() == nil; {
			select {
			case <-seconds.C:
				readFile(filepath.Join(root, "io"))
			case <-ctx.Done():
			}
		}
		fmt.Println("events none")
		return
	}
	err := Watch(ctx, WatchOptions{Root: root}, func(e Event) {
		if counts[e.Kind]++; e.Kind == EventFirst {
			fmt.Println("ready")
		}
	})
	if ctx.Err() == nil {
		t.Fatal(err)
	}
	fmt.Println("events", counts)
}
