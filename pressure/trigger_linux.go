package pressure

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// trigger has the kernel say when more than a part of a window was waited for
// one resource (psi.rst, "Monitoring for pressure thresholds").
type trigger struct {
	resource string
	file     int           // ready for POLLPRI when it fires; closing it disarms
	window   time.Duration // the kernel looks at windows of this length
	least    time.Duration // what must have been waited in one
	before   *Level        // when it was armed
}

// armTrigger arms a trigger for percent of a window of the first length that
// the kernel lets us have: 1 s is quick, and takes CAP_SYS_RESOURCE since the
// kernel runs a thread for it; 2 s is had by everybody (Linux 6.4), since the
// kernel then looks where it computes the averages anyway.
func armTrigger(root, resource string, percent float64, before *Level) (trigger, error) {
	path := filepath.Join(root, resource)
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return trigger{}, triggerError(path, err)
	}
	if err := isKernel(fd); err != nil {
		_ = unix.Close(fd)
		return trigger{}, triggerError(path, err)
	}
	for _, window := range []time.Duration{time.Second, 2 * time.Second} {
		least := max(time.Microsecond, time.Duration(percent/100*float64(window)))
		// The kernel overwrites the last byte by its own end of text: without the
		// NUL here a digit is lost, and a window ten times as short is asked for.
		text := fmt.Sprintf("%s %d %d\x00", lineOf(resource), least.Microseconds(), window.Microseconds())
		if _, err = unix.Write(fd, []byte(text)); err == nil {
			return trigger{resource, fd, window, least, before}, nil
		}
		if !errors.Is(err, unix.EINVAL) {
			break
		}
	}
	_ = unix.Close(fd)
	return trigger{}, triggerError(path, err)
}

// isKernel refuses what would keep the text that is written: a file of a test,
// a copy, another machine's.
func isKernel(fd int) error {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return err
	}
	if fs.Type != unix.PROC_SUPER_MAGIC && fs.Type != unix.CGROUP2_SUPER_MAGIC {
		return errors.New("it is no file of the kernel's")
	}
	return nil
}

func triggerError(path string, err error) error {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return fmt.Errorf("arm a trigger on %s: %w: before Linux 6.4 it takes CAP_SYS_RESOURCE", path, err)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EIO):
		return fmt.Errorf("arm a trigger on %s: %w: this kernel has none for it (Linux 5.2)", path, err)
	}
	return fmt.Errorf("arm a trigger on %s: %w", path, err)
}

// borneOut says whether the totals agree that the trigger could fire. Without
// CAP_SYS_RESOURCE kernels up to 6.18, at least, take all that was waited since
// boot for the growth of the first window, and fire at the first microsecond.
func (t trigger) borneOut(now *Level) bool {
	if t.before == nil || now == nil {
		return true
	}
	return now.Total-t.before.Total >= t.least
}
