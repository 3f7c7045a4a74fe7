package buildlock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

const (
	gateFile = "gate"
	// gateTime is how long the gate may take. It is held for a fraction of a
	// millisecond; longer means that its holder was stopped, or hangs.
	gateTime = 20 * time.Second
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

// enter takes the gate of the queue: numbers are given and stale tickets
// removed only by who has it.
func (q queue) enter(ctx context.Context) (leave func(), err error) {
	path := filepath.Join(q.path, gateFile)
	for {
		if err := q.make(gateFile, ""); err != nil {
			return nil, err
		}
		gate := flock.New(path, flock.SetFlag(os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK))
		if err := lockGate(ctx, gate, gateTime); err != nil {
			return nil, err
		}
		if same(gate, path) {
			return func() { _ = gate.Close() }, nil
		}
		_ = gate.Close() // somebody removed it in between: that lock locks nobody out
		if !q.still() {
			return nil, errRemoved
		}
	}
}

func same(gate *flock.Flock, path string) bool {
	open, err := gate.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(open, named)
}

// lockGate waits for the gate, in another goroutine, since flock(2) cannot be
// given up: one that comes too late is given back there.
func lockGate(ctx context.Context, gate *flock.Flock, patience time.Duration) error {
	if ok, err := gate.TryLock(); ok || err != nil {
		return err
	}
	got, late := make(chan error), make(chan struct{})
	go func() {
		err := gate.Lock()
		select {
		case got <- err:
		case <-late:
			_ = gate.Close()
		}
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		close(late)
		return context.Cause(ctx)
	case <-time.After(patience):
		close(late)
		return fmt.Errorf("%s is held for over %s by %s, which is stopped or hangs: let it go on (kill -CONT), or end it", gate.Path(), patience, lockedBy(gate))
	}
}

// lockedBy names the process that took a plain lock, from /proc/locks.
func lockedBy(gate *flock.Flock) string {
	var st unix.Stat_t // by its name: gate itself is busy waiting for the lock
	if err := unix.Stat(gate.Path(), &st); err != nil {
		return "somebody"
	}
	data, _ := os.ReadFile("/proc/locks")
	file := fmt.Sprintf(" %02x:%02x:%d ", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] == "->" || f[1] != "FLOCK" || !strings.Contains(line, file) {
			continue
		}
		pid, _ := strconv.Atoi(f[4])
		if s, err := proc.Real.Stat(pid); err == nil {
			return fmt.Sprintf("%s (pid %d, state %c)", s.Comm, pid, s.State)
		}
		return "pid " + f[4]
	}
	return "a process that cannot be seen from here"
}

// errRemoved says that the queue's directory was removed under us.
var errRemoved = errors.New("the lock directory was removed")

// join makes a ticket: numbered, locked, and only then visible.
func (q queue) join(ctx context.Context, r record) (*Ticket, error) {
	leave, err := q.enter(ctx)
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

func ticketID(l Lock, n uint64) string { return string(l) + "-" + strconv.FormatUint(n, 10) }
