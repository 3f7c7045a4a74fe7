package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// Usage is what a command and everything below it used.
type Usage struct {
	CPU      time.Duration // user and system time of all members
	MaxRSS   int64         // bytes: the largest single process; 0 when that is not known
	Peak     int64         // bytes: all together, file pages they brought in included; 0 without a memory controller on the leaf
	Read     int64         // bytes fetched from storage
	Written  int64         // bytes sent to storage, or to the page cache for it
	Switches int64         // context switches, voluntary or not

	Stalled    time.Duration // in which all members that were not idle waited for the disk at once
	StallKnown bool          // only in a leaf, on a kernel with PSI
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
// In a leaf CPU and Peak are the kernel's own sums over the cgroup, which also
// have those that live, and those that nobody waited for. The kernel counts a
// command's memory from the fork on, when it was still ours: a MaxRSS that is
// no larger than our own is not known.
func (p *Process) Usage() Usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	var own Usage
	if own.add(p.exit.rusage); own.MaxRSS <= p.floor {
		own.MaxRSS = 0
	}
	u := p.orphans
	u.add(p.exit.rusage)
	u.MaxRSS = max(own.MaxRSS, p.orphans.MaxRSS)
	l := p.leaves
	if p.leaf != nil && !p.measured {
		l = p.leaf.usage()
	}
	u.CPU, u.Peak = max(u.CPU, l.CPU), l.Peak
	u.Stalled, u.StallKnown = l.Stalled, l.StallKnown
	return u
}

// measure keeps what the leaf knows, before it is taken away.
func (p *Process) measure() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaves, p.measured = p.leaf.usage(), true
}
