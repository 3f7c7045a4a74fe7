//go:build bench

package reaper

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// way is one of the things that are measured beside each other.
type way struct {
	name string
	once func() error
}

// inTurn prints what each way takes, and returns the median of the first. Each
// round begins with another one, so that none always comes after the slowest.
func inTurn(t *testing.T, times int, ways []way) time.Duration {
	t.Helper()
	wall, cpu := make([][]time.Duration, len(ways)), make([][]time.Duration, len(ways))
	for round := range times {
		for n := range ways {
			i := (n + round) % len(ways)
			w := ways[i]
			began, used := time.Now(), processors(t)
			if err := w.once(); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			wall[i], cpu[i] = append(wall[i], time.Since(began)), append(cpu[i], processors(t)-used)
		}
	}
	for i, w := range ways {
		slices.Sort(wall[i])
		slices.Sort(cpu[i])
		t.Logf("%-24s median %8s fastest %8s; of the processors %8s", w.name,
			short(wall[i][times/2]), short(wall[i][0]), short(cpu[i][times/2]))
	}
	return wall[0][times/2]
}

func short(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// processors is the time we and the children we waited for have used.
func processors(t *testing.T) (sum time.Duration) {
	t.Helper()
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "NOT met"
}

func pgrep() error {
	err := exec.Command("pgrep", "-f", "NOSUCH").Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // found none
	}
	return fmt.Errorf("want exit status 1: %w", err)
}

// crowd is many processes that do nothing, each started by a line of shell, in
// one session.
func crowd(t *testing.T, n int, start string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s i=$((i+1)); done; echo ready; wait; exec sleep 300", n, start))
	detach(cmd)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	endLater(t, cmd.Process.Pid)
	t.Cleanup(func() { // before that: all of its session, by who they are
		table, _ := proc.Real.Table()
		boot, _ := proc.Real.BootID()
		for _, s := range table {
			if s.Session == cmd.Process.Pid {
				_ = proc.Real.Signal(s.Identity(boot), unix.SIGKILL)
			}
		}
		_ = cmd.Wait()
	})
	text := make([]byte, 6)
	if _, err := out.Read(text); err != nil || !strings.HasPrefix(string(text), "ready") {
		t.Fatalf("no crowd: %q, %v", text, err)
	}
}
