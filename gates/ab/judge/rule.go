package judge

import (
	"errors"
	"fmt"
	"math"
)

// Rule is what an answer must meet. The zero value of a field stands for its default.
type Rule struct {
	Samples    int     `json:"samples"`     // the fewest of each arm before anything is said; 20
	Most       int     `json:"most"`        // of each arm; 2000. With Samples it says when the judge looks
	Seeds      int     `json:"seeds"`       // the fewest seeds for a quality metric; 8
	Confidence float64 `json:"confidence"`  // that an arm like the control is called neither win nor worse, by any of its metrics; 0.99
	Least      float64 `json:"least"`       // a difference below it is not worth an arm, as a part of the control's value; 0.01
	Seek       float64 `json:"seek"`        // the difference that is to be found where there is one; 3 times Least
	Power      float64 `json:"power"`       // how often it is to be found; 0.9
	MostThrown float64 `json:"most-thrown"` // of all runs; above it there is no answer; 0.5

	Among int `json:"among,omitempty"` // comparisons that have the chance of error together, of which this is one; 0 for it alone

	All bool `json:"all,omitempty"` // samples are asked for until each metric has an answer, and not only the one that leads
}

// ErrRule is of a rule that cannot be met.
var ErrRule = errors.New("the rule cannot be met")

// Filled is the rule with its defaults. The error is an ErrRule.
func (r Rule) Filled() (Rule, error) {
	fill(&r.Samples, 20)
	fill(&r.Most, max(2000, r.Samples))
	fill(&r.Seeds, 8)
	fill(&r.Confidence, 0.99)
	fill(&r.Least, 0.01)
	fill(&r.Seek, 3*r.Least)
	fill(&r.Power, 0.9)
	fill(&r.MostThrown, 0.5)
	switch {
	case r.Samples > 0 && r.Most < r.Samples:
		return r, fmt.Errorf("%w: most is %d, and must be at least samples (%d)", ErrRule, r.Most, r.Samples)
	case r.Samples < 0 || r.Most < r.Samples || r.Seeds < 0:
		return r, fmt.Errorf("%w: samples %d, most %d, seeds %d", ErrRule, r.Samples, r.Most, r.Seeds)
	case !between(r.Confidence, 0.5, 1) || !between(r.Power, 0.5, 1) || !between(r.MostThrown, 0, 1):
		return r, fmt.Errorf("%w: confidence %v and power %v are to be between 0.5 and 1, most-thrown %v between 0 and 1",
			ErrRule, r.Confidence, r.Power, r.MostThrown)
	case !between(r.Least, 0, 1) || !(r.Seek > r.Least) || r.Seek > 10:
		return r, fmt.Errorf("%w: least %v is to be between 0 and 1, and seek %v above it: a difference that is just the least worth having is seen as less half of the time",
			ErrRule, r.Least, r.Seek)
	}
	if first := r.looks()[0]; first.critical == 0 || first.twinCritical == 0 {
		return r, fmt.Errorf("%w: %d samples are too few to be sure by %v: it takes %d of each arm", ErrRule, r.Samples, r.Confidence, r.fewest())
	}
	return r, nil
}

// fewest is the least number of samples at which the first look can be as sure as is asked
// for, also where others share the chance of error.
func (r Rule) fewest() int {
	r.Confidence = min(1-(1-r.Confidence)/float64(max(1, r.Among)), surest)
	for n := r.Samples; ; n += pairsARound {
		r.Samples, r.Most = n, max(r.Most, n)
		if first := r.looks()[0]; first.critical > 0 && first.twinCritical > 0 {
			return n
		}
	}
}

// surest is the confidence beyond which a float64 tells no chance of error any more.
const surest = 1 - 1e-14

// among is the rule for each of so many metrics, of as many comparisons. Each has an equal
// part of the chance of error (Bonferroni): metrics of one run hang together, nobody knows
// how, and so do arms beside one base. Holm's steps would give the first of them no wider an
// interval than this, and need all to be asked at one time, which looks are not. A first look
// that has too few samples to be so sure waits for those that it takes.
func (r Rule) among(metrics int) (Rule, error) {
	r, err := r.Filled()
	parts := metrics * max(1, r.Among)
	if err != nil || parts == 1 {
		return r, err
	}
	r.Confidence = min(1-(1-r.Confidence)/float64(parts), surest)
	for r.looks()[0].critical == 0 {
		r.Samples += pairsARound
		r.Most = max(r.Most, r.Samples)
	}
	return r, nil
}

func fill[N int | float64](v *N, standard N) {
	if *v == 0 {
		*v = standard
	}
}

// between is false for what is no number.
func between(v, low, high float64) bool { return v > low && v < high }

// look is a number of rounds after which the judge looks.
type look struct {
	number       int // from 1
	rounds       int
	critical     int     // of the pairs
	twinCritical int     // of the twins, for the floor
	twinSure     int     // of the twins, to be sure that they differ: surer by far, since that can end a session
	z            float64 // half the width of the pairs' interval, in standard errors
}

// growth from look to look. Fewer looks waste samples beyond what was needed, and
// more of them leave each less of the chance of error.
const growth = 1.6

// twinDoubt is the chance that the control is further from its twin than the floor.
const twinDoubt = 0.05

// looks are those of a filled rule, in order. The last is at Most.
func (r Rule) looks() []look {
	first, last := roundsOf(r.Samples), roundsOf(r.Most)
	steps := math.Ceil(math.Log(float64(last)/float64(first)) / math.Log(growth))
	doubt := (1 - r.Confidence) / (steps + 1)
	var all []look
	for i := range int(steps) + 1 {
		n := float64(first)
		if steps > 0 {
			n *= math.Pow(float64(last)/float64(first), float64(i)/steps)
		}
		rounds := int(math.Round(n))
		all = append(all, look{i + 1, rounds,
			critical(pairsARound*rounds, doubt), critical(rounds, twinDoubt), critical(rounds, doubt/20), quantile(1 - doubt/2)})
	}
	return all
}

// pairsARound is also how many samples of each arm a round has.
const pairsARound = Slots / 2

// roundsOf is the rounds that give so many samples of each arm.
func roundsOf(samples int) int { return max(1, (samples+pairsARound-1)/pairsARound) }
