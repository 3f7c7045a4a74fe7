package ab

import (
	"slices"

	"gpuci/gates/ab/judge"
)

// Several says that more than one arm is held against the base. Each is by a plan of its
// own, whose rounds take turns with those of the others: what is said of an arm stands on
// the base's runs beside it, and on no other's. They share the chance of error.
func (l *Log) Several() bool { return len(l.Arms) > 2 }

// Others are the names of the arms that are held against the base.
func (l *Log) Others() (names []string) {
	for _, a := range l.Arms[1:] {
		names = append(names, a.Name)
	}
	return names
}

// seedStep is the golden ratio's part of 64 bits, by which seeds lie apart as far as may be.
const seedStep = 0x9e3779b97f4a7c15

// plan is the order in which an arm and the base beside it are run.
func (l *Log) plan(arm string) judge.Plan {
	p := l.Plan
	for i, a := range l.Arms[1:] {
		if a.Name == arm {
			p.Arm, p.Seed = arm, l.Plan.Seed+uint64(i)*seedStep
		}
	}
	return p
}

// Beside is the comparison of one arm with the base alone, as it would be read if there
// were no others. Of two arms it is the whole.
func (l *Log) Beside(arm string) Log {
	out := *l
	if !l.Several() {
		return out
	}
	out.Plan, out.Rule.Among = l.plan(arm), len(l.Arms)-1
	keep := func(name string) bool { return name == l.Arms[0].Name || name == arm }
	out.Arms, out.Built, out.Samples, out.Marks = nil, nil, nil, nil
	for _, a := range l.Arms {
		if keep(a.Name) {
			out.Arms = append(out.Arms, a)
		}
	}
	for _, b := range l.Built {
		if keep(b.Arm) {
			out.Built = append(out.Built, b)
		}
	}
	for _, m := range l.Marks {
		if m.Arm == "" || keep(m.Arm) {
			out.Marks = append(out.Marks, m)
		}
	}
	for _, x := range l.Samples {
		if x.Of == arm {
			out.Samples = append(out.Samples, x)
		}
	}
	return out
}

// turn is one arm on its way to an answer.
type turn struct {
	arm  string
	plan judge.Plan
	next int // round to take
	ask  int // round before which the judge is asked
	over bool
}

// turns are those of a session, as far as its journal has them.
func (s *session) turns() (list []*turn) {
	l := s.log()
	for _, arm := range l.Others() {
		list = append(list, &turn{arm: arm, plan: l.plan(arm), next: nextRound(l.Beside(arm))})
	}
	return list
}

// owner is what a sample says of which arm it belongs to: nothing where there is one.
func (s *session) owner(t *turn) string {
	if s.log().Several() {
		return t.arm
	}
	return ""
}

// left is how many rounds are known to be taken still, of all arms.
func left(turns []*turn) (rounds int) {
	for _, t := range turns {
		if !t.over {
			rounds += max(0, t.ask-t.next)
		}
	}
	return rounds
}

// nextRound is the first behind the last one that is complete.
func nextRound(l Log) int {
	taken := make(map[int]int)
	n := 0
	for _, x := range l.Samples {
		if x.Thrown != "" {
			continue
		}
		if taken[x.Round]++; taken[x.Round] == judge.Slots {
			n = max(n, x.Round+1)
		}
	}
	return n
}

// has says whether a place is taken.
func (s *session) has(t *turn, p judge.Place) bool {
	owner := s.owner(t)
	return slices.ContainsFunc(s.log().Samples, func(x Sample) bool { return x.Place == p && x.Of == owner && x.Thrown == "" })
}
