package proc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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
	dir string
	fd  *os.File // open on dir, for CLONE_INTO_CGROUP
}

// ErrNoLeaf says that no leaf can be made here: no cgroup v2 mount, or no
// right to write below our own cgroup. Supervision falls back on sessions.
var ErrNoLeaf = errors.New("no cgroup leaf")

// cgroup2 returns the directory of our own cgroup in the v2 hierarchy.
func (r Root) cgroup2() (string, error) {
	own, err := os.ReadFile(filepath.Join(string(r), "self/cgroup"))
	if err != nil {
		return "", err
	}
	mounts, err := os.ReadFile(filepath.Join(string(r), "self/mountinfo"))
	if err != nil {
		return "", err
	}
	path, ok := cgroupPath(own)
	if !ok {
		return "", fmt.Errorf("%w: this kernel has no cgroup v2 hierarchy", ErrNoLeaf)
	}
	dir, ok := mountedAt(mounts, path)
	if !ok {
		return "", fmt.Errorf("%w: cgroup v2 is not mounted where %s can be reached", ErrNoLeaf, path)
	}
	return dir, nil
}

// cgroupPath reads the line "0::PATH" of /proc/self/cgroup.
func cgroupPath(own []byte) (string, bool) {
	for line := range strings.Lines(string(own)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return strings.TrimSuffix(path, " (deleted)"), strings.HasPrefix(path, "/")
		}
	}
	return "", false
}

// mountedAt finds a cgroup2 mount in /proc/self/mountinfo that shows path, and
// where. Fields: id, parent, device, root, mount point, options, …, "-", type.
func mountedAt(mounts []byte, path string) (string, bool) {
	lines := bufio.NewScanner(bytes.NewReader(mounts))
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		f := strings.Fields(before)
		if !ok || len(f) < 6 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		root, point := unescapeMount(f[3]), unescapeMount(f[4])
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(point, rel), true
		}
	}
	return "", false
}

// unescapeMount undoes the octal escapes of blanks and backslashes.
func unescapeMount(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// leafPrefix begins the name of every leaf, so that one that outlived its
// gpuci can be told for what it is.
const leafPrefix = "gpuci-"

// newLeaf makes a leaf below our own cgroup. Every error is ErrNoLeaf with the
// reason.
func newLeaf(name string) (*leaf, error) {
	own, err := Real.cgroup2()
	if err != nil {
		return nil, noLeaf(err)
	}
	l := &leaf{dir: filepath.Join(own, leafPrefix+name)}
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

func noLeaf(err error) error {
	if errors.Is(err, ErrNoLeaf) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoLeaf, err)
}

// procs lists the pids in the leaf and in the cgroups that members made below
// it (a gpuci in a gate makes its own).
func (l *leaf) procs() ([]int, error) {
	var out []int
	err := filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		if errors.Is(err, unix.EOPNOTSUPP) {
			return nil // a threaded cgroup: its processes are listed further up
		}
		if err != nil {
			return err
		}
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 0 { // 0: not in our pid namespace
				out = append(out, pid)
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		err = nil // a cgroup below went away while we read: so did its members
	}
	return out, err
}

// members are the living processes in the leaf.
func (l *leaf) members() ([]Stat, error) {
	pids, err := l.procs()
	var out []Stat
	for _, pid := range pids {
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

// populated says whether anything but zombies is in the leaf or below it.
func (l *leaf) populated() (bool, error) {
	data, err := os.ReadFile(filepath.Join(l.dir, "cgroup.events"))
	if err != nil {
		return false, err
	}
	return slices.Contains(strings.Split(string(data), "\n"), "populated 1"), nil
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

// remove takes the leaf and the cgroups below it away. Zombies of others do
// not hold a cgroup, so an empty leaf can go at once.
func (l *leaf) remove() error {
	if l.fd != nil {
		_ = l.fd.Close()
		l.fd = nil
	}
	// A member that has ended can hold its cgroup a moment longer than
	// cgroup.events says.
	var err error
	for wait := 100 * time.Microsecond; wait < time.Second; wait *= 2 {
		if err = removeCgroup(l.dir); !errors.Is(err, unix.EBUSY) {
			return err
		}
		time.Sleep(wait)
	}
	return err
}

// removeCgroup removes a cgroup and those below it, deepest first. The files
// in a cgroup's directory go with it.
func removeCgroup(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeCgroup(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// cpu is the processor time that all members ever used, those that have ended
// included; every v2 cgroup keeps it, whatever controllers are on.
func (l *leaf) cpu() (time.Duration, error) {
	data, err := os.ReadFile(filepath.Join(l.dir, "cpu.stat"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "usage_usec "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			return time.Duration(n) * time.Microsecond, err
		}
	}
	return 0, errors.New("cpu.stat has no usage_usec")
}
