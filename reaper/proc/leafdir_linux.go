package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

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

// staleAge keeps a leaf from being taken for a stale one while it is made, by a
// gpuci whose pid cannot be seen from here.
const staleAge = 10 * time.Second

// clearStale takes away the empty leaves of dead gpucis beside ours that no
// later run looks for: their names begin with the pid. One that is populated
// does not go.
func clearStale(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		mark, ours := strings.CutPrefix(e.Name(), leafPrefix)
		owner, _, named := strings.Cut(mark, "-unnamed.")
		pid, err := strconv.Atoi(owner)
		if !ours || !named || err != nil || pid <= 0 || !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAge {
			_ = removeCgroup(filepath.Join(parent, e.Name()))
		}
	}
}
