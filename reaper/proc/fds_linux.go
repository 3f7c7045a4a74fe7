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
// are left out. The error is ErrGone, or wraps fs.ErrPermission, or a
// *SilentError: then the list is all but those that it could not be told of
// whether they are deleted, for a file system does not answer.
func (r Root) FDs(pid int) (list []FD, whole bool, err error) {
	p, err := r.process(pid)
	if err != nil {
		return nil, false, err
	}
	defer p.close()
	o, err := p.openFiles()
	if err != nil {
		return nil, false, fmt.Errorf("list open files of pid %d: %w", pid, err)
	}
	defer o.close()
	list, err = o.settled()
	return list, o.whole, err
}

// openFiles are the open files of one process.
type openFiles struct {
	home  dir // of the process, or of a thread of it that runs
	fds   dir // home's fd directory
	list  []FD
	whole bool
	own   bool // home is ours to close
}

func (o openFiles) close() {
	o.fds.close()
	if o.own {
		o.home.close()
	}
}

// openFiles reads the numbers and link texts of a process's open files, and
// leaves its directories open for more.
func (d dir) openFiles() (openFiles, error) {
	o, err := d.readFDs()
	if err == nil && len(o.list) > 0 || !d.headless() {
		return o, d.refused(err)
	}
	if err == nil {
		o.close()
	}
	t, err := d.thread()
	if err != nil {
		return openFiles{}, err
	}
	if o, err = t.readFDs(); err != nil {
		t.close()
		return o, d.refused(err)
	}
	o.own = true
	return o, nil
}

func (d dir) readFDs() (o openFiles, err error) {
	if o.fds, err = d.below("fd"); err != nil {
		return o, err
	}
	numbers, whole, err := o.fds.numbers(maxFDs)
	if err != nil {
		o.fds.close()
		return o, err
	}
	o.home, o.whole = d, whole
	buf := make([]byte, linkMax)
	for _, n := range numbers {
		text, errno := o.fds.linkz(append([]byte(strconv.Itoa(n)), 0), buf)
		if errno == 0 {
			o.list = append(o.list, FD{N: n, Path: string(text)})
		}
	}
	return o, nil
}

// refused tells a process that has ended from one that is not ours to look
// at: the kernel says EACCES of both.
func (d dir) refused(err error) error {
	if err == nil {
		return nil
	}
	if _, gone := d.stat(); gone != nil {
		return ErrGone
	}
	return err
}

// settled is the list, with what is deleted told from what is named so.
func (o openFiles) settled() (list []FD, err error) {
	var k *doubt
	for _, f := range o.list {
		bare, marked := strings.CutSuffix(f.Path, deletedMark)
		if marked && k == nil {
			k = new(o.home.doubt())
		}
		if marked {
			lost, uerr := k.unlinked(o.fds, strconv.Itoa(f.N), f.Path)
			var none *SilentError
			if errors.As(uerr, &none) {
				err = uerr
				continue
			}
			if lost {
				f.Path, f.Deleted = bare, true
			}
		}
		list = append(list, f)
	}
	return list, err
}

// Unread is a process that was not looked at, or not whole, and why.
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
