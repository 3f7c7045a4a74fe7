package proc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoLeaf says that no leaf can be made here: no cgroup v2 mount, or no
// right to write below our own cgroup. Supervision falls back on sessions.
var ErrNoLeaf = errors.New("no cgroup leaf")

func noLeaf(err error) error {
	if errors.Is(err, ErrNoLeaf) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoLeaf, err)
}

// cgroup2 returns our own cgroup in the v2 hierarchy: its path there, and the
// directory in which it can be seen.
func (r Root) cgroup2() (path, dir string, err error) {
	own, err := os.ReadFile(filepath.Join(string(r), "self/cgroup"))
	if err != nil {
		return "", "", err
	}
	mounts, err := os.ReadFile(filepath.Join(string(r), "self/mountinfo"))
	if err != nil {
		return "", "", err
	}
	path, ok := cgroupPath(own)
	if !ok {
		return "", "", fmt.Errorf("%w: this kernel has no cgroup v2 hierarchy", ErrNoLeaf)
	}
	if dir, ok = mountedAt(mounts, path); !ok {
		return "", "", fmt.Errorf("%w: cgroup v2 is not mounted where %s can be reached", ErrNoLeaf, path)
	}
	return path, dir, nil
}

// cgroupOf reads the path of a process's cgroup, of a zombie's too.
func (r Root) cgroupOf(pid int) (string, error) {
	text, err := r.small(pid, "cgroup")
	if err != nil {
		return "", err
	}
	path, ok := cgroupPath([]byte(text))
	if !ok {
		return "", fmt.Errorf("read cgroup of pid %d: no line of cgroup v2 in %.80q", pid, text)
	}
	return path, nil
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
