package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
