package proc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// ScanOptions says what a pass reads beside each process's stat. Each costs
// one more system call a process.
type ScanOptions struct {
	Exe bool
	Cwd bool
}

// Picture is what one pass saw. A process that lived through the whole pass
// is in it; one that was born during the pass may be.
//
// The files of one process are read microseconds apart, so stat and exe could
// even tell of two bearers of one pid. Whoever acts on a process reads its
// identity again first.
type Picture struct {
	Table  Table
	Exe    map[int]Place // by pid, if asked for; without Dev and Ino
	Cwd    map[int]Place
	Hidden []int // listed, but not ours to look at (hidepid=noaccess)
}

// Scan makes one pass over /proc, with one read a process and next to no
// allocation: a gate's supervisor takes ten of these every second, on machines
// with thousands of processes.
func (r Root) Scan(o ScanOptions) (Picture, error) {
	root, err := openDir(string(r))
	if err != nil {
		return Picture{}, fmt.Errorf("list processes in %s: %w", r, err)
	}
	defer root.close()
	pids, _, err := root.numbers(0)
	if err != nil {
		return Picture{}, fmt.Errorf("list processes in %s: %w", r, err)
	}
	p := pass{root: root, from: r, strings: make(map[string]string), buf: make([]byte, linkMax)}
	p.Table = make(Table, len(pids))
	if o.Exe {
		p.Exe = make(map[int]Place, len(pids))
	}
	if o.Cwd {
		p.Cwd = make(map[int]Place, len(pids))
	}
	for _, pid := range pids {
		if err := p.look(pid); err != nil {
			return Picture{}, fmt.Errorf("list processes: pid %d: %w", pid, err)
		}
	}
	return p.Picture, nil
}

// pass is the work space of one Scan.
type pass struct {
	Picture
	root    dir
	from    Root
	name    []byte // "PID/FILE" and a NUL byte
	buf     []byte
	strings map[string]string // one copy of each name and path
}

// look reads one process. One that has vanished is nothing.
func (p *pass) look(pid int) error {
	data, err := p.root.readz(p.file(pid, "/stat\x00"), p.buf)
	switch {
	case errors.Is(err, ErrGone):
		return nil
	case denied(err):
		p.Hidden = append(p.Hidden, pid)
		return nil
	case err != nil:
		return err
	}
	s, comm, err := parseStat(data)
	if err != nil {
		return err
	}
	s.Comm = p.intern(comm)
	p.Table[s.PID] = s
	if p.Exe != nil {
		p.Exe[s.PID] = p.place(s, "exe", "/exe\x00")
	}
	if p.Cwd != nil {
		p.Cwd[s.PID] = p.place(s, "cwd", "/cwd\x00")
	}
	return nil
}

// place reads one magic link. Only a text that ends in the kernel's mark for
// a deleted file needs a second look.
func (p *pass) place(s Stat, link, suffix string) Place {
	if s.Kernel || s.Zombie() {
		return Place{Answer: None}
	}
	text, errno := p.root.linkz(p.file(s.PID, suffix), p.buf)
	switch {
	case errno == unix.ENOENT && s.State != 'Z':
		return Place{Answer: None} // it has ended since
	case errno != 0:
		return Place{}
	case bytes.HasSuffix(text, []byte(deletedMark)):
		place, err := p.from.place(s.PID, link)
		if err != nil {
			return Place{Answer: None}
		}
		return place
	}
	return Place{Answer: Known, Path: p.intern(text)}
}

// file builds the name of a process's file in the buffer of the pass.
func (p *pass) file(pid int, suffix string) []byte {
	p.name = append(strconv.AppendInt(p.name[:0], int64(pid), 10), suffix...)
	return p.name
}

func (p *pass) intern(text []byte) string {
	if s, ok := p.strings[string(text)]; ok {
		return s
	}
	s := string(text)
	p.strings[s] = s
	return s
}
