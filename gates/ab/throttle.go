package ab

import (
	"fmt"
	"slices"

	"gpuci/gates"
)

// steadyWords are package device's for what can hold a card's clocks down all the time: its
// power limit, and clocks that somebody has fixed.
var steadyWords = []string{"power cap", "application clocks"}

// throttled are the reasons why the clocks of a run's cards were not higher.
func throttled(v gates.Verdict) (why []string) {
	if v.Card == nil {
		return nil
	}
	for _, c := range v.Card.Cards {
		for _, w := range c.Throttle {
			if !slices.Contains(why, w) {
				why = append(why, w)
			}
		}
	}
	return why
}

// slowed parts what held the clocks down in a run: always is what did so in the check of
// every arm, came is all else.
//
// A card that is busy enough is at its power limit whenever it works. That is what this
// program makes of this card, in all arms, and no disturbance of single runs: to throw them
// out would leave none, and an arm that needs less power is the faster for it, there as
// here. So it is with clocks that are fixed. Where one check was without it, it comes and
// goes, and the runs under it are thrown out; those always are that were held down by heat,
// which the run before has left.
func (l *Log) slowed(v gates.Verdict) (always, came []string) {
	for _, w := range throttled(v) {
		everywhere := len(l.Built) == 2*len(l.Arms) && !slices.ContainsFunc(l.Built, func(b Built) bool { return !slices.Contains(b.Throttle, w) })
		if everywhere && slices.Contains(steadyWords, w) {
			always = append(always, w)
		} else {
			came = append(came, w)
		}
	}
	return always, came
}

// slowedMarks are those of a report whose runs had their clocks held down all the time.
func (r *Report) slowedMarks(l *Log) {
	for _, w := range steadyWords {
		held, all := 0, 0
		for _, x := range l.Samples {
			if x.Thrown == "" {
				all++
			}
			if x.Thrown == "" && slices.Contains(x.Slowed, w) {
				held++
			}
		}
		if held > 0 {
			r.mark(fmt.Sprintf("clocks held down by %s in %d of %d runs, as in the check of every arm: these are times of the card as it is set; clocks fixed below its power limit (nvidia-smi -lgc) make them quieter", w, held, all))
		}
	}
}
