package buildlock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Ticket is a place in line, and the lock once Acquire has returned it. It is
// held until Release, or until every process that has its file open is gone.
type Ticket struct {
	ID     string        // "link-12"
	Number uint64        // its place in the order of arrival
	Card   string        // the UUID, of a card's lock
	Passed bool          // a process above us holds the lock, and this is its ticket
	Waited time.Duration // in line

	file    *os.File
	queue   queue
	granted time.Time
}

// check says whether the ticket still stands in its queue: the file under its
// number is the one we have locked, the directory is the one others use, and
// nobody declared it void.
func (t *Ticket) check() error {
	var open, named unix.Stat_t
	if err := unix.Fstat(int(t.file.Fd()), &open); err != nil {
		return err
	}
	err := unix.Fstatat(t.queue.fd, fileName(t.Number), &named, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || open.Dev != named.Dev || open.Ino != named.Ino || !t.queue.still() {
		return errRemoved
	}
	if v, ok := t.queue.void(t.Number); ok {
		return &VoidedError{ID: t.ID, Why: v.Why, By: v.UID}
	}
	return nil
}

// Stands says whether a ticket still keeps others out: nil when it does, else why not:
// its directory was removed, or somebody declared it void. Of one that is not ours
// (Passed) whoever has it looks.
func (t *Ticket) Stands() error {
	if t.Passed || t.file == nil {
		return nil
	}
	err := t.check()
	if voided := (*VoidedError)(nil); errors.As(err, &voided) {
		return fmt.Errorf("ticket %s was declared void by %s: %s", t.ID, UserName(voided.By), Printable(voided.Why))
	}
	if errors.Is(err, errRemoved) {
		return fmt.Errorf("ticket %s, or the lock directory %s, was removed", t.ID, t.queue.path)
	}
	return err
}

// markGranted notes in the ticket that it holds the lock.
func (t *Ticket) markGranted() {
	t.granted = time.Now()
	t.note(granted{Granted: t.granted})
}

// Say notes in a ticket that holds its lock what is done with it, for people; ""
// takes that back. It says nothing in a ticket that is not ours (Passed).
func (t *Ticket) Say(text string) {
	if !t.Passed && t.file != nil {
		t.note(granted{Granted: t.granted, Held: Clip(text)})
	}
}

// note says in the ticket what has become of it. Only a reader would miss it,
// so a full disk is no error here.
func (t *Ticket) note(g granted) {
	line, err := json.Marshal(g)
	switch {
	case err != nil:
	case t.Card != "":
		t.replace(append(line, '\n'))
	default:
		_, _ = t.file.Write(append(line, '\n'))
	}
}

// replace writes over what was noted before: a card can be waited for all night,
// with another reason every two seconds, and no more than 8 KiB of a ticket are
// read. Who reads between the two steps finds the rest of an older line, which
// says nothing.
func (t *Ticket) replace(line []byte) {
	buf := make([]byte, maxRecord)
	n, _ := t.file.ReadAt(buf, 0)
	base := bytes.IndexByte(buf[:n], '\n') + 1
	if got, err := t.file.WriteAt(line, int64(base)); err == nil {
		_ = t.file.Truncate(int64(base + got))
	}
}

// Mark is the value of GPUCI_TICKETS for the processes below us, given ours.
func (t *Ticket) Mark(env string) string {
	switch {
	case t.Passed:
		return env
	case env == "":
		return t.ID
	}
	return env + ":" + t.ID
}

// keptAt is the descriptor that a kept ticket moves to, or the first free one
// after it. Scripts open and close theirs by number: 3 to 9, 200 (which the
// manual of flock(1) has), 255 (bash's own), and whatever is round. `exec 200>x`
// on a ticket would end it.
const keptAt = 839

// Keep lets every program executed from here on inherit the ticket: the lock
// lasts until all of them are gone, or until Release. The file moves to a
// descriptor that no script would choose; where so many are not allowed, to a
// high one.
func (t *Ticket) Keep() error {
	if t.Passed {
		return nil
	}
	f, err := keep(t.file, "ticket "+t.ID)
	t.file = f
	if err != nil {
		return fmt.Errorf("keep ticket %s: %w", t.ID, err)
	}
	return nil
}

// keep moves a file to where every program executed from here on inherits it and
// no script closes it. On an error it stays the file that it was.
func keep(f *os.File, name string) (*os.File, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return f, err
	}
	for _, low := range []uint64{keptAt, limit.Cur - limit.Cur/8 - 1} {
		if low >= limit.Cur {
			continue
		}
		if fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, int(low)); err == nil {
			_ = f.Close()
			return os.NewFile(uintptr(fd), name), nil
		}
	}
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0)
	return f, err
}

// releaseTime bounds the tidying up after the lock was given up.
const releaseTime = time.Second

// Release gives the lock up, also for processes that inherited it, and takes
// the ticket away. It can be called again.
func (t *Ticket) Release() error {
	if t.Passed || t.file == nil {
		return nil
	}
	// Unlocked first: the next one may go while we tidy up.
	err := unix.Flock(int(t.file.Fd()), unix.LOCK_UN)
	ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
	defer cancel()
	if leave, gerr := t.queue.enter(ctx); gerr == nil {
		if cerr := t.check(); cerr == nil || errors.As(cerr, new(*VoidedError)) {
			t.queue.remove(t.Number)
		}
		leave()
	}
	_ = t.file.Close()
	t.file = nil
	t.queue.close()
	if err != nil {
		return fmt.Errorf("release ticket %s: %w", t.ID, err)
	}
	return nil
}
