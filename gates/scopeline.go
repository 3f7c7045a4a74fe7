package gates

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// scopePrefix begins a line in which a gate says what it covers: gpuci:scope
// chunks=4.
const scopePrefix = "gpuci:scope"

// Bounds on what hostile output can make us keep.
const (
	maxSpots       = 2000 // distinct places, on all axes
	maxSpot        = 100  // bytes of one, and of an axis's name
	maxScopeFaults = 5
)

// shown is what a run says it covers, by axis.
type shown struct {
	declared map[string]bool            // axes that the gate's configuration names
	quoted   map[string]map[string]bool // of each, the places that stand in quotes
	spots    map[string]map[string]spot
	total    int
	faults   []string
	more     int // faults that are not kept
}

func newShown(g config.Gate) *shown {
	s := &shown{declared: make(map[string]bool), quoted: make(map[string]map[string]bool), spots: make(map[string]map[string]spot)}
	for name, axis := range g.Scope {
		s.declared[name], s.quoted[name] = true, quoted(axis)
	}
	return s
}

// line reads one line of the output, free of escape sequences. As with numbers, it
// is meant for us at the start of a line and behind a harness, whatever it looks
// like; elsewhere, as behind a logger's words, where it names an axis that the gate
// has and is not metric.Echoed.
func (s *shown) line(line []byte) {
	for at := bytes.Index(line, []byte(scopePrefix)); at >= 0; {
		rest := line[at+len(scopePrefix):]
		next := bytes.Index(rest, []byte(scopePrefix))
		part := rest
		if next >= 0 {
			part = rest[:next]
		}
		if metric.Ends(rest) && (metric.Begins(line, at) || s.mentions(part) && !metric.Echoed(line[:at], part)) {
			s.own(part)
		}
		if next < 0 {
			return
		}
		at += len(scopePrefix) + next
	}
}

// mentions says whether a text gives a place on an axis that is declared.
func (s *shown) mentions(text []byte) bool {
	for _, word := range bytes.Fields(text) {
		name, _, ok := bytes.Cut(word, []byte("="))
		if ok && s.declared[string(name)] {
			return true
		}
	}
	return false
}

func (s *shown) own(rest []byte) {
	pairs, seen := 0, make(map[string]bool)
	err := metric.Pairs(string(rest), func(axis, place string) error {
		pairs++
		if seen[axis] {
			return fmt.Errorf("%.40s= is given twice: print a line for each place", axis)
		}
		seen[axis] = true
		return s.add(axis, place)
	})
	if err == nil && pairs == 0 {
		err = errors.New("it names no axis: print gpuci:scope chunks=4")
	}
	if err == nil {
		return
	}
	if len(s.faults) == maxScopeFaults {
		s.more++
		return
	}
	s.faults = append(s.faults, fmt.Sprintf("malformed gpuci:scope line: %v, in %.80q", err, scopePrefix+string(rest)))
}

func (s *shown) add(axis, place string) error {
	sp := readAmong(strings.ReplaceAll(place, "−", "-"), s.quoted[axis])
	low := strings.ToLower(strings.TrimLeft(place, "+-"))
	switch {
	case place == "":
		return fmt.Errorf("%.40s has no place", axis)
	case len(place) > maxSpot || len(axis) > maxSpot:
		return fmt.Errorf("%.40s is longer than %d bytes", axis, maxSpot)
	case low == "nan" || low == "inf" || low == "infinity":
		return fmt.Errorf("%s is no place on the axis %s", place, axis)
	}
	of := s.spots[axis]
	if of == nil {
		of = make(map[string]spot)
	}
	if _, known := of[sp.text]; known {
		return nil
	}
	if s.total == maxSpots {
		return fmt.Errorf("more than %d places: %s=%s was not kept", maxSpots, axis, place)
	}
	s.total++
	of[sp.text], s.spots[axis] = sp, of
	return nil
}

// of are the places that were shown on an axis.
func (s *shown) of(axis string) (list []spot) {
	for _, sp := range s.spots[axis] {
		list = append(list, sp)
	}
	return tidy(list)
}

// undeclared are axes that were shown and that the configuration has not.
func (s *shown) undeclared() (names []string) {
	for name := range s.spots {
		if !s.declared[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// problems are what could not be read.
func (s *shown) problems() []string {
	out := slices.Clone(s.faults)
	if s.more > 0 {
		out = append(out, fmt.Sprintf("and %d more gpuci:scope lines like these", s.more))
	}
	return out
}
