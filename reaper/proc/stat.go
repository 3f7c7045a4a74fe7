package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Root is a mounted proc file system. Tests hand in a tree of fixtures.
type Root string

// Real is the proc file system of this machine.
const Real Root = "/proc"

// ErrGone says that the process ended before or while it was read.
var ErrGone = errors.New("process is gone")

// ticksPerSecond is USER_HZ, the unit of every time in /proc/PID/stat. It is
// 100 on every architecture Go runs on; the kernel keeps it fixed because
// user space depends on it.
const ticksPerSecond = 100

// Stat is one line of /proc/PID/stat, proc_pid_stat(5).
type Stat struct {
	PID     int
	Comm    string // at most 15 bytes, without the brackets; may hold any byte
	State   byte   // R, S, D, T, t, Z, X, I
	PPID    int
	PGRP    int
	Session int
	TTY     int    // controlling terminal's device number, 0 for none
	CPU     uint64 // user and system ticks of its own threads
	Waited  uint64 // user and system ticks of the children it waited for
	Start   uint64 // ticks between boot and the process's start
}

// CPUTime turns ticks into a duration.
func CPUTime(ticks uint64) time.Duration {
	return time.Duration(ticks) * (time.Second / ticksPerSecond)
}

// Zombie says whether only the exit status is left of the process.
func (s Stat) Zombie() bool { return s.State == 'Z' || s.State == 'X' }

// Stat reads /proc/PID/stat. The error is ErrGone when there is no such process.
func (r Root) Stat(pid int) (Stat, error) {
	data, err := os.ReadFile(filepath.Join(string(r), strconv.Itoa(pid), "stat"))
	if err != nil {
		return Stat{}, gone(err)
	}
	return ParseStat(data)
}

// gone maps the two ways in which a process vanishes under a reader (no
// directory any more; an open file that answers ESRCH) to ErrGone.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

// ParseStat parses the content of a stat file. The command name stands in
// brackets and may itself hold spaces, brackets and newlines, so it ends at
// the last closing bracket of the whole text.
func ParseStat(data []byte) (Stat, error) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return Stat{}, fmt.Errorf("parse stat: no command name in brackets in %.80q", data)
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(data[:open])))
	if err != nil {
		return Stat{}, fmt.Errorf("parse stat: no pid in %.80q", data)
	}
	s := Stat{PID: pid, Comm: string(data[open+1 : end])}
	if err := s.parseFields(bytes.Fields(data[end+1:])); err != nil {
		return Stat{}, fmt.Errorf("parse stat of pid %d: %w", pid, err)
	}
	return s, nil
}

// parseFields reads what follows the command name; f[0] is field 3 of
// proc_pid_stat(5), so field n is f[n-3].
func (s *Stat) parseFields(f [][]byte) error {
	if len(f) < 20 {
		return fmt.Errorf("%d fields after the name, want at least 20", len(f))
	}
	if len(f[0]) != 1 {
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
	s.PPID, s.PGRP, s.Session, s.TTY = int(num(4)), int(num(5)), int(num(6)), int(num(7))
	s.CPU, s.Waited, s.Start = num(14)+num(15), num(16)+num(17), num(22)
	return bad
}
