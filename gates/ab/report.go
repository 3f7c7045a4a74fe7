package ab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/ab/judge"
)

// Report is what came of a comparison. Its JSON form is printed by --json; fields are
// only ever added.
type Report struct {
	ID      string           `json:"id"`
	Gate    string           `json:"gate"`
	Profile string           `json:"profile,omitempty"`
	Lane    string           `json:"lane"`
	Arms    []ArmSum         `json:"arms"` // the first is the base
	AA      bool             `json:"aa,omitempty"`
	Started time.Time        `json:"started"`
	Seconds float64          `json:"seconds"`
	Rule    Rule             `json:"rule"`
	Metrics []Metric         `json:"metrics,omitempty"`
	Lacking []string         `json:"lacking,omitempty"` // qualities of [bank] that the gate does not print
	Judged  judge.Comparison `json:"judged"`            // nothing where there are several arms
	Each    []*Report        `json:"each,omitempty"`    // then: each beside the base
	Thrown  map[string]int   `json:"thrown,omitempty"`  // by why
	Rounds  int              `json:"rounds"`            // that were begun
	Steps   int              `json:"steps,omitempty"`   // the fewest numbers that a value of a time is the median of
	Seeds   int              `json:"seeds"`             // that differ
	Shared  bool             `json:"shared,omitempty"`  // somebody else was on the card in some samples that count
	Uneven  bool             `json:"uneven,omitempty"`  // of several arms: the base's runs find more of what runs leave
	Card    string           `json:"card,omitempty"`
	Driver  string           `json:"driver,omitempty"`
	Again   string           `json:"again,omitempty"` // the decision that was looked at again
	Marks   []string         `json:"marks,omitempty"`
	Next    []string         `json:"next,omitempty"`
	End     End              `json:"end"`
	Owed    *gates.Owed      `json:"owed,omitempty"`
	Exit    int              `json:"exit"`
}

// ArmSum is an arm in a report.
type ArmSum struct {
	Arm
	Spec string `json:"spec"`
	At   string `json:"at,omitempty"`   // the commit it was built of
	Tree string `json:"tree,omitempty"` // id of all that was in it
	Own  bool   `json:"own-changes"`    // there was more in it than that commit and its edits
}

// ended says how it ended.
func (r *Report) ended(e End, next ...string) {
	if r.End.State != "" {
		return // the first reason is the one
	}
	r.End = e
	for _, text := range next {
		if !slices.Contains(r.Next, text) {
			r.Next = append(r.Next, text)
		}
	}
}

func (r *Report) mark(text string) {
	if !slices.Contains(r.Marks, text) {
		r.Marks = append(r.Marks, text)
	}
}

// sum fills in what the journal says.
func (s *session) sum() {
	r, l := s.report, s.log()
	r.fill(l)
	r.Seconds = time.Since(l.Started).Seconds()
	if r.End.State != "" || len(l.Samples) == 0 {
		return
	}
	if l.Several() {
		s.sumSeveral()
		return
	}
	if s.judged(r, l) {
		r.ended(End{State: Answered, Why: string(r.Judged.Verdict)})
		if r.Judged.Verdict == judge.CannotSay {
			r.Exit = gates.Broken.ExitCode()
		}
	}
}

// sumSeveral puts the answers of several arms together.
func (s *session) sumSeveral() {
	r, l := s.report, s.log()
	var words []string
	for _, arm := range l.Others() {
		log := l.Beside(arm)
		one := &Report{}
		one.fill(&log)
		if !s.judged(one, &log) {
			return
		}
		one.End = End{State: Answered, Why: string(one.Judged.Verdict)}
		words = append(words, arm+": "+one.End.Why)
		if one.Judged.Verdict == judge.CannotSay {
			r.Exit = gates.Broken.ExitCode()
		}
		r.Each = append(r.Each, one)
	}
	r.ended(End{State: Answered, Why: strings.Join(words, "; ")})
}

// judged has the judge answer for a comparison of two arms, and says what to do then. It
// is false where it was cut short by an error, which is said.
func (s *session) judged(r *Report, l *Log) bool {
	c, err := compareLog(*l)
	if err != nil {
		return false
	}
	r.Judged = c
	if c.More > 0 {
		return false
	}
	next := r.nextOf(c)
	why := unmet(r, s.o.Bank, s.o.Gate, l, time.Now())
	switch {
	case r.AA || s.o.Books != "" || len(why) == 0: // a gate does not ask
	case c.Verdict == judge.Win:
		next = []string{"it cannot be banked as it is: " + strings.Join(why, "; ") + ": mend that, and compare again"}
	default:
		for _, text := range Foreseen(r, s.o.Bank) {
			r.mark("it could not be banked: " + text)
		}
	}
	r.unreadMark()
	if s.o.Books == "" {
		if err := OtherAnswers(s.o.State, r, *l); err != nil {
			s.o.Note("whether these arms were compared before is not known: " + err.Error())
		}
	}
	for _, text := range next {
		if !slices.Contains(r.Next, text) {
			r.Next = append(r.Next, text)
		}
	}
	return true
}

