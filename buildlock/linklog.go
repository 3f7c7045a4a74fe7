package buildlock

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"syscall"
	"time"
)

// What became of a link that a shim saw.
const (
	Ticketed = "ticket"  // it ran, or runs, under a ticket of its own
	Passed   = "passed"  // it is part of one that has a ticket
	TimedOut = "timeout" // its wait ran out: it was not run
	Failed   = "failed"  // no ticket could be made: it was not run
	Removed  = "removed" // no link: the lock directory was removed while one queued
	Holding  = "holding" // the link is held back from here on, because of the pressure
	Ended    = "ended"   // the link of a ticket was seen to be over, by who watches the build
	Inner    = "build"   // no link: a build began in this one that has a journal of its own
)

// LinkEvent is one line that a shim writes about a link it saw, into the file
// that $GPUCI_LINK_LOG names.
type LinkEvent struct {
	Time    time.Time     `json:"time"`
	Tool    string        `json:"tool"` // the shim's name: cc, ld.lld
	Role    string        `json:"role"` // cc, ld, nvcc
	PID     int           `json:"pid"`
	What    string        `json:"what,omitempty"` // what is linked: cc -o prog
	Ticket  string        `json:"ticket,omitempty"`
	Waited  time.Duration `json:"-"`                          // in line and held back, had it a ticket in the end or not; JSON has it in seconds
	Held    time.Duration `json:"-"`                          // of that, held back in its turn because of the pressure
	Under   string        `json:"under-pressure,omitempty"`   // it ran though the pressure was not over: why it was held back
	Blind   string        `json:"pressure-unknown,omitempty"` // why the pressure could not be told
	Outcome string        `json:"outcome"`
	Error   string        `json:"error,omitempty"`
	Remedy  string        `json:"remedy,omitempty"` // of the error
	Log     string        `json:"log,omitempty"`    // the journal of an inner build
}

// eventLine is a LinkEvent as it is written.
type eventLine struct {
	event
	Seconds float64 `json:"waited-seconds"`
	Held    float64 `json:"held-seconds,omitempty"`
}

// event is a LinkEvent without its ways to be written and read.
type event LinkEvent

// MarshalJSON writes the wait in seconds, as all JSON of gpuci has its times.
func (e LinkEvent) MarshalJSON() ([]byte, error) {
	return json.Marshal(eventLine{event(e), e.Waited.Seconds(), e.Held.Seconds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *LinkEvent) UnmarshalJSON(data []byte) error {
	var line eventLine
	err := json.Unmarshal(data, &line)
	*e = LinkEvent(line.event)
	e.Waited, e.Held = duration(line.Seconds), duration(line.Held)
	return err
}

func duration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// ShareLinkLog lets the shims of a build write to its journal, a file that was
// just made. A build of root's may change its user on the way (setpriv, su), and
// its links under the other one are to be counted; of everybody else's builds
// all links are their own.
func ShareLinkLog(f *os.File) error {
	info, err := f.Stat()
	if err == nil && os.Geteuid() == 0 {
		err = f.Chmod(info.Mode().Perm() | 0o022)
	}
	if err != nil {
		return fmt.Errorf("let the shims write: %w", err)
	}
	return nil
}

// Append writes the event to the end of a file that is there, in one write:
// lines of several shims do not mix. It waits for nobody: the path comes out of
// the environment, and a FIFO may have no reader.
func (e LinkEvent) Append(path string) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("note link: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("note link: %s is no regular file", path)
	}
	if n, err := f.Write(append(line, '\n')); err != nil {
		if n == 0 {
			leaveHole(f)
		}
		return fmt.Errorf("note link: %w", err)
	}
	return nil
}

// leaveHole makes a file longer by a byte that takes no space: on a full disk,
// whoever reads it sees that a line is wanting.
func leaveHole(f *os.File) {
	if info, err := f.Stat(); err == nil {
		_ = f.Truncate(info.Size() + 1)
	}
}
