package worktrees

import (
	"context"
	"strconv"

	"golang.org/x/sys/unix"
)

// Watch notices whether a lane stays as ReadState found it. It costs an
// inotify mark on each directory with tracked files, and does not miss a file
// that is written and put back.
//
// Marks pay in a large lane only: setting them is a tenth of reading the state
// again, but the kernel takes up to 15 ms to free them (it waits for a grace
// period of SRCU), which is longer than a second look at a small lane. There
// the watch is never certain, and its user looks again.
type Watch struct {
	lane   Lane
	commit string
	least  int // tracked files from which on marks are set
	fd     int // inotify(7); -1 when there is none
	whole  bool
}

// marks are the events that can alter a lane's state. A file is watched
// through its directory; what git ignores is not watched at all, and its
// coming and going only makes Unchanged unsure.
const marks = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// smallLane is how many files a second look has read in the time that freeing
// marks takes.
const smallLane = 5000

// open makes the watch ready for marks, if the lane is large enough. Without
// inotify (too many instances of this user) it is never certain.
func (w *Watch) open(files int) *Watch {
	if w == nil || files < w.least {
		return nil
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	w.fd, w.whole = fd, true
	return w
}

// add marks a directory that is open as dir. It is done before the directory
// is read, so that nothing happens unseen in between. Workers call it side by
// side; a false result makes the watch useless.
func (w *Watch) add(dir int) bool {
	if w == nil || w.fd < 0 {
		return false
	}
	_, err := unix.InotifyAddWatch(w.fd, "/proc/self/fd/"+strconv.Itoa(dir), marks)
	return err == nil
}

// Unchanged says for certain that the lane is as it was. False means that it
// may have changed: then its state has to be read again. It never is certain of
// a lane that was not clean, since untracked directories are not watched.
func (w *Watch) Unchanged(ctx context.Context) bool {
	if w == nil || !w.whole {
		return false
	}
	var buf [4096]byte
	if n, err := unix.Read(w.fd, buf[:]); n > 0 || err != unix.EAGAIN {
		return false
	}
	return readHead(ctx, w.lane).commit == w.commit
}

// Close frees the marks.
func (w *Watch) Close() {
	if w != nil && w.fd >= 0 {
		_ = unix.Close(w.fd)
		w.fd, w.whole = -1, false
	}
}
