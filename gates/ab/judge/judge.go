package judge

import "fmt"

// Judge answers for one metric. It depends on the samples alone and not on how
// often it was asked: see the package's doc on looks. The error is an ErrSample
// for a value that is no number of the metric or a sample that is not of the plan,
// and an ErrRule.
func Judge(s Session, m Metric, r Rule) (Answer, error) {
	r, err := m.rule(r)
	if err != nil {
		return Answer{}, fmt.Errorf("judge %s: %w", m.Name, err)
	}
	rounds, left, err := s.rounds()
	if err != nil {
		return Answer{}, fmt.Errorf("judge %s: %w", m.Name, err)
	}
	if err := m.check(rounds); err != nil {
		return Answer{}, fmt.Errorf("judge %s: %w", m.Name, err)
	}
	a, err := judge(s, m, r, rounds)
	if err != nil {
		return Answer{}, fmt.Errorf("judge %s: %w", m.Name, err)
	}
	a.Left = left
	return a, nil
}

// judge goes through the looks that the rounds reach, up to the first that decides.
func judge(s Session, m Metric, r Rule, rounds []round) (Answer, error) {
	looks := r.looks()
	a := Answer{Metric: m, Verdict: CannotSay, Looks: len(looks)}
	a.Thrown, _ = s.thrown()
	if len(rounds) < looks[0].rounds {
		return a.early(s, m, r, rounds)
	}
	var e evidence
	for _, at := range looks {
		if at.rounds > len(rounds) {
			break
		}
		var err error
		if e, err = gather(s.Plan, m, r, at, rounds); err != nil {
			return a, err
		}
		if v, decided := e.decide(); decided {
			a.Verdict = v
			break
		}
	}
	a.fill(e)
	a.conclude(s, e, looks, len(rounds))
	return a, nil
}

// early is the answer before the first look. It has the arms and nothing of their
// difference, which would be read as an answer.
func (a Answer) early(s Session, m Metric, r Rule, rounds []round) (Answer, error) {
	if len(rounds) > 0 {
		got, err := m.read(s.Plan, rounds)
		if err != nil {
			return a, err
		}
		a.Control, a.Arm = summarize(got.control), summarize(got.arm)
	}
	a.Rounds, a.Pairs = len(rounds), pairsARound*len(rounds)
	a.More = pairsARound * (r.looks()[0].rounds - len(rounds))
	a.Why = fmt.Sprintf("%d of each arm are too few: the rule has %d", a.Pairs, r.Samples)
	a.next = a.More / pairsARound
	a.unfit(s, r)
	return a, nil
}

// unfit is whether so many runs were thrown out that the others say nothing: what
// the machine did to those is done to all. The first few are no reason: a burst may
// have met the session's begin.
func (a *Answer) unfit(s Session, r Rule) bool {
	out, in := len(s.Thrown), len(s.Samples)
	if float64(out) <= r.MostThrown*float64(out+in) || out < r.Samples {
		return false
	}
	a.Verdict, a.More, a.next = CannotSay, 0, 0
	a.Why = fmt.Sprintf("%d of %d runs were thrown out (%s): the machine is not fit to compare on", out, out+in, listed(a.Thrown))
	return true
}

// fill writes down what a look showed.
func (a *Answer) fill(e evidence) {
	part := e.readings.scale.part
	a.Ratio, a.Interval = 1+part(e.pairs.centre), Interval{part(e.pairs.low), part(e.pairs.high)}
	a.Twin, a.TwinIn = 1+part(e.twins.centre), Interval{part(e.twins.low), part(e.twins.high)}
	a.Floor, a.Visible = part(e.floor), part(e.visibleAt(e.at))
	a.Control, a.Arm = summarize(e.readings.control), summarize(e.readings.arm)
	a.Step = e.readings.step
	a.Rounds, a.Pairs, a.Look = e.at.rounds, len(e.readings.pairs), e.at.number
}

// conclude says what the verdict means, and of one that is none what it would take.
func (a *Answer) conclude(s Session, e evidence, looks []look, have int) {
	if a.unfit(s, e.rule) {
		return
	}
	a.Notes = e.notes(s)
	a.Lopsided = lopsided(s.thrownOf())
	if a.Verdict != CannotSay {
		a.Why = e.decided(a.Verdict)
		return
	}
	if a.Coarse = e.coarse(); a.Coarse {
		a.Why = e.tooCoarse()
		return
	}
	need, enough := e.need(looks)
	a.More = max(1, pairsARound*(need-have))
	a.TooMany = !enough && !e.hopeful(looks)
	a.Why = e.undecided(*a)
	if later := looks[e.at.number:]; len(later) > 0 && !a.TooMany {
		a.next = later[0].rounds - have
	}
}
