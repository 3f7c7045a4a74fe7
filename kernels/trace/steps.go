package trace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Line is a line of the program's output that a pattern of steps fits. It ends its step.
type Line struct {
	At   time.Time `json:"at"`
	Step int       `json:"step"`
}

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
	err   error
}

// NewStepLog begins the lines of a recording.
func NewStepLog(dir string) (*StepLog, error) {
	f, err := os.OpenFile(filepath.Join(dir, stepsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("note the steps: %w", err)
	}
	return &StepLog{f: f}, nil
}

// Add notes a line. An error is Close's to tell: the program runs on.
func (s *StepLog) Add(l Line) {
	b, _ := json.Marshal(l)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.f.Write(append(b, '\n')); err != nil {
		s.err = cmp.Or(s.err, err)
		return
	}
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
	f, err := os.Open(filepath.Join(dir, stepsFile))
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
	slices.SortStableFunc(lines, func(a, b Line) int { return a.At.Compare(b.At) })
	return lines, nil
}
