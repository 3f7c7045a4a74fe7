package buildlock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrNoTicket says that there is no such live ticket.
var ErrNoTicket = errors.New("no such ticket")

// ErrNotOwner says that a ticket is somebody else's to declare void.
var ErrNotOwner = errors.New("only its user and root may declare a ticket void")

// Voided is the record of a ticket that somebody declared void: it counts as
// ended though its file is still locked.
type Voided struct {
	Why  string    `json:"why"`
	UID  int       `json:"uid"` // who did it
	Time time.Time `json:"time"`
}

// Void takes the lock away from a ticket whose holder is stuck. The holder is
// not touched: what it does from now on, it does beside the next one. Only the
// ticket's user and root may. The error wraps ErrNoTicket when there is none,
// and ErrNotOwner when it is somebody else's.
func Void(ctx context.Context, dir, id, why string) error {
	m, ok := parseMark(id)
	if !ok {
		return fmt.Errorf("%w: %q is not the name of one (gpuci lock status lists them)", ErrNoTicket, id)
	}
	q, err := openQueue(orDefault(dir), m.lock)
	if err != nil {
		return err
	}
	defer q.close()
	leave, err := q.enterWithin(ctx, 0) // somebody is looking on
	if err != nil {
		return q.explain(ctx, err)
	}
	defer leave()
	return q.declare(ctx, m, why)
}

// declare writes the record that makes a ticket void. The gate is held.
func (q queue) declare(ctx context.Context, m mark, why string) error {
	live, err := q.live(m.number)
	if err != nil {
		return q.explain(ctx, err)
	}
	if !live {
		return fmt.Errorf("%w: %s is not live (gpuci lock status lists those that are)", ErrNoTicket, m)
	}
	var st unix.Stat_t
	if err := unix.Fstatat(q.fd, fileName(m.number), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return q.explain(ctx, err)
	}
	if uid := os.Getuid(); uid != 0 && uid != int(st.Uid) {
		return fmt.Errorf("void %s: it belongs to %s: %w", m, UserName(int(st.Uid)), ErrNotOwner)
	}
	line, err := json.Marshal(Voided{why, os.Getuid(), time.Now()})
	if err != nil {
		return err
	}
	switch err := q.writeVoid(m.number, string(line)+"\n"); {
	case errors.Is(err, ErrNotOwner):
		return fmt.Errorf("void %s: %w", m, err)
	case err != nil:
		return q.explain(ctx, err)
	}
	return nil
}

// writeVoid writes the record, in place of what somebody else has laid there
// beforehand. Who else may write here can do that again and again.
func (q queue) writeVoid(n uint64, line string) error {
	for range 3 {
		if q.isVoid(n) {
			return nil // by an earlier word
		}
		if err := q.aside(voidName(n)); err != nil {
			return err
		}
		if err := q.make(voidName(n), line); err != nil {
			return err
		}
	}
	if !q.isVoid(n) {
		return fmt.Errorf("%s is put back again and again", filepath.Join(q.path, voidName(n)))
	}
	return nil
}

// aside takes away what stands under a name, whatever it is. In a sticky
// directory only its owner, the directory's, and root can.
func (d directory) aside(name string) error {
	var st unix.Stat_t
	if unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return nil
	}
	tmp := tmpPrefix + random()
	err := unix.Renameat(d.fd, name, d.fd, tmp)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return inTheWayError{filepath.Join(d.path, name), int(st.Uid)}
	case err != nil:
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR { // what is in it stays, and is in nobody's way
		_ = unix.Unlinkat(d.fd, tmp, unix.AT_REMOVEDIR)
		return nil
	}
	_ = unix.Unlinkat(d.fd, tmp, 0)
	return nil
}

// inTheWayError says that another user's file stands where a record goes.
type inTheWayError struct {
	path string
	uid  int
}

func (e inTheWayError) Error() string {
	return fmt.Sprintf("%s of %s is in the way, and only that user and root can remove it", e.path, UserName(e.uid))
}

// Is makes it an error of the wrong user.
func (e inTheWayError) Is(target error) bool { return target == ErrNotOwner }

const voidSuffix = ".void"

func voidName(n uint64) string { return fileName(n) + voidSuffix }

// sweepVoid removes the record of a ticket that is gone. What one user's word
// was about another's ticket, neither can remove when that ends.
func (q queue) sweepVoid(name string) {
	number, ok := strings.CutSuffix(name, voidSuffix)
	if !ok {
		return
	}
	n, ok := parseName(number)
	if !ok {
		return
	}
	if live, err := q.live(n); err == nil && !live {
		_ = unix.Unlinkat(q.fd, name, 0)
	}
}

func (q queue) isVoid(n uint64) bool {
	_, ok := q.void(n)
	return ok
}

// void reads whether and why a ticket is void. The file counts only if the
// ticket's owner or root made it: anybody can make files here.
func (q queue) void(n uint64) (v Voided, ok bool) {
	f, err := q.open(voidName(n), unix.O_RDONLY)
	if err != nil {
		return v, false
	}
	defer f.Close()
	var by, of unix.Stat_t
	if unix.Fstat(int(f.Fd()), &by) != nil || unix.Fstatat(q.fd, fileName(n), &of, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return v, false
	}
	if by.Uid != 0 && by.Uid != of.Uid {
		return v, false
	}
	buf := make([]byte, 4096)
	got, _ := f.Read(buf)
	_ = json.Unmarshal(buf[:got], &v)
	return v, true
}
