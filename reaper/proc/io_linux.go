package proc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// IO is /proc/PID/io, proc_pid_io(5), in bytes: the process with its threads
// and the children it waited for. Fetched and Sent are what storage saw.
type IO struct {
	Read      uint64 // rchar: asked of read calls, whatever they read from
	Written   uint64 // wchar
	Fetched   uint64 // read_bytes: fetched from storage
	Sent      uint64 // write_bytes: sent to storage, or dirtied for it
	Cancelled uint64 // cancelled_write_bytes: of Sent, thrown away before it got there
}

func (a *IO) add(b IO) {
	a.Read += b.Read
	a.Written += b.Written
	a.Fetched += b.Fetched
	a.Sent += b.Sent
	a.Cancelled += b.Cancelled
}

// IO reads /proc/PID/io. The error is ErrGone, or wraps fs.ErrPermission for
// other users' processes.
func (r Root) IO(pid int) (IO, error) {
	text, err := r.small(pid, "io")
	if err != nil {
		return IO{}, err
	}
	return ParseIO([]byte(text))
}

// ParseIO parses the content of an io file. Unknown lines are skipped, a
// missing one is an error.
func ParseIO(data []byte) (IO, error) {
	var out IO
	want := map[string]*uint64{
		"rchar": &out.Read, "wchar": &out.Written, "read_bytes": &out.Fetched,
		"write_bytes": &out.Sent, "cancelled_write_bytes": &out.Cancelled,
	}
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(string(line), ":")
		into, ok := want[key]
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return IO{}, fmt.Errorf("parse io: line %.80q: %w", line, err)
		}
		*into = n
		delete(want, key)
	}
	for key := range want {
		return IO{}, fmt.Errorf("parse io: no line %s in %.80q", key, data)
	}
	return out, nil
}

// TreeUsage is what some processes and everything below them have used. It
// counts children only once they were waited for, or while they live; what
// ended unwaited for (its parent ignores SIGCHLD) is nowhere.
type TreeUsage struct {
	Processes int           // those counted in CPU
	CPU       time.Duration // as of the table
	IO        IO            // as of now
	Unread    []Unread      // whose IO is missing: not ours to read, or ended since the table
}

// TreeUsage adds up the trees below pids, these included, as the table has
// them. Pids that are not in the table count nothing.
func (r Root) TreeUsage(t Table, pids ...int) TreeUsage {
	var members []Stat
	seen := make(map[int]bool)
	for _, pid := range pids {
		if s, ok := t[pid]; ok && !seen[pid] {
			seen[pid] = true
			members = append(members, s)
		}
	}
	for _, s := range t.Below(pids...) {
		if !seen[s.PID] {
			members = append(members, s)
		}
	}
	u := TreeUsage{Processes: len(members), CPU: sumCPU(members)}
	for _, s := range members {
		io, err := r.ioOf(s)
		if err != nil {
			u.Unread = append(u.Unread, Unread{s.PID, err})
			continue
		}
		u.IO.add(io)
	}
	return u
}

// sumCPU is what some processes and those they waited for have used.
func sumCPU(members []Stat) time.Duration {
	var ticks uint64
	for _, s := range members {
		ticks += s.CPU + s.Waited
	}
	return CPUTime(ticks)
}

// ioOf reads the IO of exactly the process that the table saw.
func (r Root) ioOf(s Stat) (IO, error) {
	if err := r.still(s); err != nil {
		return IO{}, err
	}
	io, err := r.IO(s.PID)
	if err != nil {
		return IO{}, err
	}
	return io, r.still(s)
}

// still is ErrGone once the pid of s does not belong to the process any more
// that s is of.
func (r Root) still(s Stat) error {
	now, err := r.Stat(s.PID)
	if err == nil && now.Start != s.Start {
		return ErrGone
	}
	return err
}
