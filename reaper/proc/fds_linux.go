package proc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// FD is one open file of a process.
type FD struct {
	N       int
	Path    string // or what the kernel says of one without a path: "pipe:[7]", "socket:[8]", "anon_inode:[eventfd]"
	Deleted bool   // under the rules of Place
}

// maxFDs bounds what is read of one process. It is well above what links and
// trainers open (hundreds) and takes about a tenth of a second.
const maxFDs = 1 << 16

// FDs lists a process's open files in no order; whole is false when there were
// more than 65536 and the rest was not read. Files that are closed meanwhile
// are left out. The error is ErrGone, or wraps fs.ErrPermission.
func (r Root) FDs(pid int) (list []FD, whole bool, err error) {
	p, err := r.process(pid)
	if err != nil {
		return nil, false, err
	}
	defer p.close()
	fds, list, whole, err := p.fds()
	if err != nil {
		return nil, false, fmt.Errorf("list open files of pid %d: %w", pid, err)
	}
	defer fds.close()
	for i := range list {
		list[i].settle(p, fds)
	}
	return list, whole, nil
}

// fds reads the numbers and link texts of the process whose directory d is,
// and leaves its fd directory open for more.
func (d dir) fds() (fds dir, list []FD, whole bool, err error) {
	if fds, err = d.below("fd"); err != nil {
		return fds, nil, false, d.refused(err)
	}
	numbers, whole, err := fds.numbers(maxFDs)
	if err != nil {
		fds.close()
		return fds, nil, false, d.refused(err)
	}
	buf := make([]byte, linkMax)
	for _, n := range numbers {
		text, errno := fds.linkz(append([]byte(strconv.Itoa(n)), 0), buf)
		if errno == 0 {
			list = append(list, FD{N: n, Path: string(text)})
		}
	}
	return fds, list, whole, nil
}

// refused tells a process that has ended from one that is not ours to look
// at: the kernel says EACCES of both.
func (d dir) refused(err error) error {
	if _, gone := d.stat(); gone != nil {
		return ErrGone
	}
	return err
}

// settle finds out whether a file whose text says so is deleted.
func (f *FD) settle(p, fds dir) {
	bare, marked := strings.CutSuffix(f.Path, deletedMark)
	if !marked {
		return
	}
	if st, err := fds.target(strconv.Itoa(f.N), 0); err == nil && p.unlinked(f.Path, st) {
		f.Path, f.Deleted = bare, true
	}
}

// Unread is a process that was not looked at, and why.
type Unread struct {
	PID int
	Err error // wraps fs.ErrPermission for other users' processes
}

// skipGone turns the end of a process into nothing at all.
func skipGone(err error) error {
	if errors.Is(err, ErrGone) {
		return nil
	}
	return err
}
