package trace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Line is a line of the program's output that a pattern of steps fits. It ends its step.
type Line struct {
	At   time.Time `json:"at"`
	Step int       `json:"step"`
	// Mono is the same on the clock of the events, in ns, which goes on evenly where the
	// clock of the day is set; 0: not known.
	Mono int64 `json:"mono-ns,omitempty"`
	// Late is how long before that it may have been written; 0: it was then.
	Late time.Duration `json:"late-ns,omitempty"`
	// Read is how long after that it was read, with all that came at once.
	Read time.Duration `json:"read-ns,omitempty"`
}

// since is how long behind a process's beginning it came.
func (l Line) since(p *Process) time.Duration {
	if l.Mono != 0 && p.monotonic != 0 {
		return time.Duration(l.Mono - int64(p.monotonic))
	}
	return l.At.Sub(p.Began)
}

// earliest is the same of the first moment at which it may have been written.
func (l Line) earliest(p *Process) time.Duration { return l.since(p) - max(0, l.Late) }

// read is when it was, since a process's beginning.
func (l Line) read(p *Process) time.Duration { return l.since(p) + max(0, l.Read) }

// Pattern finds the number of a step in a line of output.
type Pattern struct {
	re    *regexp.Regexp
	group int
}

// ParsePattern reads a regular expression of RE2 whose group "step", or else whose first
// one, is the number.
func ParsePattern(text string) (*Pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("read the pattern of a step: %w", err)
	}
	if re.NumSubexp() == 0 {
		return nil, fmt.Errorf(`read the pattern of a step: %q has no group for the step's number, as 'step (\d+)' has`, text)
	}
	return &Pattern{re, max(1, re.SubexpIndex("step"))}, nil
}

// Step is the number in a line; false where the pattern does not fit, or has no whole
// number in its group.
func (p *Pattern) Step(line []byte) (int, bool) {
	m := p.re.FindSubmatch(line)
	if m == nil || m[p.group] == nil {
		return 0, false
	}
	n, err := strconv.Atoi(string(m[p.group]))
	return n, err == nil && n >= 0
}

const stepsFile = "steps.jsonl"

// StepLog is where the lines go as they come: each is on disk before the next is read, and
// what a kill cuts off is the last one.
type StepLog struct {
	mu    sync.Mutex
	f     *os.File
	lines int
	size  int64 // of whole lines
	began time.Time
	clock int64 // of the events, when it began; 0: not known
	err   error
}

// monotonic is the clock of the events.
func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return t.Nano()
}

// bothClocks is a time of ours, and the same on the clock of the events: of some readings
// the one between which the least went by, for a busy machine may stop us there. The two go
// on alike, so that once is enough, and lines keep their order.
func bothClocks() (at time.Time, clock int64) {
	const soon, tries = 20 * time.Microsecond, 8
	for best, i := time.Hour, 0; i < tries && best > soon; i++ {
		began := time.Now()
		c := monotonic()
		if took := time.Since(began); took < best {
			best, at, clock = took, began, c
		}
	}
	return at, clock
}

// NewStepLog begins the lines of a recording.
func NewStepLog(dir string) (*StepLog, error) {
	f, err := os.OpenFile(filepath.Join(dir, stepsFile), os.O_WRONLY|os.O_CREATE|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, fmt.Errorf("note the steps: %w", err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("note the steps: %w", err)
	}
	l := &StepLog{f: f, size: size}
	l.began, l.clock = bothClocks()
	return l, nil
}

// Add notes a line. An error is Close's to tell: the program runs on.
func (s *StepLog) Add(l Line) {
	if l.Mono == 0 && s.clock != 0 && l.At != l.At.Round(0) { // it has the clock of the machine in it
		l.Mono = s.clock + int64(l.At.Sub(s.began))
	}
	b, _ := json.Marshal(l)
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.f.WriteAt(append(b, '\n'), s.size)
	if err != nil { // what a full disk has taken of it is written over by the next one
		s.err = cmp.Or(s.err, err, s.f.Truncate(s.size))
		return
	}
	s.size += int64(n)
	s.lines++
}

// Close ends them, and says how many were noted.
func (s *StepLog) Close() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.err, s.f.Close()); err != nil {
		return s.lines, fmt.Errorf("note the steps: %w", err)
	}
	return s.lines, nil
}

// ReadSteps reads the lines of a recording in the order of their time; none where it has
// no such file.
func ReadSteps(dir string) (lines []Line, err error) {
	f, err := openRegular(filepath.Join(dir, stepsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the steps: %w", err)
	}
	defer f.Close()
	s, broken := bufio.NewScanner(f), ""
	for s.Scan() {
		if broken != "" {
			return nil, fmt.Errorf("read %s: %.80q is no step", f.Name(), broken)
		}
		var l Line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			broken = s.Text() // the last line may be: its writer was killed
			continue
		}
		lines = append(lines, l)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	slices.SortStableFunc(lines, func(a, b Line) int {
		if a.Mono != 0 && b.Mono != 0 {
			return cmp.Compare(a.Mono, b.Mono)
		}
		return a.At.Compare(b.At)
	})
	return lines, nil
}
