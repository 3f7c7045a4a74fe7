package judge

import (
	"fmt"
	"math"
	"slices"
)

// Direction says which way a metric is better.
type Direction string

// The directions.
const (
	Lower  Direction = "lower"
	Higher Direction = "higher"
)

// Metric is a number that every run gives.
type Metric struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit,omitempty"`
	Better Direction `json:"better"`
	// Quality is a loss, an error, an accuracy: a number that a faster arm must
	// not lose. It may be 0, and what re-seeding the control does to it is in its floor.
	Quality bool `json:"quality,omitempty"`
	// Floor is a difference that is known to mean nothing, as a part of the
	// control's value: 0.01 is 1 %. Where the session's own is larger, that counts.
	Floor float64 `json:"floor,omitempty"`
	// Least and Seek are the metric's own in the place of the rule's.
	Least float64 `json:"least,omitempty"`
	Seek  float64 `json:"seek,omitempty"`
	// Step is between two readings that can be told apart, in the metric's unit:
	// 0.001 for a clock of milliseconds in s. 0: it is found from the values where
	// the unit is one of time, and others are taken to be exact. Below 0: exact.
	Step float64 `json:"step,omitempty"`
}

// timeUnits are those of clocks, which have steps. Counts and losses are read as
// they are.
var timeUnits = []string{"s", "ms", "us", "µs", "μs", "ns", "min", "h"}

func (m Metric) hasClock() bool {
	return m.Step > 0 || m.Step == 0 && slices.Contains(timeUnits, m.Unit)
}

// rule is the rule as it is for this metric. The error is an ErrRule.
func (m Metric) rule(r Rule) (Rule, error) {
	if m.Better != Lower && m.Better != Higher {
		return r, fmt.Errorf("%w: %q is no direction: %s or %s is better", ErrRule, m.Better, Lower, Higher)
	}
	if !(m.Floor >= 0 && m.Floor < 10) || math.IsNaN(m.Step) {
		return r, fmt.Errorf("%w: floor %v is to be a part of the value, and step %v a number", ErrRule, m.Floor, m.Step)
	}
	if m.Least != 0 {
		r.Least, r.Seek = m.Least, 0
	}
	if m.Seek != 0 {
		r.Seek = m.Seek
	}
	return r.Filled()
}

// better is whether a difference of this sign is.
func (m Metric) better(difference float64) bool {
	return difference < 0 == (m.Better == Lower)
}
