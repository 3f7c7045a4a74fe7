package proc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Root is a mounted proc file system. Tests hand in a tree of fixtures.
//
// On one mounted with hidepid=invisible the processes of other users are not
// there at all, and count as gone.
type Root string

// Real is the proc file system of this machine.
const Real Root = "/proc"

// ErrGone says that the process ended before or while it was read.
var ErrGone = errors.New("process is gone")

// ticksPerSecond is USER_HZ, the unit of every time in /proc/PID/stat. It is
// 100 on every architecture Go runs on; the kernel keeps it fixed because
// user space depends on it.
const ticksPerSecond = 100

// statMax holds any stat line: 52 numbers of at most 20 digits and a name.
const statMax = 2048

// kernelThread is PF_KTHREAD of the kernel's include/linux/sched.h, in the
// flags word of the stat line.
const kernelThread = 0x00200000

// Stat is one line of /proc/PID/stat, proc_pid_stat(5).
//
// /proc also answers for the id of a thread, though it does not list it; the
// line then tells of that thread, and only Status says so.
type Stat struct {
	PID     int
	Comm    string // at most 15 bytes, without the brackets; may hold any byte
	State   byte   // R, S, D, T, t, Z, X, I
	PPID    int
	PGRP    int
	Session int
	TTY     int    // controlling terminal's device number, 0 for none
	TPGID   int    // the process group in the foreground of that terminal, -1 for none
	Kernel  bool   // a thread of the kernel: no program, no memory, no end
	CPU     uint64 // user and system ticks of its own threads
	Waited  uint64 // user and system ticks of the children it waited for
	Threads int    // living and dead ones that are not released yet; 0 in old records
	Start   uint64 // ticks between boot and the process's start
}

// CPUTime turns ticks into a duration.
func CPUTime(ticks uint64) time.Duration {
	return time.Duration(ticks) * (time.Second / ticksPerSecond)
}

// Zombie says whether only the exit status is left of the process. A process
// whose first thread has ended while others run shows Z as well: it is alive,
// and a signal ends it.
func (s Stat) Zombie() bool { return s.State == 'X' || s.State == 'Z' && s.Threads <= 1 }

// Identity names the process; boot is Root.BootID's, which a caller reads once.
func (s Stat) Identity(boot string) Identity {
	return Identity{PID: s.PID, Start: s.Start, BootID: boot}
}

// key tells two bearers of one pid apart within one boot.
type key struct {
	pid   int
	start uint64
}

func (s Stat) key() key { return key{s.PID, s.Start} }

// Stat reads /proc/PID/stat. The error is ErrGone when there is no such process.
func (r Root) Stat(pid int) (Stat, error) {
	d, err := r.process(pid)
	if err != nil {
		return Stat{}, err
	}
	defer d.close()
	return d.stat()
}

// stat reads the line of the process whose directory d is.
func (d dir) stat() (Stat, error) {
	data, err := d.read("stat", make([]byte, statMax))
	if err != nil {
		return Stat{}, err
	}
	return ParseStat(data)
}

// ParseStat parses the content of a stat file. The command name stands in
// brackets and may itself hold spaces, brackets and newlines, so it ends at
// the last closing bracket of the whole text.
func ParseStat(data []byte) (Stat, error) {
	s, comm, err := parseStat(data)
	if err != nil {
		return Stat{}, err
	}
	s.Comm = string(comm)
	return s, nil
}

// parseStat leaves the name where it stands: most of the thousands of names in
// one pass are the same few, and the pass keeps one string of each.
func parseStat(data []byte) (s Stat, comm []byte, err error) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return s, nil, fmt.Errorf("parse stat: no command name in brackets in %.80q", data)
	}
	s.PID, err = strconv.Atoi(string(bytes.TrimSpace(data[:open])))
	if err != nil {
		return s, nil, fmt.Errorf("parse stat: no pid in %.80q", data)
	}
	if err := s.parseFields(data[end+1:]); err != nil {
		return s, nil, fmt.Errorf("parse stat of pid %d: %w", s.PID, err)
	}
	return s, data[open+1 : end], nil
}

// parseFields reads what follows the command name; f[0] is field 3 of
// proc_pid_stat(5), so field n is f[n-3].
func (s *Stat) parseFields(text []byte) error {
	var f [20][]byte
	for i := range f {
		if f[i], text = cutField(text); len(f[i]) == 0 {
			return fmt.Errorf("%d fields after the name, want at least %d", i, len(f))
		}
	}
	if len(f[0]) != 1 || f[0][0] < 'A' || f[0][0] > 'z' {
		return fmt.Errorf("state %q is not one letter", f[0])
	}
	s.State = f[0][0]
	var bad error
	num := func(field int) uint64 {
		n, err := strconv.ParseInt(string(f[field-3]), 10, 64)
		if err != nil {
			// Start ticks and times are unsigned; a tty_nr can be negative.
			u, uerr := strconv.ParseUint(string(f[field-3]), 10, 64)
			if uerr != nil && bad == nil {
				bad = fmt.Errorf("field %d is %q, not a number", field, f[field-3])
			}
			return u
		}
		return uint64(n)
	}
	s.PPID, s.PGRP, s.Session, s.TTY, s.TPGID = int(num(4)), int(num(5)), int(num(6)), int(num(7)), int(num(8))
	s.Kernel, s.Threads = num(9)&kernelThread != 0, int(num(20))
	s.CPU, s.Waited, s.Start = num(14)+num(15), num(16)+num(17), num(22)
	return bad
}

// cutField cuts the first field off a text of fields with blanks between them.
func cutField(text []byte) (field, rest []byte) {
	from := 0
	for from < len(text) && blank(text[from]) {
		from++
	}
	to := from
	for to < len(text) && !blank(text[to]) {
		to++
	}
	return text[from:to], text[to:]
}

func blank(b byte) bool { return b == ' ' || b == '\n' || b == '\t' }
