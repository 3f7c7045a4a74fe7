package beside

import (
	"os"
	"time"

	"gpuci/reaper/proc"
)

// patience is how long a process in state D may go without having been woken
// once before it counts as one that hangs: a dead file server keeps its readers
// in D for days, and they use no disk. A write that is passed down to a slow disk
// megabyte by megabyte wakes up many times in that time.
const patience = 5 * time.Second

// Observer tells who else waits for the disk, from look to look.
type Observer struct {
	seen map[proc.Identity]sight
}

// sight is how a process was seen first with so many context switches.
type sight struct {
	switches uint64
	since    time.Time
}

// Waiting are the processes that wait for the disk and are no part of our own
// build, but for those that hang. With an error there may be more.
func (o *Observer) Waiting() ([]proc.Stat, error) {
	list, err := Waiting(proc.Real, os.Getpid())
	now := time.Now()
	fresh := make(map[proc.Identity]sight, len(list))
	var moving []proc.Stat
	for _, s := range list {
		id := s.Identity("")
		at, known := o.seen[id]
		status, serr := proc.Real.Status(s.PID)
		if !known || serr == nil && status.Switches != at.switches {
			at = sight{status.Switches, now}
		}
		fresh[id] = at
		if now.Sub(at.since) < patience {
			moving = append(moving, s)
		}
	}
	o.seen = fresh
	return moving, err
}

// Others says how many they are, and names some. When some are seen, that there
// may be more is no error.
func (o *Observer) Others() (count int, text string, err error) {
	list, err := o.Waiting()
	if len(list) > 0 {
		err = nil
	}
	return len(list), Text(proc.Real, list), err
}
