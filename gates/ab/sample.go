package ab

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/ab/judge"
)

// retakes is how often a place of the plan is taken again when its run does not count.
// What lasts longer than that is not over in a moment: the round is left incomplete.
const retakes = 5

// told is how often somebody who watches is told how far it is.
const toldEvery = 10 * time.Second

// sampleAll takes rounds until the judge has an answer, or none can be had.
func (s *session) sampleAll(ctx context.Context) error {
	for n, ask := s.nextRound(), 0; ; n++ {
		if n >= ask {
			c, err := s.compare()
			if err != nil {
				return s.unusable(err)
			}
			if c.More == 0 {
				return nil
			}
			ask = n + c.More
			s.tell(n, ask)
		}
		if on, err := s.round(ctx, n); err != nil || !on {
			return err
		}
		s.tell(n+1, ask)
	}
}

// nextRound is the first behind the last one that is complete.
func (s *session) nextRound() int {
	taken := make(map[int]int)
	n := 0
	for _, x := range s.log().Samples {
		if x.Thrown != "" {
			continue
		}
		if taken[x.Round]++; taken[x.Round] == judge.Slots {
			n = max(n, x.Round+1)
		}
	}
	return n
}

// round takes those runs of a round that it does not have yet.
func (s *session) round(ctx context.Context, n int) (on bool, err error) {
	for _, p := range s.log().Plan.Round(n) {
		if slices.ContainsFunc(s.log().Samples, func(x Sample) bool { return x.Place == p && x.Thrown == "" }) {
			continue
		}
		got := false
		for range retakes {
			if got, on, err = s.take(ctx, p); err != nil || !on || got {
				break
			}
		}
		if err != nil || !on {
			return false, err
		}
		if !got {
			return true, nil // the round is left out, and counted
		}
	}
	return true, nil
}

// take takes one run. got is whether it counts, on whether the way goes on.
func (s *session) take(ctx context.Context, p judge.Place) (got, on bool, err error) {
	d := s.side(p)
	g, err := s.checked(d)
	if err != nil {
		return false, false, err
	}
	began := time.Now()
	v, err := s.run(ctx, d, sampled(g), "sample of arm "+d.label(), p.Seed, true)
	if err != nil || ctx.Err() != nil {
		return false, false, err
	}
	x := Sample{Sample: judge.Sample{Place: p, At: began}, Run: v.Run, Wall: timesOf(v)[Wall]}
	x.Shared = v.Card != nil && len(v.Card.Shared)+len(v.Card.Came) > 0
	x.Thrown, x.Why = s.disturbed(v)
	if x.Thrown == "" && !s.right(d, v, fmt.Sprintf(" in round %d", p.Round+1)) {
		return false, false, nil
	}
	if x.Thrown == "" {
		if why := s.values(&x, v); why != "" {
			s.report.Exit = gates.Broken.ExitCode()
			s.report.ended(End{State: Failed, Why: fmt.Sprintf("arm %s, round %d: %s", d.label(), p.Round+1, why)}, "let it print its numbers in each run: read "+v.Log)
			return false, false, nil
		}
	}
	if err := s.journal.add(line{Sample: &x}); err != nil {
		return false, false, err
	}
	_ = os.RemoveAll(v.Dir) // what it gave is in the journal
	return x.Thrown == "", true, nil
}

// disturbed says why a run's times are not its own, "" where nothing says so.
func (s *session) disturbed(v gates.Verdict) (thrown, why string) {
	if v.Outcome == gates.Refused && v.Owed != nil {
		switch v.Owed.Why {
		case gates.OweContended:
			return Contended, v.Owed.Detail
		case gates.OweBox:
			return Stalled, v.Owed.Detail
		}
		return "", ""
	}
	if !slices.ContainsFunc(s.log().Metrics, func(m Metric) bool { return m.Time }) {
		return "", ""
	}
	if v.Card != nil {
		for _, c := range v.Card.Cards {
			if len(c.Throttle) > 0 {
				return Throttled, strings.Join(c.Throttle, ", ") + " on " + c.Card.Label()
			}
		}
	}
	if why := v.Beside.Stalled(); why != "" {
		return Stalled, why
	}
	return "", ""
}

// values reads the metrics of a run.
func (s *session) values(x *Sample, v gates.Verdict) (why string) {
	printed, err := readNumbers(v.Dir)
	if err != nil {
		return err.Error()
	}
	x.Values, x.Steps = make(map[string]float64), make(map[string]int)
	for _, m := range s.log().Metrics {
		r, err := m.read(printed, timesOf(v), s.log().Rule.Warm)
		if err != nil {
			return err.Error()
		}
		if r.value < 0 {
			return fmt.Sprintf("%s is %g, and arms are compared by their ratio: print a number that is never below 0", m.Name, r.value)
		}
		x.Values[m.Name], x.Steps[m.Name] = r.value, r.steps
	}
	return ""
}

// compare asks the judge.
func (s *session) compare() (judge.Comparison, error) {
	return compareLog(s.log())
}

func compareLog(l *Log) (judge.Comparison, error) {
	var metrics []judge.Metric
	for _, m := range l.Metrics {
		metrics = append(metrics, m.Metric)
	}
	return judge.Compare(l.Taken(), metrics, l.Rule.Rule)
}

// unusable is for numbers that the judge cannot use.
func (s *session) unusable(err error) error {
	s.report.Exit = gates.Broken.ExitCode()
	s.report.ended(End{State: Failed, Why: err.Error()}, "name another metric by --metric")
	return nil
}

// tell says how far it is, now and then.
func (s *session) tell(rounds, ask int) {
	if time.Since(s.told) < toldEvery {
		return
	}
	s.told = time.Now()
	thrown := 0
	for _, x := range s.log().Samples {
		if x.Thrown != "" {
			thrown++
		}
	}
	text := fmt.Sprintf("round %d of %d before it is looked at again", rounds, ask)
	if thrown > 0 {
		text += fmt.Sprintf("; thrown out %d", thrown)
	}
	s.o.Note(text)
}
