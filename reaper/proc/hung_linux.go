package proc

import "fmt"

// HungError says that a process's memory could not be read by the deadline.
// Err wraps context.DeadlineExceeded or context.Canceled.
//
// The reader was killed. Waiting for the target's lock the kernel lets it die
// at once, and Reader is 0. It does not where the reader got the lock and the
// page itself must come back from a swap device that hangs: then Reader is the
// pid of our child that is left behind, dead as soon as the kernel lets go of
// it, and collected by a later reading or by our own end. (Pages of files, whose server
// may hang, are refused by the kernel since Linux 4.17.) Do not ask about that
// target again.
type HungError struct {
	PID    int
	Reader int
	Err    error
}

func (e *HungError) Error() string {
	text := fmt.Sprintf("no answer from the memory of pid %d (somebody holds its lock, likely in D): %v", e.PID, e.Err)
	if e.Reader != 0 {
		text += fmt.Sprintf("; the reader, pid %d, is killed and hangs with it", e.Reader)
	}
	return text
}

func (e *HungError) Unwrap() error { return e.Err }
