package buildlock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Hold is a reservation that was made.
type Hold struct {
	Reservation Reservation
	file        *os.File // of one that is Held
}

// Reserve reserves a card, of which r says Card, Why and Until; Command is for
// people. With an Until it stands until then, whatever becomes of us (but not
// beyond the next boot, where the directory is below /run), and takes the place of
// what our user reserved of that card before. Without one it stands
// as long as the Hold's file is open in us or in who inherited it. The error is a
// *ReservedError when another user has the card, or another process of ours holds
// it, and wraps ErrUnfit where the directory cannot be used.
func Reserve(ctx context.Context, dir string, r Reservation) (*Hold, error) {
	l, err := Card(r.Card)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Why == "":
		return nil, fmt.Errorf("reserve card %s: say why", r.Card)
	case !r.Until.IsZero() && !time.Now().Before(r.Until):
		return nil, fmt.Errorf("reserve card %s until %s: %w", r.Card, r.Until.Local().Format(time.DateTime), ErrOver)
	}
	q, leave, err := enterReserved(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer q.close()
	defer leave()
	list, err := q.tidy()
	if err != nil {
		return nil, err
	}
	old, err := inTheWay(list, r)
	if err != nil {
		return nil, err
	}
	h, err := q.reserve(l, r)
	if err != nil {
		return nil, q.explain(ctx, err)
	}
	for _, r := range old {
		_ = q.forget(r)
	}
	return h, nil
}

// enterReserved opens the directory and passes its gate.
func enterReserved(ctx context.Context, dir string) (q queue, leave func(), err error) {
	q, err = openQueue(orDefault(dir), reservedDir)
	if err != nil {
		return q, nil, err
	}
	if leave, err = q.enterWithin(ctx, 0); err != nil {
		err = q.explain(ctx, err)
		q.close()
	}
	return q, leave, err
}

// tidy lists the reservations in force, and removes what can be removed of
// others, with what killed makers left.
func (q queue) tidy() (out []Reservation, err error) {
	names, err := q.names()
	if err != nil {
		return nil, unfit(q.path, err)
	}
	for _, name := range names {
		q.sweep(name)
	}
	list, err := q.reservations()
	for _, r := range list {
		if q.inForce(r, time.Now()) {
			out = append(out, r)
		} else {
			_ = q.forget(r)
		}
	}
	return out, err
}

// forget removes a reservation, and the word about it.
func (q queue) forget(r Reservation) error {
	name := filepath.Base(r.File)
	err := unix.Unlinkat(q.fd, name, 0)
	if err != nil && r.Trouble != "" { // a directory, as somebody's script makes one
		if derr := unix.Unlinkat(q.fd, name, unix.AT_REMOVEDIR); !errors.Is(derr, unix.ENOTDIR) {
			err = derr
		}
	}
	if err == nil || errors.Is(err, unix.ENOENT) {
		_ = unix.Unlinkat(q.fd, name+voidSuffix, 0)
		return nil
	}
	return err
}

// inTheWay looks for what stands against a reservation, and for what it replaces.
func inTheWay(list []Reservation, r Reservation) (old []Reservation, err error) {
	for _, other := range ReservedBy(list, r.Card) {
		switch {
		case other.UID != os.Geteuid(), other.Trouble != "", other.Held && !other.Ours():
			return nil, &ReservedError{other}
		case !other.Held && !r.Until.IsZero():
			old = append(old, other)
		}
	}
	return old, nil
}

// reserve writes the file: there with its whole content, or not at all. Others
// may read it; only its user may write to it.
func (q queue) reserve(l Lock, r Reservation) (*Hold, error) {
	rec, err := newRecord(Who{Command: r.Command})
	if err != nil {
		return nil, err
	}
	r.Held, r.UID, r.User, r.Since = r.Until.IsZero(), os.Geteuid(), UserName(os.Geteuid()), rec.Since
	r.PID, r.Start, r.Boot, r.Command, r.Why = rec.PID, rec.Start, rec.BootID, rec.Cmd, Clip(r.Why)
	name := reservedName(l)
	r.Void, r.Trouble, r.File = nil, "", filepath.Join(q.path, name)
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	f, err := q.fresh()
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(append(text, '\n')); err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.name(name)
	}
	if err != nil {
		f.drop()
		return nil, err
	}
	h := &Hold{Reservation: r, file: f.File}
	if !r.Held {
		_ = f.Close()
		h.file = nil
	}
	return h, nil
}

// Keep lets every program executed from here on inherit a reservation without an
// Until: it stands until all of them are gone, or until Release.
func (h *Hold) Keep() error {
	if h.file == nil {
		return nil
	}
	f, err := keep(h.file, "reservation of card "+h.Reservation.Card)
	h.file = f
	if err != nil {
		return fmt.Errorf("keep the reservation of card %s: %w", h.Reservation.Card, err)
	}
	return nil
}

// Release gives the reservation up, also for who inherited it. It can be called
// again.
func (h *Hold) Release() error {
	if h.file != nil {
		_ = unix.Flock(int(h.file.Fd()), unix.LOCK_UN)
		_ = h.file.Close()
		h.file = nil
	}
	if err := os.Remove(h.Reservation.File); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("release card %s: %w", h.Reservation.Card, err)
	}
	return nil
}
