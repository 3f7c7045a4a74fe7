package buildlock

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// mark names a ticket in GPUCI_TICKETS.
type mark struct {
	lock   Lock
	number uint64
}

func (m mark) String() string { return ticketID(m.lock, m.number) }

func parseMark(s string) (m mark, ok bool) {
	at := strings.LastIndexByte(s, '-')
	if at < 0 {
		return m, false
	}
	n, err := strconv.ParseUint(s[at+1:], 10, 64)
	m = mark{Lock(s[:at]), n}
	return m, err == nil && m.lock.valid()
}

// believed picks the marks that are true: the ticket is live, and its holder
// is one of our ancestors. An environment is inherited by everything a link
// may start and can be copied anywhere; a line of ancestors cannot.
//
// A build lock or a named one covers all that its holder started. When that was
// killed, what goes on has no such ancestor any more; it still has the ticket
// itself, and with it the lock. A link ticket covers no more than its own link.
func believed(dir, marks string) (out []mark) {
	if marks == "" {
		return nil
	}
	// Ourselves among them: a shim that executes another one has kept its pid.
	above := proc.Real.Lineage(os.Getpid())
	for s := range strings.SplitSeq(marks, ":") {
		m, ok := parseMark(s)
		if !ok {
			continue
		}
		r, live := m.read(dir)
		switch {
		case !live:
		case slices.ContainsFunc(above, r.made), m.lock != Link && m.inherited(dir):
			out = append(out, m)
		}
	}
	return out
}

// read reads a live ticket of this boot, without making anything.
func (m mark) read(dir string) (r record, live bool) {
	d, err := openShared(filepath.Join(dir, string(m.lock)))
	if err != nil {
		return r, false
	}
	defer d.close()
	q := queue{d, m.lock}
	if live, err = q.live(m.number); err != nil || !live {
		return r, false
	}
	r, _, err = q.record(m.number)
	boot, berr := proc.Real.BootID()
	return r, err == nil && berr == nil && r.BootID == boot
}

// inherited says whether we have the ticket's own file open, for writing: that
// comes down from its holder alone.
func (m mark) inherited(dir string) bool {
	var ticket unix.Stat_t
	if unix.Stat(filepath.Join(dir, string(m.lock), fileName(m.number)), &ticket) != nil {
		return false
	}
	return inherits(ticket)
}

// inherits says whether we have a file open for writing.
func inherits(file unix.Stat_t) bool {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return false
	}
	for _, entry := range fds {
		var open unix.Stat_t
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || unix.Fstat(fd, &open) != nil || open.Dev != file.Dev || open.Ino != file.Ino {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
			return true
		}
	}
	return false
}

// maxRecord bounds what is read of a ticket, in bytes: texts of 200 bytes, twice
// that escaped, and a directory of up to 4 KiB.
const maxRecord = 8192

// record reads what a ticket says.
func (q queue) record(n uint64) (record, granted, error) {
	f, err := q.open(fileName(n), unix.O_RDONLY)
	if err != nil {
		return record{}, granted{}, err
	}
	defer f.Close()
	buf := make([]byte, maxRecord)
	got, err := f.Read(buf)
	if got == 0 && err != nil {
		return record{}, granted{}, err
	}
	r, g := parseRecord(buf[:got])
	return r, g, nil
}
