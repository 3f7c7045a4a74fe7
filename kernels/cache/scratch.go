package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Scratch makes a directory for what is being made, and gives what removes it. A
// lock beside it tells [Cache.Trim] that somebody still works there; whoever was
// killed has no lock.
func (c *Cache) Scratch() (dir string, remove func(), err error) {
	f, err := os.CreateTemp(filepath.Join(c.dir, "scratch"), "build-*.lock")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory to work in: %w", err)
	}
	lock, dir := flock.New(f.Name()), strings.TrimSuffix(f.Name(), ".lock")
	_, err = lock.TryLock()
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		lock.Close()
		return "", nil, fmt.Errorf("make a directory to work in: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return dir, func() {
		os.RemoveAll(dir)
		os.Remove(lock.Path())
		lock.Close()
	}, nil
}

// abandonedAfter is more than any file is written for, and any directory is made
// before its lock is taken.
const abandonedAfter = time.Hour

// sweep removes what the killed left. A lock that was made this moment may not be
// held yet, so the young are left alone.
func (c *Cache) sweep() error {
	scratch := filepath.Join(c.dir, "scratch")
	entries, err := os.ReadDir(scratch)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		path := filepath.Join(scratch, e.Name())
		info, err := e.Info()
		if err != nil || c.now().Sub(info.ModTime()).Abs() < abandonedAfter {
			continue
		}
		if !c.held(path) {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}

// held is whether somebody works in the directory, or has this lock.
func (c *Cache) held(path string) bool {
	if !strings.HasSuffix(path, ".lock") {
		path += ".lock"
		if _, err := os.Stat(path); err != nil {
			return false
		}
	}
	l := flock.New(path)
	defer l.Close()
	ok, err := l.TryLock()
	return !ok || err != nil
}
