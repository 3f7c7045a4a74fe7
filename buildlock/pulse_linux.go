package buildlock

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// pulse watches whether the holder of a plain lock, whoever that is at the
// time, shows signs of life.
type pulse struct {
	path   string
	holder taker
	moved  time.Time // when it last did
}

// taker is who has a plain lock, as far as can be seen.
type taker struct {
	pid  int       // 0: cannot be seen from here
	stat proc.Stat // zero: not to be read
}

func (h taker) String() string {
	switch {
	case h.pid == 0:
		return "a process that cannot be seen from here"
	case h.stat.PID == 0:
		return "pid " + strconv.Itoa(h.pid)
	}
	return fmt.Sprintf("%s (pid %d, state %c)", h.stat.Comm, h.pid, h.stat.State)
}

// look says for how long there has been no sign. A holder that waits for the
// disk is at work, and of one that cannot be looked at nobody knows better.
func (p *pulse) look(now time.Time) (still time.Duration) {
	pid, _ := lockedBy(p.path)
	h := taker{pid: pid}
	if s, err := proc.Real.Stat(pid); pid != 0 && err == nil {
		h.stat = s
	}
	state := busy(pid)
	if state != 0 {
		h.stat.State = state
	}
	if h.stat.PID == 0 || h.stat.Start != p.holder.stat.Start || h.stat.CPU != p.holder.stat.CPU || state != 0 {
		p.moved = now
	}
	p.holder = h
	return now.Sub(p.moved)
}

// busy gives the state of a thread of a process that waits for a disk (D) or
// runs (R), 0 when none does: what the process itself shows is the state of its
// first thread alone.
func busy(pid int) (state byte) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, path := range threads {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if s, err := proc.ParseStat(data); err == nil && (s.State == 'D' || s.State == 'R' && state == 0) {
			state = s.State
		}
	}
	return state
}

// lockedBy tells from /proc/locks which process has a plain lock, and which
// wait for it; 0 is one in a pid namespace that is not below ours.
func lockedBy(path string) (holder int, waiters []int) {
	var st unix.Stat_t // by its name: who waits for the lock is busy with its file
	if err := unix.Stat(path, &st); err != nil {
		return 0, nil
	}
	data, _ := os.ReadFile("/proc/locks")
	return parseLocks(string(data), fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino))
}

// parseLocks finds the flock(2) locks of one file, proc_locks(5): after the
// number of the lock, "->" stands before one that is waited for.
func parseLocks(text, file string) (holder int, waiters []int) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		waits := len(f) > 1 && f[1] == "->"
		if waits {
			f = append(f[:1], f[2:]...)
		}
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != file {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		switch {
		case err != nil || pid <= 0:
		case waits:
			waiters = append(waiters, pid)
		case holder == 0:
			holder = pid
		}
	}
	return holder, waiters
}

// Gate is who has the gate of a queue, where numbers are given, and who waits
// for it: they are not in line yet.
type Gate struct {
	Holder  string // in words
	Waiters []int  // pids; those that cannot be seen from here are left out
}

// GateOf looks at the gate of a lock's queue. It is held for moments: only one
// that is seen with the same waiters again and again is worth a word.
func GateOf(dir string, l Lock) Gate {
	p := pulse{path: filepath.Join(orDefault(dir), string(l), gateFile)}
	_, waiters := lockedBy(p.path)
	if len(waiters) > 0 {
		p.look(time.Now())
	}
	return Gate{p.holder.String(), waiters}
}
