package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// errOwn is the refusal to signal what gpuci itself lives by.
var errOwn = errors.New("it is pid 1, ourselves, or one of our ancestors: nothing was sent")

// Signal sends sig to exactly the process that id names. The pidfd is opened
// first and the identity read again after that: from then on the number
// cannot come to mean another process. The error is ErrGone when that process
// has ended, is a zombie, or its pid means another one by now; then nothing
// was sent. Nothing is ever sent to pid 1, to ourselves or to our ancestors,
// and nothing from a Root that is not our own pid namespace's: there a pid of
// the pictures may be anybody here.
func (r Root) Signal(id Identity, sig unix.Signal) error {
	if err := r.maySignal(id.PID); err != nil {
		return fmt.Errorf("signal pid %d: %w", id.PID, err)
	}
	fd, err := unix.PidfdOpen(id.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINVAL):
		// A thread's id gives ENOENT since Linux 6.9 and EINVAL before.
		return ErrGone
	case err != nil:
		return fmt.Errorf("signal pid %d: open pidfd: %w", id.PID, err)
	}
	defer unix.Close(fd)
	alive, err := r.Alive(id)
	if err != nil {
		return fmt.Errorf("signal pid %d: %w", id.PID, err)
	}
	if !alive {
		return ErrGone
	}
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); err != nil {
		if errors.Is(err, unix.ESRCH) {
			return ErrGone
		}
		return fmt.Errorf("signal pid %d: %w", id.PID, err)
	}
	return nil
}

func (r Root) maySignal(pid int) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(string(r), &fs); err != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return fmt.Errorf("%s is no proc file system: nothing was sent", r)
	}
	if self, err := os.Readlink(filepath.Join(string(r), "self")); err != nil || self != strconv.Itoa(os.Getpid()) {
		return fmt.Errorf("%s is that of another pid namespace: nothing was sent", r)
	}
	of := func(s Stat) bool { return s.PID == pid }
	if pid <= 1 || pid == os.Getpid() || slices.ContainsFunc(r.Lineage(os.Getpid()), of) {
		return errOwn
	}
	return nil
}
