package reaper

import (
	"time"

	"gpuci/reaper/proc"
)

// DefaultDeadline is how long a sweep goes on. A linker in D ends within some
// tens of milliseconds once its disk answers; one whose disk does not answer
// for so long is named instead of waited for.
const DefaultDeadline = 10 * time.Second

// Options are those of Sweep and Watch. The zero value wants no lane, and so
// ends nothing.
type Options struct {
	Root     proc.Root // proc.Real when ""
	Lanes    []Lane
	Wanted   func(lane string) bool // whose leaked processes are meant; nil is nobody's
	Rules    Rules
	Runs     map[string]Run // runs and builds that gpuci knows of, by id
	Deadline time.Duration  // DefaultDeadline when 0
	Patient  bool           // wait until those are old enough that were orphaned just before
	DryRun   bool           // one pass, and nothing is sent
	Killed   func(Kill)     // is told each as it is gone, if not nil; what is left at the end is in the report
}

func (o Options) filled() Options {
	if o.Root == "" {
		o.Root = proc.Real
	}
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	if o.Rules.Floor == 0 {
		o.Rules.Floor = DefaultFloor
	}
	if o.Killed == nil {
		o.Killed = func(Kill) {}
	}
	return o
}
