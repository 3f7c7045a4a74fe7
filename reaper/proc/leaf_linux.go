package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// leaf is a cgroup v2 directory that holds one command and whatever comes of
// it. Nothing leaves a cgroup by forking, by a new session, or by losing its
// parent, so membership needs no guessing; cgroups(7), and the kernel's
// Documentation/admin-guide/cgroup-v2.rst.
type leaf struct {
	dir  string
	path string   // in the hierarchy, as /proc/PID/cgroup has it; "" in a leftover
	fd   *os.File // open on dir, for CLONE_INTO_CGROUP
}

// leafPrefix begins the name of every leaf, so that one that outlived its
// gpuci can be told for what it is.
const leafPrefix = "gpuci-"

// newLeaf makes a leaf below our own cgroup. Every error is ErrNoLeaf with the
// reason.
func newLeaf(name string) (*leaf, error) {
	path, dir, err := Real.cgroup2()
	if err != nil {
		return nil, noLeaf(err)
	}
	clearStale(dir)
	name = leafPrefix + name
	l := &leaf{dir: filepath.Join(dir, name), path: filepath.Join(path, name)}
	if err := os.Mkdir(l.dir, 0o755); err != nil {
		return nil, noLeaf(err)
	}
	// Without cgroup.kill (before Linux 5.14) a leaf could be listed but not
	// ended in one go: then it is no better than the fallback.
	if _, err := os.Stat(filepath.Join(l.dir, "cgroup.kill")); err != nil {
		_ = os.Remove(l.dir)
		return nil, noLeaf(err)
	}
	if l.fd, err = os.Open(l.dir); err != nil {
		_ = os.Remove(l.dir)
		return nil, noLeaf(err)
	}
	return l, nil
}

// holds says whether a process, dead or alive, is in the leaf or in a cgroup
// below it.
func (l *leaf) holds(pid int) bool {
	path, err := Real.cgroupOf(pid)
	return err == nil && within(path, l.path)
}

// within says whether a cgroup is another one or below it.
func within(path, top string) bool {
	return top != "" && (path == top || strings.HasPrefix(path, top+"/"))
}

// procs lists the pids in the leaf and in the cgroups that members made below
// it (a gpuci in a gate makes its own). While we read, such a cgroup can go
// away, and its members into another one: then it is done again.
func (l *leaf) procs() (out []int, err error) {
	for range maxLooks {
		if out, err = procsBelow(l.dir); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENODEV) {
			return out, err
		}
		if _, err := os.Stat(l.dir); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return out, err
}

// procsBelow reads what it can, and says what it could not.
func procsBelow(dir string) ([]int, error) {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if errors.Is(err, unix.EOPNOTSUPP) {
		err = nil // a threaded cgroup: its processes are listed further up
	}
	out := fieldPIDs(data)
	entries, derr := os.ReadDir(dir)
	err = errors.Join(err, derr)
	for _, e := range entries {
		if e.IsDir() {
			more, merr := procsBelow(filepath.Join(dir, e.Name()))
			out, err = append(out, more...), errors.Join(err, merr)
		}
	}
	return out, err
}

// members are the living processes in the leaf.
func (l *leaf) members() ([]Stat, error) {
	pids, err := l.procs()
	var out []Stat
	slices.Sort(pids) // a pid can come twice, and be read while it changes place
	for _, pid := range slices.Compact(pids) {
		if s, err := Real.Stat(pid); err == nil {
			out = append(out, s)
		}
	}
	return alive(out), err
}

// kill sends SIGKILL to every member, those that fork meanwhile included.
func (l *leaf) kill() error {
	return os.WriteFile(filepath.Join(l.dir, "cgroup.kill"), []byte("1"), 0)
}

// release moves a process out, into the cgroup above.
func (l *leaf) release(pid int) error {
	return os.WriteFile(filepath.Join(filepath.Dir(l.dir), "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
}

// empty waits until the leaf is not populated any more; the kernel wakes us by
// POLLPRI on cgroup.events. It says whether it is.
func (l *leaf) empty(d time.Duration, hurry <-chan struct{}) bool {
	deadline := time.Now().Add(d)
	events, err := os.Open(filepath.Join(l.dir, "cgroup.events"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer events.Close()
	for {
		if on, err := l.populated(); err != nil || !on {
			return err == nil || errors.Is(err, fs.ErrNotExist)
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		select {
		case <-hurry:
			return false
		default:
		}
		// In slices, because a second Ctrl-C has no descriptor to poll.
		fds := []unix.PollFd{{Fd: int32(events.Fd()), Events: unix.POLLPRI}}
		_, _ = unix.Poll(fds, int(min(left, 20*time.Millisecond)/time.Millisecond)+1)
	}
}

// Leaf is the outermost cgroup on a process's path that a gpuci made for a
// command, as /proc/PID/cgroup writes it; "" when it is in none. Whatever came
// of that command has the same one.
func (r Root) Leaf(pid int) (string, error) {
	path, err := r.cgroupOf(pid)
	if err != nil {
		return "", err
	}
	for at := 0; at < len(path); {
		end := len(path)
		if n := strings.IndexByte(path[at+1:], '/'); n >= 0 {
			end = at + 1 + n
		}
		if isLeaf(path[at+1 : end]) {
			return path[:end], nil
		}
		at = end
	}
	return "", nil
}

// Leaf is the directory of the cgroup that the command runs in, "" when it has
// none. Its pressure files tell what the command itself waited.
func (p *Process) Leaf() string {
	if p.leaf == nil {
		return ""
	}
	return p.leaf.dir
}
