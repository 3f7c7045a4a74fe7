package buildlock

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// reservedDir is the directory of the reservations, a file for each. It is no
// lock, and has a gate as a lock's queue has: reservations are made and given up
// by who has that.
const reservedDir Lock = "reserved"

// Reservations lists the reservations in force, also those whose files cannot be
// understood; what has expired or was taken away is none. It makes and removes
// nothing. One in a file that is not named as ours are has no Card: it reserves
// none, and is listed so that somebody removes it.
func Reservations(dir string) ([]Reservation, error) {
	path := filepath.Join(orDefault(dir), string(reservedDir))
	d, err := openShared(path)
	if errors.Is(err, unix.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.close()
	list, err := d.reservations()
	list = slices.DeleteFunc(list, func(r Reservation) bool { return !d.inForce(r, time.Now()) })
	for i := range list {
		d.left(&list[i])
	}
	return list, err
}

// reservations reads all there are, by their names.
func (d directory) reservations() (out []Reservation, err error) {
	names, err := d.names()
	if err != nil {
		return nil, unfit(d.path, err)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == gateFile || strings.HasPrefix(name, tmpPrefix) || strings.HasSuffix(name, voidSuffix) {
			continue
		}
		if r, ok := d.reservation(name); ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// reservation reads one; ok is false when it has gone meanwhile.
func (d directory) reservation(name string) (r Reservation, ok bool) {
	var st unix.Stat_t
	if errors.Is(unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW), unix.ENOENT) {
		return r, false
	}
	card, named := reservedCard(name)
	err := errors.New("its name is not that of a reservation")
	if named {
		r, err = d.readReservation(name, &st)
	}
	switch {
	case errors.Is(err, unix.ENOENT):
		return r, false
	case err == nil && r.Card != card:
		err = fmt.Errorf("it is of card %q", r.Card)
	case err == nil && (r.Since.IsZero() || r.Until.IsZero() != r.Held):
		err = errors.New("it does not say since when and until when")
	}
	r.Trouble, r.Left, r.Keepers = "", false, nil
	if err != nil {
		r = Reservation{Trouble: err.Error()}
	}
	r.Card, r.UID, r.User, r.File, r.Void = card, int(st.Uid), UserName(int(st.Uid)), filepath.Join(d.path, name), nil
	if v, ok := d.voidOf(name, st.Uid); ok {
		r.Void = &v
	}
	return r, true
}

// readReservation reads the text of one, and whose file that is.
func (d directory) readReservation(name string, st *unix.Stat_t) (r Reservation, err error) {
	f, err := d.open(name, unix.O_RDONLY)
	if err != nil {
		return r, err
	}
	defer f.Close()
	if err := unix.Fstat(int(f.Fd()), st); err != nil {
		return r, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return r, errors.New("it is no regular file")
	}
	buf := make([]byte, maxRecord)
	n, err := f.Read(buf)
	if err != nil && !isEOF(err) {
		return r, err
	}
	return r, json.Unmarshal(buf[:n], &r)
}

// inForce says whether a reservation counts.
func (d directory) inForce(r Reservation, now time.Time) bool {
	switch {
	case r.Trouble != "":
		return true
	case r.Void != nil:
		return false
	case !r.Held:
		return now.Before(r.Until)
	}
	f, err := d.open(filepath.Base(r.File), unix.O_RDONLY)
	if err != nil {
		return !errors.Is(err, unix.ENOENT)
	}
	defer f.Close()
	return retry(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) }) != nil
}

// reservedName is a new name for a reservation of a card. Another user's file,
// which only that user can remove, is never in its way.
func reservedName(l Lock) string {
	return strings.TrimPrefix(string(l), cardPrefix) + "@" + random()
}

// reservedCard is the card in a reservation's name.
func reservedCard(name string) (uuid string, ok bool) {
	card, id, _ := strings.Cut(name, "@")
	l := Lock(cardPrefix + card)
	if len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" || !l.valid() {
		return "", false
	}
	return l.Card(), true
}

// voidOf reads the word that took a reservation away. It counts if root or the
// reservation's user wrote it.
func (d directory) voidOf(name string, owner uint32) (v Voided, ok bool) {
	f, err := d.open(name+voidSuffix, unix.O_RDONLY)
	if err != nil {
		return v, false
	}
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || st.Uid != 0 && st.Uid != owner {
		return v, false
	}
	buf := make([]byte, maxRecord)
	n, _ := f.Read(buf)
	_ = json.Unmarshal(buf[:n], &v)
	return v, true
}

// Ours says whether we run below the process that made the reservation, or have
// its file from it: what a person starts on a card they hold is let through.
func (r Reservation) Ours() bool {
	if r.Trouble != "" || !r.Held {
		return false
	}
	var st unix.Stat_t
	if unix.Lstat(r.File, &st) == nil && inherits(st) {
		return true
	}
	boot, err := proc.Real.BootID()
	return err == nil && boot == r.Boot && slices.ContainsFunc(proc.Real.Lineage(os.Getpid()), func(s proc.Stat) bool {
		return s.PID == r.PID && s.Start == r.Start
	})
}
