package judge

import "math"

// stage is a comparison on a simulated machine.
type stage struct {
	noise  noise
	effect float64 // of the arm, on the logarithm
	twin   float64 // of the control's twin
	rule   Rule
	metric Metric                          // the zero value: simulated
	value  func(logarithm float64) float64 // nil: its exponential
	thrown func() bool                     // nil: no run is
}

var simulated = Metric{Name: "time", Unit: "s", Better: Lower}

// run takes rounds until the judge has its answer, as an engine does.
func (g stage) run(seed uint64) (Answer, Session, error) {
	s := Session{Plan: Plan{Control: "base", Arm: "new", Seed: seed}}
	if g.metric.Name == "" {
		g.metric = simulated
	}
	for {
		a, err := Judge(s, g.metric, g.rule)
		if err != nil || a.next == 0 {
			return a, s, err
		}
		for range a.next {
			g.round(&s)
		}
	}
}

// round takes the next round.
func (g stage) round(s *Session) {
	for _, place := range s.Plan.Round(len(s.Samples) / Slots) {
		for g.thrown != nil && g.thrown() {
			g.noise()
			s.Thrown = append(s.Thrown, Thrown{Place: place, Why: "stalled"})
		}
		v := g.noise()
		switch {
		case place.Arm == s.Plan.Arm:
			v += g.effect
		case place.Twin:
			v += g.twin
		}
		if v = math.Exp(v); g.value != nil {
			v = g.value(v)
		}
		name := g.metric.Name
		if name == "" {
			name = simulated.Name
		}
		s.Samples = append(s.Samples, Sample{Place: place, Values: map[string]float64{name: v}})
	}
}
