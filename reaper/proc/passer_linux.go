package proc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// sighting is what a pass found under one pid.
type sighting struct {
	what     what
	stat     Stat
	exe, cwd Place
	uid      uint32
	owned    bool // uid is known
}

type what uint8

const (
	vanished what = iota
	hidden        // only stat.PID is known
	seen
)

// passer is the work space of one thread of a pass.
type passer struct {
	root    dir
	from    Root
	want    ScanOptions
	name    []byte // "PID/FILE" and a NUL byte
	buf     []byte
	strings map[string]string // one copy of each name and path
}

// look fills out with what is found under each pid.
func (p *passer) look(pids []int, out []sighting) error {
	for i, pid := range pids {
		if err := p.lookAt(pid, &out[i]); err != nil {
			return fmt.Errorf("pid %d: %w", pid, err)
		}
	}
	return nil
}

func (p *passer) lookAt(pid int, out *sighting) error {
	data, err := p.root.readz(p.file(pid, "/stat\x00"), p.buf)
	switch {
	case errors.Is(err, ErrGone):
		return nil
	case denied(err):
		out.what, out.stat.PID = hidden, pid
		return nil
	case err != nil:
		return err
	}
	s, comm, err := parseStat(data)
	if err != nil {
		return err
	}
	s.Comm = p.intern(comm)
	out.what, out.stat = seen, s
	if p.want.Exe {
		out.exe = p.place(&s, "exe", "/exe\x00")
	}
	if p.want.Cwd {
		out.cwd = p.place(&s, "cwd", "/cwd\x00")
	}
	if p.want.UID {
		var st unix.Stat_t
		out.owned = unix.Fstatat(int(p.root), strconv.Itoa(pid), &st, 0) == nil
		out.uid = st.Uid
	}
	return nil
}

// place reads one magic link. Only a text that ends in the kernel's mark for
// a deleted file needs a second look, and a process whose first thread ended.
func (p *passer) place(s *Stat, link, suffix string) Place {
	if s.Kernel || s.Zombie() {
		return Place{Answer: None}
	}
	text, errno := p.root.linkz(p.file(s.PID, suffix), p.buf)
	switch {
	case errno == unix.ENOENT && s.State != 'Z':
		return Place{Answer: None} // it has ended since
	case errno != 0 && s.State != 'Z':
		return Place{}
	case errno != 0, bytes.HasSuffix(text, []byte(deletedMark)):
		place, err := p.from.place(s.PID, link)
		if errors.Is(err, ErrGone) {
			place.Answer = None
		}
		return place
	}
	return Place{Answer: Known, Path: p.intern(text)}
}

// file builds the name of a process's file in the passer's buffer.
func (p *passer) file(pid int, suffix string) []byte {
	p.name = append(strconv.AppendInt(p.name[:0], int64(pid), 10), suffix...)
	return p.name
}

func (p *passer) intern(text []byte) string {
	if s, ok := p.strings[string(text)]; ok {
		return s
	}
	s := string(text)
	p.strings[s] = s
	return s
}
