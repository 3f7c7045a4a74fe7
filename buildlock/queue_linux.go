package buildlock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// queue is the directory of one lock's tickets.
type queue struct {
	directory
	lock Lock
}

func orDefault(dir string) string {
	if dir == "" {
		return DefaultDir()
	}
	return dir
}

// openQueue opens the queue of a lock below the lock directory.
func openQueue(dir string, l Lock) (queue, error) {
	top, err := openDirectory(dir)
	if err != nil {
		return queue{}, err
	}
	defer top.close()
	d, err := openDirectory(filepath.Join(dir, string(l)))
	return queue{d, l}, err
}

// errRemoved says that the queue's directory was removed under us.
var errRemoved = errors.New("the lock directory was removed")

// join makes a ticket: numbered, locked, and only then visible. wait is
// how long its owner waits in line (negative: as long as it takes), and at the
// gate before that.
func (q queue) join(ctx context.Context, r record, wait time.Duration) (*Ticket, error) {
	leave, err := q.enterWithin(ctx, wait)
	if err != nil {
		return nil, err
	}
	defer leave()
	number, err := q.next()
	if err != nil {
		return nil, err
	}
	f, err := q.fresh()
	if err != nil {
		return nil, err
	}
	if err := q.fill(f, number, r); err != nil {
		f.drop()
		return nil, err
	}
	return &Ticket{ID: ticketID(q.lock, number), Number: number, file: f.File, queue: q}, nil
}

// fill writes the record into a ticket, which is locked since it was made, and
// makes it visible.
func (q queue) fill(f fresh, number uint64, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write ticket: %w", err)
	}
	return f.name(fileName(number))
}

// next is the number after every one that was ever given, and removes stale
// tickets on the way. A counter that cannot be written means no ticket: a
// number that recurs could lose one.
func (q queue) next() (uint64, error) {
	if err := q.make(counterFile, padded(0)); err != nil {
		return 0, err
	}
	last, err := q.number(counterFile)
	if err != nil {
		return 0, err
	}
	names, err := q.names()
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		q.sweep(name)
		q.sweepVoid(name)
		n, ok := parseName(name)
		if !ok {
			continue
		}
		last = max(last, n)
		if live, err := q.live(n); err == nil && !live {
			q.remove(n)
		}
	}
	if last+1 == 0 {
		return 0, fmt.Errorf("%s/%s holds the last number there is: remove %s while nothing waits", q.path, counterFile, q.path)
	}
	return last + 1, q.setNumber(counterFile, last+1)
}

// remove takes away a ticket that is known to be stale. In a sticky directory
// only its owner and root can; others leave it.
func (q queue) remove(n uint64) {
	if unix.Unlinkat(q.fd, fileName(n), 0) == nil {
		_ = unix.Unlinkat(q.fd, voidName(n), 0)
	}
}

// numbers lists the tickets, lowest first, stale ones too.
func (q queue) numbers() ([]uint64, error) {
	names, err := q.names()
	var out []uint64
	for _, name := range names {
		if n, ok := parseName(name); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, err
}

// live says whether somebody has the ticket's file open: its lock then cannot
// be had. What is gone, or is no regular file, is nobody's ticket; one that
// cannot be looked at is live, as far as we know.
func (q queue) live(n uint64) (bool, error) {
	fd, err := q.ticketFD(n)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENXIO):
		return false, nil
	case err != nil:
		return true, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false, err
	}
	err = retry(func() error { return unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return err != nil, err
}

func (q queue) ticketFD(n uint64) (int, error) {
	return unix.Openat(q.fd, fileName(n), unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
}

// ahead lists the live tickets with lower numbers, lowest first, those that
// were declared void left out.
func (q queue) ahead(n uint64) ([]uint64, error) {
	all, err := q.numbers()
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, m := range all {
		if m >= n {
			break
		}
		if live, _ := q.live(m); live && !q.isVoid(m) {
			out = append(out, m)
		}
	}
	return out, nil
}

func retry(do func() error) error {
	for {
		if err := do(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// fileName is a ticket's name: its number, with as many digits as any can have.
func fileName(n uint64) string { s := padded(n); return s[:digits] }

func parseName(name string) (uint64, bool) {
	if len(name) != digits {
		return 0, false
	}
	n, err := strconv.ParseUint(name, 10, 64)
	return n, err == nil && fileName(n) == name
}

// IsTicketFile says whether a file in a lock's directory can be a ticket, by its
// name.
func IsTicketFile(name string) bool {
	_, ok := parseName(name)
	return ok
}

func ticketID(l Lock, n uint64) string { return string(l) + "-" + strconv.FormatUint(n, 10) }
