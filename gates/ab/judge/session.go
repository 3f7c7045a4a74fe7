package judge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Sample is what one run gave.
type Sample struct {
	Place
	At     time.Time          `json:"at"`     // when it began
	Values map[string]float64 `json:"values"` // by the metric's name
}

// Thrown is a run whose numbers do not stand. Its place is to be taken again,
// at once; a place that never was leaves its round incomplete, and the round out
// of the answer.
type Thrown struct {
	Place
	At  time.Time `json:"at"`
	Why string    `json:"why"` // contended, throttled, stalled: one word, to be counted by
}

// Session is what was taken so far, in any order.
type Session struct {
	Plan    Plan     `json:"plan"`
	Samples []Sample `json:"samples"`
	Thrown  []Thrown `json:"thrown,omitempty"`
}

// ErrSample is of a sample that the plan does not have, or a value that is none.
var ErrSample = errors.New("sample does not stand")

// round is the samples of one, by slot.
type round [Slots]Sample

// rounds are the complete ones, in order, and how many samples are of others. The
// error is an ErrSample.
func (s Session) rounds() (complete []round, left int, err error) {
	if s.Plan.Control == s.Plan.Arm || s.Plan.Control == "" || s.Plan.Arm == "" {
		return nil, 0, fmt.Errorf("%w: the plan has arm %q beside control %q, and each needs a name of its own", ErrSample, s.Plan.Arm, s.Plan.Control)
	}
	samples := slices.Clone(s.Samples)
	slices.SortStableFunc(samples, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Slot, b.Slot))
	})
	for start := 0; start < len(samples); {
		end := start
		for end < len(samples) && samples[end].Round == samples[start].Round {
			end++
		}
		if err := s.Plan.check(samples[start:end]); err != nil {
			return nil, 0, err
		}
		if end-start == Slots {
			complete = append(complete, round(samples[start:end]))
		} else {
			left += end - start
		}
		start = end
	}
	return complete, left, nil
}

// check holds samples of one round, by slot, against the plan.
func (p Plan) check(samples []Sample) error {
	places := p.Round(samples[0].Round)
	for i, sample := range samples {
		switch {
		case sample.Round < 0 || sample.Slot < 0 || sample.Slot >= Slots || sample.Place != places[sample.Slot]:
			return fmt.Errorf("%w: the plan has none of arm %s at round %d, slot %d; resume a session with the plan it began with",
				ErrSample, sample.Arm, sample.Round, sample.Slot)
		case i > 0 && samples[i-1].Slot == sample.Slot:
			return fmt.Errorf("%w: round %d, slot %d is there twice", ErrSample, sample.Round, sample.Slot)
		}
	}
	return nil
}

// thrown counts the runs that were thrown out, by why and by arm.
func (s Session) thrown() (why, arm map[string]int) {
	why, arm = map[string]int{}, map[string]int{}
	for _, t := range s.Thrown {
		why[t.Why]++
		arm[t.Arm]++
	}
	return why, arm
}
