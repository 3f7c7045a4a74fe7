package proc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Status is what gpuci uses of /proc/PID/status, proc_pid_status(5).
type Status struct {
	PID      int
	TGID     int    // the process; another number than PID when PID is a thread
	UID      int    // real
	EUID     int    // effective
	GID      int    // real
	EGID     int    // effective
	Tracer   int    // the process that traces it, 0 for none (and where that one is in no namespace of ours)
	Threads  int    // of the whole process
	NSPID    []int  // its pid in each pid namespace, ours first; nil before Linux 4.1
	Switches uint64 // voluntary context switches of its first thread: how often it waited; 0 where the kernel does not tell
	PeakRSS  uint64 // VmHWM in bytes; 0 once the memory is gone, and for kernel threads

	Pending       SigSet // SigPnd: for this thread
	SharedPending SigSet // ShdPnd: for the process; a SIGKILL that waits stands here
	Ignored       SigSet // SigIgn
	Caught        SigSet // SigCgt
}

// SigSet is a set of signals as the kernel writes it: bit 0 is signal 1.
type SigSet uint64

// Has says whether sig is in the set.
func (s SigSet) Has(sig unix.Signal) bool {
	return sig >= 1 && sig <= 64 && s&(1<<(sig-1)) != 0
}

// statusMax is well above the longest status: the lists of groups, processors
// and memory nodes grow with the machine, 64 Ki groups at 11 digits most.
const statusMax = 1 << 20

// Status reads /proc/PID/status. The error is ErrGone when there is no such
// process.
func (r Root) Status(pid int) (Status, error) {
	d, err := r.process(pid)
	if err != nil {
		return Status{}, err
	}
	defer d.close()
	data, err := d.read("status", make([]byte, 16<<10))
	if errors.Is(err, errLong) {
		data, err = d.read("status", make([]byte, statusMax))
	}
	if err != nil {
		return Status{}, err
	}
	return ParseStatus(data)
}

// ParseStatus parses the content of a status file. The kernel escapes newlines
// in the process's name there, so a line is a line. Lines not named in Status
// are skipped; one that is missing is an error unless Status says what that
// means, for a set of signals that was not read must not look empty.
func ParseStatus(data []byte) (Status, error) {
	var s Status
	seen := make(map[string]bool)
	for line := range bytes.Lines(data) {
		key, value, ok := strings.Cut(string(line), ":")
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		if err := s.set(key, strings.Fields(value)); err != nil {
			return Status{}, fmt.Errorf("parse status: line %.80q: %w", line, err)
		}
	}
	for _, key := range []string{"Pid", "Tgid", "TracerPid", "Uid", "Gid", "Threads", "SigPnd", "ShdPnd", "SigIgn", "SigCgt"} {
		if !seen[key] {
			return Status{}, fmt.Errorf("parse status: no line %s in %.80q", key, data)
		}
	}
	return s, nil
}

// set takes in one line.
func (s *Status) set(key string, f []string) (err error) {
	switch key {
	case "Pid":
		err = numbers(f, &s.PID)
	case "Tgid":
		err = numbers(f, &s.TGID)
	case "Uid":
		err = numbers(f, &s.UID, &s.EUID)
	case "Gid":
		err = numbers(f, &s.GID, &s.EGID)
	case "TracerPid":
		err = numbers(f, &s.Tracer)
	case "Threads":
		err = numbers(f, &s.Threads)
	case "NSpid":
		s.NSPID = make([]int, len(f))
		for i := range f {
			if err = numbers(f[i:], &s.NSPID[i]); err != nil {
				return err
			}
		}
	case "VmHWM":
		var kib int
		if err = numbers(f, &kib); err == nil && (len(f) != 2 || f[1] != "kB" || kib < 0) {
			err = errors.New("want a number and kB")
		}
		s.PeakRSS = uint64(kib) << 10
	case "voluntary_ctxt_switches":
		if len(f) == 1 {
			s.Switches, err = strconv.ParseUint(f[0], 10, 64)
		}
	case "SigPnd":
		err = s.Pending.parse(f)
	case "ShdPnd":
		err = s.SharedPending.parse(f)
	case "SigIgn":
		err = s.Ignored.parse(f)
	case "SigCgt":
		err = s.Caught.parse(f)
	}
	return err
}

// numbers parses the first fields into the given variables.
func numbers(f []string, into ...*int) (err error) {
	if len(f) < len(into) {
		return fmt.Errorf("%d fields, want %d", len(f), len(into))
	}
	for i, p := range into {
		if *p, err = strconv.Atoi(f[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *SigSet) parse(f []string) error {
	if len(f) != 1 {
		return fmt.Errorf("%d fields, want 1", len(f))
	}
	n, err := strconv.ParseUint(f[0], 16, 64)
	*s = SigSet(n)
	return err
}
