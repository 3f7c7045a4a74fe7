package simt

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// A room is a directory of one process's own below Dir, for a job or for what is being
// made. The process holds a lock (flock(2)) on the file owner in it, which the kernel
// lets go however the process ends. So the runner, which waits for that lock, knows when
// nobody waits for its answer any more, and the next build knows which rooms nobody is
// in. A process number could be another's by then, and the signal that a child can ask
// for follows the thread that forked and not the process.
const (
	rooms = "room-"
	owner = "owner"
)

// enter makes a room below dir. leave removes it.
func enter(dir string) (room string, leave func(), err error) {
	for {
		room, err := os.MkdirTemp(dir, rooms)
		if err != nil {
			return "", nil, err
		}
		lock, err := hold(room)
		if err == nil {
			return room, func() { os.RemoveAll(room); lock.Close() }, nil
		}
		os.RemoveAll(room)
		if !errors.Is(err, errTaken) {
			return "", nil, err
		}
	}
}

// errTaken says that a sweep has come between the making of a room and its lock.
var errTaken = errors.New("room is taken")

// hold takes the lock of a room that was made now. Where the file system has no locks
// the room is not swept, and its runner not ended.
func hold(room string) (*os.File, error) {
	path := filepath.Join(room, owner)
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	locked := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if _, err := os.Stat(path); err != nil || locked == syscall.EWOULDBLOCK {
		lock.Close()
		return nil, errTaken
	}
	return lock, nil
}

// sweep removes the rooms below dir whose processes are gone. A room without its lock's
// file is one that is being made.
func sweep(dir string) {
	list, _ := filepath.Glob(filepath.Join(dir, rooms+"*", owner))
	for _, path := range list {
		lock, err := os.Open(path)
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(filepath.Dir(path))
		}
		lock.Close()
	}
}
