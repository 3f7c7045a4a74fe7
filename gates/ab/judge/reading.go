package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// readings are one metric's values of some rounds, on the scale on which they are
// compared.
type readings struct {
	control, arm []float64 // as they were read
	pairs        []float64 // arm less control, of neighbours
	twins        []float64 // twin less control, of a round
	seeds        []float64 // the control and its twin, of a round
	seedCount    int
	scale        scale
	step         float64 // of the clock, in the metric's unit
	bias         float64 // how far the clock's step can put a difference off
}

// value is a sample's. The error is an ErrSample.
func (m Metric) value(s Sample) (float64, error) {
	v, ok := s.Values[m.Name]
	switch {
	case !ok:
		return 0, fmt.Errorf("%w: that of round %d, slot %d has no %s", ErrSample, s.Round, s.Slot, m.Name)
	case math.IsNaN(v) || v > largest || v < 0 || v == 0 && !m.Quality:
		return 0, fmt.Errorf("%w: %s is %v in round %d, slot %d (arm %s)", ErrSample, m.Name, v, s.Round, s.Slot, s.Arm)
	}
	return v, nil
}

// largest is the largest value: the sum of as many as a session has is a number too.
const largest = 1e300

// check looks at all values, also those that no look has reached. The error is an
// ErrSample.
func (m Metric) check(rounds []round) error {
	for _, samples := range rounds {
		for _, sample := range samples {
			if _, err := m.value(sample); err != nil {
				return err
			}
		}
	}
	return nil
}

// read takes a metric's values out of rounds.
func (m Metric) read(plan Plan, rounds []round) (readings, error) {
	var r readings
	values := make([][Slots]float64, len(rounds))
	seeds := map[uint64]bool{}
	for i, samples := range rounds {
		for slot, sample := range samples {
			v, err := m.value(sample)
			if err != nil {
				return r, err
			}
			values[i][slot] = v
			if sample.Arm == plan.Arm {
				r.arm = append(r.arm, v)
			} else {
				r.control = append(r.control, v)
			}
		}
		seeds[samples[0].Seed] = true
	}
	r.seedCount = len(seeds)
	if m.hasClock() {
		r.step, r.bias = m.clock(r.control, r.arm)
	}
	r.scale = newScale(r.control, r.arm)
	for i, samples := range rounds {
		r.add(plan, samples, values[i])
	}
	return r, nil
}

// add adds a round's differences.
func (r *readings) add(plan Plan, samples round, values [Slots]float64) {
	blur := rand.New(rand.NewPCG(plan.Seed^0x5eed, uint64(samples[0].Round)))
	var control, twin, last float64
	for slot, sample := range samples {
		v := r.scale.of(values[slot] + (blur.Float64()-0.5)*r.step)
		switch {
		case sample.Arm == plan.Arm:
			// Of a pair, this is one and the control the other.
		case sample.Twin:
			twin = v
		default:
			control = v
		}
		if slot%2 == 0 {
			last = v
		} else if sample.Arm == plan.Arm {
			r.pairs = append(r.pairs, v-last)
		} else {
			r.pairs = append(r.pairs, last-v)
		}
	}
	r.twins = append(r.twins, twin-control)
	r.seeds = append(r.seeds, (twin+control)/2)
}
