package gates

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

const (
	// mineEvery is how often the gate's processes are listed: one that uses a card
	// takes a tenth of a second to open it, so that none lives in between.
	mineEvery = 20 * time.Millisecond
	// mineGlimpse is how often the numbers in its cgroup are read, where it has one:
	// that is one file, and finds those too that live for a moment.
	mineGlimpse = 5 * time.Millisecond
	// mineShare bounds what either may cost: of one processor, a fortieth.
	mineShare = 40
	// strangers are looked at again after this: nobody else's process becomes ours,
	// but one look can have failed.
	strangerTime = 5 * time.Second
)

// mine knows which processes are the gate's own, also those that have ended: a
// driver lists them for a moment still. Of these it is asked by their pids alone, which
// somebody else may have had before or after.
type mine struct {
	mu       sync.Mutex
	child    *proc.Process
	own      map[int]uint64   // start ticks of all that were seen
	brief    map[int]bool     // that were seen in its cgroup: who they were when they are gone
	others   map[int]uint64   // start ticks of those who were asked for and are certainly not ours
	strange  map[int]stranger // that were asked for
	stopping map[*proc.Process]func()
}

type stranger struct {
	start uint64
	at    time.Time
}

// newMine is a set with us alone in it, and above, where these are ours too.
func newMine(above bool) *mine {
	m := &mine{own: make(map[int]uint64), brief: make(map[int]bool), others: make(map[int]uint64), strange: make(map[int]stranger), stopping: make(map[*proc.Process]func())}
	for _, s := range proc.Real.Lineage(os.Getpid()) {
		if above || s.PID == os.Getpid() {
			m.own[s.PID] = s.Start
		}
	}
	return m
}

// follow takes in what a command starts, until leaveOff.
func (m *mine) follow(p *proc.Process) {
	over := make(chan struct{})
	var ended sync.WaitGroup
	m.mu.Lock()
	m.child = p
	m.stopping[p] = func() { close(over); ended.Wait() }
	m.mu.Unlock()
	ended.Go(func() { every(over, mineEvery, func() { _ = m.list(p) }) })
	if leaf := p.Leaf(); leaf != "" {
		ended.Go(func() { every(over, mineGlimpse, func() { m.glimpse(leaf) }) })
	}
}

// every does something again and again, for its share of a processor at most: by its
// own processor time, for on a busy machine it takes long, and must not come seldom.
func every(over <-chan struct{}, pause time.Duration, do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		began := threadTime()
		do()
		select {
		case <-over:
			return
		case <-time.After(max(pause, mineShare*(threadTime()-began))):
		}
	}
}

// threadTime is the processor time of this thread.
func threadTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// glimpse notes who is in a cgroup. Those in one that its members made below it are left
// to the lists.
func (m *mine) glimpse(dir string) {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for field := range strings.FieldsSeq(string(data)) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
			m.brief[pid] = true
		}
	}
}

// leaveOff ends that, when the command has ended.
func (m *mine) leaveOff(p *proc.Process) {
	m.mu.Lock()
	stop := m.stopping[p]
	delete(m.stopping, p)
	if m.child == p {
		m.child = nil
	}
	m.mu.Unlock()
	if stop != nil {
		stop()
	}
}

func (m *mine) list(p *proc.Process) error {
	list, err := p.Members() // with an error it is those that could be found
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range list {
		m.own[s.PID] = s.Start
	}
	return err
}

// is says whether a process is ours.
func (m *mine) is(pid int) bool {
	s, err := proc.Real.Stat(pid)
	m.mu.Lock()
	start, own := m.own[pid]
	last, asked := m.strange[pid]
	child, was := m.child, m.was(pid)
	m.mu.Unlock()
	switch {
	case err != nil:
		return was && errors.Is(err, proc.ErrGone)
	case own && start == s.Start:
		return true
	case asked && last.start == s.Start && time.Since(last.at) < strangerTime:
		return false
	case child != nil:
		return m.listed(child, s)
	case own: // that one is gone, and its number is another's
		m.mu.Lock()
		m.others[pid] = s.Start
		m.mu.Unlock()
	}
	return false
}

// listed says whether a living process is in a list that is taken now.
func (m *mine) listed(child *proc.Process, s proc.Stat) bool {
	lerr := m.list(child)
	still, err := proc.Real.Stat(s.PID)
	m.mu.Lock()
	defer m.mu.Unlock()
	if start, own := m.own[s.PID]; own && start == s.Start {
		return true
	}
	m.strange[s.PID] = stranger{s.Start, time.Now()}
	if lerr == nil && err == nil && still.Start == s.Start && !still.Zombie() { // else it may have ended before it was listed
		m.others[s.PID] = s.Start
	}
	return false
}

// was says whether a process that has ended was ours. A number that somebody else had
// as well says nothing: whose the driver lists cannot be told.
func (m *mine) was(pid int) bool {
	start, own := m.own[pid]
	if other, had := m.others[pid]; had && (!own || other != start) {
		return false
	}
	return own || m.brief[pid]
}

// follow and leaveOff are those of the cards' own processes; without cards nothing is
// followed.
func (c *onCards) follow(p *proc.Process) {
	if c != nil {
		c.mine.follow(p)
	}
}

func (c *onCards) leaveOff(p *proc.Process) {
	if c != nil {
		c.mine.leaveOff(p)
	}
}
