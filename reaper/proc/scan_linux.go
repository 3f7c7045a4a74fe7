package proc

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// ScanOptions says what a pass reads beside each process's stat. Each costs
// one more system call a process.
type ScanOptions struct {
	Exe bool
	Cwd bool
	UID bool
}

// Picture is what one pass saw. A process that lived through the whole pass
// is in it; one that was born during the pass may be.
//
// The files of one process are read microseconds apart, so stat and exe could
// even tell of two bearers of one pid. Whoever acts on a process reads its
// identity again first.
type Picture struct {
	Table  Table
	Exe    map[int]Place // by pid, if asked for; Unknown where a file system that would have to tell does not answer
	Cwd    map[int]Place
	UID    map[int]uint32 // who owns /proc/PID: the effective user, or root of what may not be dumped (Status knows)
	Hidden []int          // listed, but not ours to look at (hidepid=noaccess)
}

// A pass is split among so many threads at most, and so many processes at
// least for each. All of its time is spent in the kernel, 15 to 20 us a
// process with exe and cwd: 40 ms for 5,000 of them want two cores that have
// nothing else to do, and more than four threads would take the machine from
// those who work on it. (make bench says what it is here.)
const (
	maxPassers = 4
	minShare   = 512
)

// Scan makes one pass over /proc, with one read a process and next to no
// allocation: a gate's supervisor takes ten of these every second, on machines
// with thousands of processes.
func (r Root) Scan(o ScanOptions) (Picture, error) {
	seen, err := r.sightings(o)
	if err != nil {
		return Picture{}, fmt.Errorf("list processes in %s: %w", r, err)
	}
	p := Picture{Table: make(Table, len(seen))}
	if o.Exe {
		p.Exe = make(map[int]Place, len(seen))
	}
	if o.Cwd {
		p.Cwd = make(map[int]Place, len(seen))
	}
	if o.UID {
		p.UID = make(map[int]uint32, len(seen))
	}
	for i := range seen {
		p.add(&seen[i], o)
	}
	return p, nil
}

func (p *Picture) add(s *sighting, o ScanOptions) {
	switch s.what {
	case hidden:
		p.Hidden = append(p.Hidden, s.stat.PID)
	case seen:
		p.Table[s.stat.PID] = s.stat
		if o.Exe {
			p.Exe[s.stat.PID] = s.exe
		}
		if o.Cwd {
			p.Cwd[s.stat.PID] = s.cwd
		}
		if o.UID && s.owned {
			p.UID[s.stat.PID] = s.uid
		}
	}
}

// sightings looks at every process once.
func (r Root) sightings(o ScanOptions) ([]sighting, error) {
	root, err := openDir(string(r))
	if err != nil {
		return nil, err
	}
	defer root.close()
	pids, _, err := root.numbers(0)
	if err != nil {
		return nil, err
	}
	out := make([]sighting, len(pids))
	passers := max(1, min(maxPassers, runtime.GOMAXPROCS(0), len(pids)/minShare))
	errs := make([]error, passers)
	var all sync.WaitGroup
	for i := range passers {
		from, to := len(pids)*i/passers, len(pids)*(i+1)/passers
		all.Go(func() {
			p := passer{root: root, from: r, want: o, strings: make(map[string]string), buf: make([]byte, linkMax)}
			errs[i] = p.look(pids[from:to], out[from:to])
		})
	}
	all.Wait()
	return out, errors.Join(errs...)
}
