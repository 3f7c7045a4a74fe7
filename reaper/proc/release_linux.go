package proc

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// releaseTime bounds the moving of processes that fork as they are moved; a
// move takes microseconds.
const releaseTime = time.Second

// Release lets go of what is alive of the command, and returns it: from here
// on neither End nor our own end touches it, as under make or flock(1), which
// leave what runs in the background to whoever started it. It is for a command
// that has ended (Done). Without a leaf nobody keeps a list of who leaves
// later: what a released process starts, and loses, is a stranger to us.
func (p *Process) Release() []Stat {
	p.ending.Lock()
	defer p.ending.Unlock()
	if p.ended != nil {
		return p.ended.Spared
	}
	left, _ := p.Members()
	for _, s := range left {
		spareForGood(s)
	}
	if p.leaf != nil {
		left = p.leaf.leave(left)
	}
	p.ended = &Result{Spared: left}
	p.retire()
	close(p.over)
	return left
}

// leave moves the processes of a leaf into the cgroup above and takes the leaf
// away. The cgroups that members made below it (a gpuci in the background has
// its own) stay as they are, and the leaf with them.
func (l *leaf) leave(seen []Stat) []Stat {
	for deadline := time.Now().Add(releaseTime); time.Now().Before(deadline); {
		pids, err := l.own()
		if err != nil || len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			if s, err := Real.Stat(pid); err == nil && !slices.ContainsFunc(seen, same(s)) {
				seen = append(seen, s) // born since the look
				spareForGood(s)
			}
			_ = l.release(pid)
		}
	}
	_ = l.fd.Close()
	l.fd = nil
	_ = os.Remove(l.dir)
	return seen
}

// own lists the pids in the leaf itself, and not below it.
func (l *leaf) own() ([]int, error) {
	data, err := os.ReadFile(filepath.Join(l.dir, "cgroup.procs"))
	return fieldPIDs(data), err
}
