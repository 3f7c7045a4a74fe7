package trace

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	newPrefix = ".new-"          // of a directory that is compiled in
	newLock   = "being-compiled" // in it; whoever compiles holds it
	// newFloor is how old one must be that nobody holds: its owner takes the lock right
	// after it made the directory.
	newFloor = 10 * time.Minute
)

// compiling is a directory that a library is compiled in.
type compiling struct {
	dir  string
	lock *flock.Flock
}

// newCompiling makes one beside a path.
func newCompiling(path string) (compiling, error) {
	tmp, err := os.MkdirTemp(filepath.Dir(path), newPrefix)
	if err != nil {
		return compiling{}, err
	}
	c := compiling{tmp, flock.New(filepath.Join(tmp, newLock))}
	_, err = c.lock.TryLock() // where there are no locks, its age is all that keeps it
	if err != nil && os.IsPermission(err) {
		c.done()
		return compiling{}, err
	}
	return c, nil
}

func (c compiling) done() {
	_ = os.RemoveAll(c.dir)
	_ = c.lock.Close()
}

// sweepCompiling removes the directories of compilers that were killed. One whose owner
// lives is locked, however old it is.
func sweepCompiling(dir string, now time.Time) {
	left, _ := filepath.Glob(filepath.Join(dir, newPrefix+"*")) // only a bad pattern is an error
	for _, tmp := range left {
		info, err := os.Lstat(tmp)
		if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < newFloor {
			continue
		}
		lock := flock.New(filepath.Join(tmp, newLock))
		if got, err := lock.TryLock(); got && err == nil {
			_ = os.RemoveAll(tmp) // what cannot be removed stays
		}
		_ = lock.Close()
	}
}
