package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Signal sends sig to exactly the process that id names. The pidfd is opened
// first and the identity read again after that: from then on the number
// cannot come to mean another process. The error is ErrGone when that process
// has ended, is a zombie, or its pid means another one by now; then nothing
// was sent.
func (r Root) Signal(id Identity, sig unix.Signal) error {
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
