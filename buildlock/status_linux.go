package buildlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// Queue is the state of one lock.
type Queue struct {
	Lock    Lock
	Slots   int
	Entries []Entry // lowest number first
}

// Status lists the locks that have live tickets, and the link lock always. It
// makes nothing: where there is no lock directory, nobody queues.
func Status(ctx context.Context, dir string) ([]Queue, error) {
	dir = orDefault(dir)
	top, err := openShared(dir)
	if errors.Is(err, unix.ENOENT) {
		if err := couldBe(dir); err != nil {
			return nil, err
		}
		return []Queue{{Lock: Link, Slots: 1}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer top.close()
	names, err := top.names()
	if err != nil {
		return nil, unfit(dir, err)
	}
	slots, err := top.links()
	if err != nil {
		return nil, err
	}
	out := []Queue{{Lock: Link, Slots: slots}}
	slices.Sort(names)
	for _, name := range names {
		if l := Lock(name); l.valid() && l != Link {
			out = append(out, Queue{Lock: l, Slots: 1})
		}
	}
	for i := range out {
		if out[i].Entries, err = Tickets(ctx, dir, out[i].Lock); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(out, func(q Queue) bool { return q.Lock != Link && len(q.Entries) == 0 }), nil
}

// couldBe says why a lock directory that is not there cannot be made. In the
// kernel's own file systems nothing can, though root is told that it may write.
func couldBe(dir string) error {
	if err := Usable(dir); err != nil && !errors.Is(err, unix.ENOSPC) { // that nobody queues is true all the same
		return err
	}
	above := filepath.Dir(dir)
	var fs unix.Statfs_t
	if err := unix.Statfs(above, &fs); err != nil {
		return unfit(dir, err)
	}
	switch fs.Type {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEVPTS_SUPER_MAGIC:
		return unfit(dir, fmt.Errorf("it is not there, and cannot be made in %s, which is the kernel's", above))
	}
	return nil
}

// Tickets lists the live tickets of one lock, lowest number first.
func Tickets(ctx context.Context, dir string, l Lock) ([]Entry, error) {
	d, err := openShared(filepath.Join(orDefault(dir), string(l)))
	if errors.Is(err, unix.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.close()
	return queue{d, l}.entries(ctx, ^uint64(0))
}

// entries reads the live tickets with numbers below limit.
func (q queue) entries(ctx context.Context, limit uint64) ([]Entry, error) {
	all, err := q.numbers()
	if err != nil {
		return nil, unfit(q.path, err)
	}
	ns, _ := proc.Real.Namespaces(os.Getpid())
	ours := ns.PID
	var out []Entry
	for _, n := range all {
		if n >= limit || ctx.Err() != nil {
			break
		}
		if live, _ := q.live(n); live {
			out = append(out, q.entry(n, ours))
		}
	}
	return out, ctx.Err()
}

// entry reads one live ticket: the lock is believed, the record is told. ours
// is our pid namespace, 0 where that cannot be told.
func (q queue) entry(n, ours uint64) Entry {
	r, g, _ := q.record(n)
	e := Entry{
		ID: ticketID(q.lock, n), Number: n, State: StateWaits, PID: r.PID, Start: r.Start, UID: r.UID, Lane: r.Lane,
		Root: r.Root, Command: r.Cmd, Dir: r.Dir, Build: r.Build, Since: r.Since, Granted: g.Granted, Held: g.Held, Looking: g.Looking, Slots: r.Slots,
		Cards: r.Cards, Among: r.Among,
	}
	if !g.Granted.IsZero() {
		e.State = StateHolds
	}
	if v, ok := q.void(n); ok {
		e.State, e.Void = StateVoid, &v
	}
	if r.PIDNS != 0 && ours != 0 && ours != r.PIDNS {
		e.Foreign = true
		return e
	}
	if alive, err := proc.Real.Alive(r.identity()); err == nil && !alive {
		q.keepers(&e)
	} else if s, err := proc.Real.Stat(r.PID); err == nil {
		e.Stopped = s.State == 'T' || s.State == 't'
	}
	return e
}

// keepers names who still has the file of a ticket open whose process is gone.
func (q queue) keepers(e *Entry) {
	if e.State != StateVoid {
		e.State = StateKept
	}
	f, err := q.open(fileName(e.Number), unix.O_PATH)
	if err != nil {
		return
	}
	defer f.Close()
	found, unread, err := proc.Real.Holders(f)
	if err != nil {
		return
	}
	e.Unread = len(unread)
	for _, h := range found {
		if !slices.ContainsFunc(h.FDs, func(fd int) bool { return writes(h.Stat.PID, fd) }) {
			continue // one that waits for it
		}
		e.Keepers = append(e.Keepers, keeper(h.Stat))
	}
}

// writes says whether a process has a descriptor open for writing, as who holds
// a ticket does; who waits on one, or looks at it, reads. Where it cannot be
// told it is taken to.
func writes(pid, fd int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, fd))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(text), 8, 64)
			return err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return true
}

// line says how far we are.
func (w *wait) line() Line {
	q := Queue{Lock: w.o.Lock, Slots: w.slots}
	if n, err := Links(w.o.Dir); err == nil && w.o.Lock == Link {
		q.Slots = n // of which w.slots may be fewer
	}
	list, err := w.t.queue.entries(context.Background(), w.t.Number)
	q.Entries = append(list, Entry{Number: w.t.Number, State: StateWaits, Slots: w.slots})
	l := q.Line(w.t.Number)
	l.Waited, l.Limit = time.Since(w.began), w.o.Wait
	if err != nil {
		l.Note = err.Error()
	}
	return l
}
