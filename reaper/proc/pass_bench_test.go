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
)

// idle is the number of processes of the figure.
const idle = 5000

// TestBenchPass prints what one pass over 5,000 idle processes costs beside
// pgrep and gopsutil. The three take turns, so that a busy machine is busy for
// all; the medians are compared.
func TestBenchPass(t *testing.T) {
	crowd(t, idle)
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
	for i := range ways {
		slices.Sort(took[i])
	}
	base := median(took[0])
	for i, w := range ways {
		t.Logf("%-16s median %8s fastest %8s, %.2f times scan", w.name, median(took[i]).Round(100*time.Microsecond),
			took[i][0].Round(100*time.Microsecond), float64(median(took[i]))/float64(base))
	}
	t.Logf("aim: scan of %d in %s: %s (median %s); at most %.1f times pgrep: %s (%.2f)", idle, aimPass, met(base <= aimPass),
		base.Round(100*time.Microsecond), aimPgrep, met(float64(base) <= aimPgrep*float64(median(took[2]))), float64(base)/float64(median(took[2])))
}

// The aims of the issue.
const (
	aimPass  = 40 * time.Millisecond
	aimPgrep = 1.5
)

func median(sorted []time.Duration) time.Duration { return sorted[len(sorted)/2] }

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
