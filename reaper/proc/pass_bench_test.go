//go:build bench

package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v3/process"
	"golang.org/x/sys/unix"
)

// idle is the number of processes of the figure.
const idle = 5000

// TestBenchPass prints what one pass over 5,000 idle processes costs beside
// pgrep and gopsutil. The three take turns, so that a busy machine is busy for
// all; the medians are compared.
func TestBenchPass(t *testing.T) {
	crowd(t)
	ways := []struct {
		name string
		once func() error
	}{
		{"scan", func() error { _, err := Real.Scan(ScanOptions{Exe: true, Cwd: true}); return err }},
		{"table", func() error { _, err := Real.Table(); return err }},
		{"pgrep -f NOSUCH", pgrep},
		{"gopsutil", gopsutil},
	}
	took := make([][]time.Duration, len(ways))
	for range 15 {
		for i, w := range ways {
			begin := time.Now()
			if err := w.once(); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			took[i] = append(took[i], time.Since(begin))
		}
	}
	for i, w := range ways {
		slices.Sort(took[i])
		slices.Sort(took[0])
		median, base := took[i][len(took[i])/2], took[0][len(took[0])/2]
		t.Logf("%-16s median %8s fastest %8s, %.2f times scan", w.name, median.Round(100*time.Microsecond),
			took[i][0].Round(100*time.Microsecond), float64(median)/float64(base))
	}
}

// crowd starts the idle processes and ends them, by pid, with the test.
func crowd(t *testing.T) {
	t.Helper()
	script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 300 & i=$((i+1)); done; echo ready; wait", idle)
	pid := launchReady(t, exec.Command("/bin/sh", "-c", script))
	t.Cleanup(func() {
		table, _ := Real.Table()
		for _, s := range table.Below(pid) {
			_ = unix.Kill(s.PID, unix.SIGKILL)
		}
		until(t, pid, "has waited for them all", Stat.Zombie)
	})
}

func pgrep() error {
	err := exec.Command("pgrep", "-f", "NOSUCH").Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // found none
	}
	return fmt.Errorf("want exit status 1: %w", err)
}

// gopsutil asks for the same: state, parent, exe and cwd. It has no session.
func gopsutil() error {
	list, err := process.Processes()
	for _, p := range list {
		_, _ = p.Status()
		_, _ = p.Ppid()
		_, _ = p.Exe()
		_, _ = p.Cwd()
	}
	return err
}
