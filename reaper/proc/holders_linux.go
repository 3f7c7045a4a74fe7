package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Holder is a process that has a file open.
type Holder struct {
	Stat Stat
	FDs  []int
}

// Holders finds every process that has the file open that f is (or its path:
// O_PATH is enough), f itself not counted. Unread are the processes that could
// not be looked at: while there are any, "nobody has it open" is not known.
//
// It does not see a file that is only mapped into memory, on its way through a
// socket, or registered with an io_uring.
func (r Root) Holders(f *os.File) (found []Holder, unread []Unread, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("find who has %s open: %w", f.Name(), err)
		}
	}()
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	cerr := raw.Control(func(fd uintptr) {
		var s sought
		if s, err = describe(int(fd)); err == nil {
			found, unread, err = r.Holding(s.is)
		}
	})
	if err == nil {
		err = cerr
	}
	return found, unread, err
}

// sought is the file looked for: how stat(2) and how fdinfo name it. They
// differ on overlayfs, and only fdinfo can be read without touching the file's
// own file system, whose server may hang.
type sought struct {
	fd    int // our own descriptor
	id    FileID
	inner uint64
}

func describe(fd int) (s sought, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return s, err
	}
	self, err := Real.process(unix.Getpid())
	if err != nil {
		return s, err
	}
	defer self.close()
	s.fd, s.id = fd, FileID{Type: st.Mode & unix.S_IFMT, Dev: st.Dev, Ino: st.Ino, Rdev: st.Rdev}
	s.inner, _ = self.inode(fd)
	return s, nil
}

// device says whether the file is one: its nodes may be many.
func (s sought) device() bool { return s.id.Type == unix.S_IFCHR || s.id.Type == unix.S_IFBLK }

// is compares an open file with the one sought.
func (s sought) is(f *OpenFile) (bool, error) {
	if f.PID == unix.Getpid() && f.N == s.fd || !strings.HasPrefix(f.Path, "/") {
		return false, nil
	}
	if inner, ok := f.files.home.inode(f.N); ok && s.inner != 0 && inner != s.inner && !s.device() {
		return false, nil
	}
	id, err := f.ID()
	return err == nil && id.Same(s.id), err
}

// Holding finds every process with open files that match says yes to, in one
// pass for as many files as it likes. A process of which match could not tell
// is among the unread, beside those that are not ours to look at.
func (r Root) Holding(match func(*OpenFile) (bool, error)) (found []Holder, unread []Unread, err error) {
	root, err := openDir(string(r))
	if err != nil {
		return nil, nil, err
	}
	defer root.close()
	pids, _, err := root.numbers(0)
	if err != nil {
		return nil, nil, err
	}
	for _, pid := range pids {
		h, err := r.holder(pid, match)
		if skipGone(err) != nil {
			unread = append(unread, Unread{pid, err})
		}
		if len(h.FDs) > 0 {
			found = append(found, h)
		}
	}
	return found, unread, nil
}

// holder looks through one process. There can be both: files that match, and
// an error for one that could not be told.
func (r Root) holder(pid int, match func(*OpenFile) (bool, error)) (h Holder, err error) {
	p, err := r.process(pid)
	if err != nil {
		return h, err
	}
	defer p.close()
	o, err := p.openFiles()
	if err != nil {
		return h, err
	}
	defer o.close()
	for _, fd := range o.list {
		yes, merr := match(&OpenFile{FD: fd, PID: pid, files: o})
		if yes {
			h.FDs = append(h.FDs, fd.N)
		}
		if skipGone(merr) != nil && err == nil {
			err = fmt.Errorf("look at descriptor %d (%s): %w", fd.N, fd.Path, merr)
		}
	}
	if len(h.FDs) > 0 {
		s, serr := p.stat()
		if h.Stat = s; serr != nil {
			return Holder{}, serr
		}
	}
	if err == nil && !o.whole {
		err = fmt.Errorf("it has more than %d open files", maxFDs)
	}
	return h, err
}

// inode reads the kernel's own inode number of an open file from its fdinfo,
// where kernels since 5.14 have it.
func (d dir) inode(fd int) (uint64, bool) {
	buf := make([]byte, 4096)
	n, err := d.headz([]byte("fdinfo/"+strconv.Itoa(fd)+"\x00"), buf)
	if err != nil {
		return 0, false
	}
	return parseInode(buf[:n])
}

// parseInode finds the line "ino:	123" near the top of an fdinfo file.
func parseInode(data []byte) (uint64, bool) {
	for line := range bytes.Lines(data) {
		if value, ok := bytes.CutPrefix(line, []byte("ino:")); ok {
			if n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 64); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}
