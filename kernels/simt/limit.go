package simt

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"gpuci/kernels/launch"
)

// LimitError is a launch that took longer than [Options].Limit allows, as one that waits
// for another thread in a loop does for ever.
type LimitError struct {
	Limit   time.Duration
	Kernels []string    // what was running; where it is not known which, all of the job
	At      *CrashError // the thread that was running then; nil where it is not known
}

func (e *LimitError) Error() string {
	at := ""
	if e.At != nil {
		at = fmt.Sprintf("; thread %s of block %s was running", triple(e.At.Thread), triple(e.At.Block))
		if e.At.File != "" {
			at += fmt.Sprintf(" at %s:%d", e.At.File, e.At.Line)
		}
	}
	return fmt.Sprintf("kernel %s was not through after %v%s; look for a loop that waits for another thread, or give a longer limit",
		strings.Join(e.Kernels, " or "), e.Limit, at)
}

// grace is what the runner has to read a job of gigabytes, and to end itself when a
// launch has reached its limit.
const grace = 30 * time.Second

// bound is how long a job may take in all, if the runner does not end it before.
func (p *Program) bound(job launch.Job) time.Duration {
	const most = 365 * 24 * time.Hour
	n := time.Duration(len(job.Launches))
	if p.o.Limit > most/n {
		return most
	}
	return n*p.o.Limit + grace
}

// died is the error of a kernel that the runner says has ended the process. By SIGALRM
// the runner ends itself when a launch has reached the limit.
func (p *Program) died(e *CrashError) error {
	if e.Signal != syscall.SIGALRM {
		return e
	}
	return &LimitError{Limit: p.o.Limit, Kernels: []string{e.Kernel}, At: e}
}

// kernels are the names of the kernels of a job.
func kernels(job launch.Job) []string {
	var names []string
	for _, l := range job.Launches {
		if !slices.Contains(names, l.Kernel) {
			names = append(names, l.Kernel)
		}
	}
	return names
}
