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

// sampleAll takes rounds until the judge has an answer of each arm, or none can be had.
// The arms take turns, round by round.
func (s *session) sampleAll(ctx context.Context) error {
	turns := s.turns()
	began, taken := time.Now(), 0
	for {
		for _, t := range turns {
			if err := s.ask(t); err != nil {
				return s.unusable(err)
			}
		}
		if !slices.ContainsFunc(turns, func(t *turn) bool { return !t.over }) {
			return nil
		}
		for _, t := range turns {
			if t.over {
				continue
			}
			s.tell(turns, time.Since(began), taken)
			if on, err := s.round(ctx, t); err != nil || !on {
				return err
			}
			t.next++
			taken++
		}
	}
}

// ask asks the judge of an arm, where it is time to.
func (s *session) ask(t *turn) error {
	if t.over || t.next < t.ask {
		return nil
	}
	c, err := compareLog(s.log().Beside(t.arm))
	t.ask, t.over = t.next+c.More, c.More == 0
	return err
}

// round takes those runs of a round that it does not have yet.
func (s *session) round(ctx context.Context, t *turn) (on bool, err error) {
	for _, p := range t.plan.Round(t.next) {
		if s.has(t, p) {
			continue
		}
		got := false
		for range retakes {
			if got, on, err = s.take(ctx, t, p); err != nil || !on || got {
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
func (s *session) take(ctx context.Context, t *turn, p judge.Place) (got, on bool, err error) {
	d := s.side(t.plan, p)
	g, err := s.checked(d)
	if err != nil {
		return false, false, err
	}
	began := time.Now()
	v, err := s.run(ctx, d, sampled(g), "sample of arm "+d.label(), p.Seed, true)
	if err != nil || ctx.Err() != nil {
		return false, false, err
	}
	x := Sample{Sample: judge.Sample{Place: p, At: began}, Of: s.owner(t), Run: v.Run, Wall: timesOf(v)[Wall]}
	x.Shared = v.Card != nil && len(v.Card.Shared)+len(v.Card.Came) > 0
	x.Slowed, _ = s.log().slowed(v)
	x.Thrown, x.Why = s.disturbed(v)
	if x.Thrown == "" && !s.right(d, v, fmt.Sprintf(" in round %d", p.Round+1)) {
		return false, false, nil
	}
	if why := otherProduct(d, v); why != "" {
		s.report.Exit = gates.Broken.ExitCode()
		s.report.ended(End{State: Failed, Why: fmt.Sprintf("arm %s, round %d: %s", d.label(), p.Round+1, why)}, "let the gate build inside of its lane, and nobody else build there")
		return false, false, nil
	}
	if x.Thrown == "" {
		if why := s.values(&x, v); why != "" {
			s.report.Exit = gates.Broken.ExitCode()
			s.report.ended(End{State: Failed, Why: fmt.Sprintf("arm %s, round %d: %s", d.label(), p.Round+1, why)}, "let each run print it, with the base's unit and above 0, or name another by --metric or --quality: read "+v.Log)
			return false, false, nil
		}
	}
	if err := s.journal.add(line{Sample: &x}); err != nil {
		return false, false, err
	}
	_ = os.RemoveAll(v.Dir) // what it gave is in the journal
	on, err = s.putBack(ctx, d)
	return x.Thrown == "", on, err
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
	if _, came := s.log().slowed(v); len(came) > 0 {
		return Throttled, strings.Join(came, ", ")
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
		if r.value < 0 || r.value == 0 && !m.Quality {
			return fmt.Sprintf("%s is %g, and arms are compared by their ratio: print a number that is above 0", m.Name, r.value)
		}
		x.Values[m.Name], x.Steps[m.Name] = r.value, r.steps
	}
	return ""
}

// compareLog asks the judge of a comparison of two arms.
func compareLog(l Log) (judge.Comparison, error) {
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

// tell says how far it is, now and then; taken rounds took so long.
func (s *session) tell(turns []*turn, took time.Duration, taken int) {
	if time.Since(s.told) < toldEvery {
		return
	}
	s.told = time.Now()
	s.o.Note(tellText(turns, s.log().Samples, took, taken))
}

func tellText(turns []*turn, samples []Sample, took time.Duration, taken int) string {
	var parts []string
	for _, t := range turns {
		if t.over {
			continue
		}
		text := fmt.Sprintf("round %d of %d before it is looked at again", min(t.next+1, t.ask), t.ask)
		if len(turns) > 1 {
			text = "arm " + t.arm + ": " + text
		}
		parts = append(parts, text)
	}
	if taken > 0 {
		parts = append(parts, fmt.Sprintf("in about %s", (took/time.Duration(taken)*time.Duration(left(turns))).Round(time.Second)))
	}
	thrown := 0
	for _, x := range samples {
		if x.Thrown != "" {
			thrown++
		}
	}
	if thrown > 0 {
		parts = append(parts, fmt.Sprintf("thrown out %d", thrown))
	}
	return strings.Join(parts, "; ")
}
