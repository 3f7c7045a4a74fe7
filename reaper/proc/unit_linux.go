package proc

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// Unit is the service of systemd's that a process is in, "" for none: the
// innermost part of its cgroup's path that ends in ".service". user@N.service is
// none, for it holds all that a user does; and neither is one that a leaf of
// ours is below, since what stands in that was started by us.
//
// The path is that of cgroup v2, or else of v1's hierarchy "name=systemd". Where
// there are no cgroups there is no systemd, and no unit.
func (r Root) Unit(pid int) (string, error) {
	text, err := r.small(pid, "cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return unitOf(text), err
}

// unitOf finds the unit in the text of /proc/PID/cgroup, whose lines are
// ID:HIERARCHY:PATH. A machine that has systemd on v1 can have v2 beside it,
// with everybody in its root: then the other line tells.
func unitOf(text string) string {
	found := make(map[string]string) // units by hierarchies
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) == 3 {
			found[parts[1]] = serviceIn(parts[2])
		}
	}
	if unit := found[""]; unit != "" {
		return unit
	}
	return found["name=systemd"]
}

// LeafMark is the mark in a leaf's name: what Command.Name says, a dot, and the 12
// hexadecimal digits that make it single. Only that is a leaf of ours, and not
// whatever begins the same: a service of somebody's is called gpuci-nightly.service.
func LeafMark(name string) (mark string, ok bool) {
	mark, ok = strings.CutPrefix(name, leafPrefix)
	dot := strings.LastIndexByte(mark, '.')
	ok = ok && dot > 0 && len(mark)-dot-1 == markDigits && strings.Trim(mark[dot+1:], "0123456789abcdef") == ""
	if !ok {
		return "", false
	}
	return mark, true
}

func isLeaf(name string) bool {
	_, ok := LeafMark(name)
	return ok
}

// serviceIn is the innermost service on a cgroup's path.
func serviceIn(dir string) string {
	dir = strings.TrimSuffix(dir, " (deleted)")
	for ; dir != "" && dir != "/" && dir != "."; dir = path.Dir(dir) {
		switch name := path.Base(dir); {
		case isLeaf(name):
			return ""
		case strings.HasSuffix(name, ".service") && !strings.HasPrefix(name, "user@"):
			return name
		}
	}
	return ""
}
