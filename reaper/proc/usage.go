package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// Usage is what a command and everything below it used.
type Usage struct {
	CPU      time.Duration `json:"cpu"`      // user and system time of all members
	MaxRSS   int64         `json:"max-rss"`  // bytes: the largest single member, no less than ours at the fork
	Read     int64         `json:"read"`     // bytes fetched from storage
	Written  int64         `json:"written"`  // bytes sent to storage, or to the page cache for it
	Switches int64         `json:"switches"` // context switches, voluntary or not
}

// sectorSize is the unit of ru_inblock and ru_oublock, getrusage(2).
const sectorSize = 512

// add adds the usage of one waited-for process and those it waited for.
func (u *Usage) add(ru unix.Rusage) {
	u.CPU += time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	u.MaxRSS = max(u.MaxRSS, ru.Maxrss<<10) // in KiB on Linux
	u.Read += ru.Inblock * sectorSize
	u.Written += ru.Oublock * sectorSize
	u.Switches += ru.Nvcsw + ru.Nivcsw
}

// Usage is what was used by all members that have ended and were waited for.
// In a leaf the CPU time is the kernel's own sum over the cgroup, which also
// has members that nobody waited for.
func (p *Process) Usage() Usage {
	p.mu.Lock()
	u := p.orphans
	p.mu.Unlock()
	u.add(p.Exit().rusage)
	if p.leafCPU > 0 {
		u.CPU = p.leafCPU
	}
	return u
}
