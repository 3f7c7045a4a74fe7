package gates

import (
	"fmt"
	"slices"

	"gpuci/gates/history"
)

// Beneath is the outcome that a gate's run came to by itself: attention is asked for
// on top of a green or a known red, whose numbers held or did not all the same.
func Beneath(r history.Result) Outcome {
	return beneath(Outcome(r.Outcome), slices.ContainsFunc(r.Findings, func(f history.Finding) bool { return f.Outcome == string(Red) }))
}

// Beneath is the same of a verdict.
func (v Verdict) Beneath() Outcome {
	return beneath(v.Outcome, slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Outcome == Red }))
}

func beneath(o Outcome, red bool) Outcome {
	switch {
	case o == Attention && red:
		return KnownRed
	case o == Attention:
		return Green
	}
	return o
}

// sides of an outcome, for gates that should agree.
const (
	passes = "passes"
	fails  = "fails"
)

// sideOf says whether an outcome is one that passes or one that fails; "" where the
// gate could not say.
func sideOf(r history.Result) string {
	switch Beneath(r) {
	case Red, KnownRed:
		return fails
	case Green:
		return passes
	}
	return ""
}

// sideWord is an outcome with what is beneath it, where it does not say so itself.
func sideWord(o Outcome, side string) string {
	switch {
	case o == Attention && side == passes:
		return "attention (green beneath)"
	case o == Attention:
		return "attention (known red beneath)"
	case o == "" && side == passes: // of an older gpuci
		return string(Green)
	}
	return string(o)
}

// Disagreement is two gates of one subject that say opposite things of one tree.
type Disagreement struct {
	Type     string  `json:"type"` // always "disagreement"
	Subject  string  `json:"subject"`
	Passes   string  `json:"passes"`    // a gate
	Fails    string  `json:"fails"`     // another
	PassesBy Outcome `json:"passes-by"` // its outcome: green, or attention with that beneath
	FailsBy  Outcome `json:"fails-by"`  // red, known red, or attention with that beneath
	Tree     string  `json:"tree"`
}

// disagreement holds a result against another gate of its subject.
func disagreement(subject string, r history.Result, s sibling) (d Disagreement, ok bool) {
	side, other := sideOf(r), sideOf(s.last)
	if s.apart != "" || side == "" || other == "" || side == other {
		return d, false
	}
	good, bad := r, s.last
	bad.Gate = s.gate.Name
	if side == fails {
		good, bad = bad, good
	}
	return Disagreement{
		Type: "disagreement", Subject: subject, Passes: good.Gate, Fails: bad.Gate,
		PassesBy: Outcome(good.Outcome), FailsBy: Outcome(bad.Outcome), Tree: s.last.Tree,
	}, true
}

// String names both with their outcomes.
func (d Disagreement) String() string {
	return fmt.Sprintf("%s: %s is %s, %s is %s", d.Subject, d.Passes, sideWord(d.PassesBy, passes), d.Fails, sideWord(d.FailsBy, fails))
}

// contradicted ends the mark of an outcome that another gate contradicts.
const contradicted = ", on the same tree: one of them is wrong, see gpuci scope"

func (d Disagreement) mark() string { return d.String() + contradicted }