// fill takes what a journal says.
func (r *Report) fill(l *Log) {
	r.ID, r.Gate, r.Profile, r.Lane, r.AA, r.Started, r.Rule = l.ID, l.Gate, l.Profile, l.Lane, l.AA, l.Started, l.Rule
	r.Metrics, r.Lacking, r.Again = l.Metrics, l.Lacking, l.Again
	r.Arms = nil
	for _, a := range l.Arms {
		sum := ArmSum{Arm: a, Spec: a.Spec()}
		if b := l.built(a.Name, false); b != nil {
			sum.At, sum.Tree, sum.Own = b.Commit, b.Tree, !b.Clean
			r.Card, r.Driver = cmp.Or(r.Card, b.Card), cmp.Or(r.Driver, b.Driver)
		}
		r.Arms = append(r.Arms, sum)
	}
	r.count(l)
	for _, m := range l.Marks {
		r.mark(m.Text)
		r.Uneven = r.Uneven || m.Uneven && l.Rule.Among > 0 // the base is run for the other arms, too
	}
	r.slowedMarks(l)
	if len(r.Lacking) > 0 {
		r.mark(fmt.Sprintf("the gate prints no %s (quality in [bank]): whether the arm loses that was not looked at", strings.Join(r.Lacking, ", ")))
	}
}

// count counts the samples.
func (r *Report) count(l *Log) {
	seeds := make(map[uint64]bool)
	r.Thrown, r.Rounds, r.Steps, r.Shared = nil, 0, 0, false
	for _, x := range l.Samples {
		r.Rounds = max(r.Rounds, x.Round+1)
		if x.Thrown != "" {
			if r.Thrown == nil {
				r.Thrown = make(map[string]int)
			}
			r.Thrown[x.Thrown]++
			continue
		}
		seeds[x.Seed] = true
		r.Shared = r.Shared || x.Shared
		for _, m := range l.Metrics {
			if n := x.Steps[m.Name]; m.Time && (r.Steps == 0 || n < r.Steps) {
				r.Steps = n
			}
		}
	}
	r.Seeds = len(seeds)
}

// nextOf is what to do about an answer.
func (r *Report) nextOf(c judge.Comparison) []string {
	arm := r.Arms[1].Name
	switch c.Verdict {
	case judge.Win:
		if r.AA {
			return []string{"an arm that wins over itself says that these times are not to be trusted: see gpuci pressure"}
		}
		of := ""
		if r.Rule.Among > 0 {
			of = " --arm " + arm
		}
		return []string{"gpuci ab bank " + r.ID + of + " --why TEXT writes the decision down"}
	case judge.WinLosesQuality:
		return []string{"it is faster and worse at what it is for: mend the quality, or bank it with --why"}
	case judge.Tie:
		if r.AA {
			return nil
		}
		if r.timed() {
			return []string{"no faster: arm " + arm + " is a candidate for deletion if speed is all it is for"}
		}
		return []string{"no better: arm " + arm + " is a candidate for deletion if this is all it is for"}
	case judge.Worse:
		return []string{"keep " + r.Arms[0].Name}
	}
	for _, x := range c.Answers {
		if x.Coarse {
			return []string{"print " + x.Metric.Name + " with more digits, of a clock that has them, or let one run do more of what is timed"}
		}
	}
	return []string{"let one run do more of what is timed, compare on a quieter machine, or raise samples and most in [bank]"}
}

// ReportOf is what a journal says of a comparison, whoever ended it.
func ReportOf(l Log) *Report {
	r := &Report{}
	r.fill(&l)
	if l.End != nil {
		r.End = *l.End
		r.Seconds = l.End.At.Sub(l.Started).Seconds()
	}
	if len(l.Samples) == 0 {
		return r
	}
	if l.Several() {
		for _, arm := range l.Others() {
			r.Each = append(r.Each, ReportOf(l.Beside(arm)))
		}
		return r
	}
	if c, err := compareLog(l); err == nil {
		r.Judged = c
		r.unreadMark()
	}
	return r
}
