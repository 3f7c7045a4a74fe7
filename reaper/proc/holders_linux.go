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
	s := sought{root: r}
	cerr := raw.Control(func(fd uintptr) {
		s.self, err = Real.process(unix.Getpid())
		if err == nil {
			defer s.self.close()
			err = s.describe(int(fd))
		}
		if err == nil {
			found, unread, err = s.find()
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
	root     Root
	self     dir // our own directory
	fd       int // our own descriptor
	dev, ino uint64
	inner    uint64
}

func (s *sought) describe(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	s.fd, s.dev, s.ino = fd, st.Dev, st.Ino
	s.inner, _ = s.self.inode(fd)
	return nil
}

func (s *sought) find() (found []Holder, unread []Unread, err error) {
	root, err := openDir(string(s.root))
	if err != nil {
		return nil, nil, err
	}
	defer root.close()
	pids, _, err := root.numbers(0)
	if err != nil {
		return nil, nil, err
	}
	for _, pid := range pids {
		h, err := s.in(pid)
		switch {
		case skipGone(err) != nil:
			unread = append(unread, Unread{pid, err})
		case len(h.FDs) > 0:
			found = append(found, h)
		}
	}
	return found, unread, nil
}

// in looks through one process.
func (s *sought) in(pid int) (h Holder, err error) {
	p, err := s.root.process(pid)
	if err != nil {
		return h, err
	}
	defer p.close()
	fds, list, whole, err := p.fds()
	if err != nil {
		return h, err
	}
	defer fds.close()
	for _, f := range list {
		own := pid == unix.Getpid() && f.N == s.fd
		if !own && strings.HasPrefix(f.Path, "/") && s.is(p, fds, f.N) {
			h.FDs = append(h.FDs, f.N)
		}
	}
	if len(h.FDs) > 0 {
		h.Stat, err = p.stat()
	}
	if err == nil && !whole && len(h.FDs) == 0 {
		err = fmt.Errorf("more than %d open files", maxFDs)
	}
	return h, err
}

// is compares an open file with the one sought.
func (s *sought) is(p, fds dir, n int) bool {
	if inner, ok := p.inode(n); ok && s.inner != 0 && inner != s.inner {
		return false
	}
	st, err := fds.target(strconv.Itoa(n), 0)
	return err == nil && st.Ino == s.ino && device(st) == s.dev
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
