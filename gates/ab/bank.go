package ab

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
	"gpuci/gates/history"
)

// Unmet says which rules of banking an answer does not meet; none is left for one that
// may be banked. g is the gate as it is now, and l the journal, of these two arms.
func Unmet(r *Report, b config.Bank, g config.Gate, l Log, now time.Time) (why []string) {
	if r.End.State != Answered || len(r.Judged.Answers) == 0 {
		return []string{"it has no answer"}
	}
	return unmet(r, b, g, &l, now)
}

// unmet is the same of an answer that is not written down yet.
func unmet(r *Report, b config.Bank, g config.Gate, l *Log, now time.Time) (why []string) {
	no := func(bad bool, format string, args ...any) {
		if bad {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	lead, _ := r.Lead()
	no(r.Judged.Verdict == judge.CannotSay, "it cannot be said which arm is better")
	least := min(lead.Control.Samples, lead.Arm.Samples)
	no(least < b.Samples, "%d samples of an arm are fewer than %d (samples)", least, b.Samples)
	no(r.Seeds < b.Seeds, "%d different seeds are fewer than %d (seeds)", r.Seeds, b.Seeds)
	no(r.Steps > 0 && r.Steps < b.Steps, "a sample's time is of %d numbers, and not of %d (steps)", r.Steps, b.Steps)
	no(b.Quiet && r.Shared, "somebody else was on the card (quiet)")
	no(lead.Lopsided, "far more runs of one arm were thrown out than of the other (gpuci ab show has how many): what is left of them may not be alike")
	no(r.Uneven, "the base was run for the other arms as well, and runs find what those before them left: compare the two alone")
	no(now.Sub(r.Started) > b.Age, "it is older than %s (age)", daysText(b.Age))
	no(!sameSettings(l.settings(), g, l.Arms), "the settings of gate %s are not what they were (gpuci ab list --help has which count): change them first, then compare", g.Name)
	return append(why, Foreseen(r, b)...)
}

// Foreseen are those of the rules that no samples mend: they are told before any is taken.
func Foreseen(r *Report, b config.Bank) (why []string) {
	no := func(bad bool, format string, args ...any) {
		if bad {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	no(r.AA, "its arms are one")
	no(r.Rule.Warm < b.Warm, "the first %d numbers of a run were left out, and not %d (warm)", r.Rule.Warm, b.Warm)
	no(r.Rule.Confidence < b.Confidence, "it is sure by %v, and not by %v (confidence)", r.Rule.Confidence, b.Confidence)
	no(r.Rule.Least < b.Least, "differences of %v count in it, and %v is the least that does (least-effect)", r.Rule.Least, b.Least)
	no(r.Rule.MostThrown > b.MostThrown, "more runs may be thrown out in it than %v of all (most-thrown)", b.MostThrown)
	had := fmt.Sprintf("its gate is of profile %q", r.Profile)
	if r.Profile == "" {
		had = "its gate names no profile"
	}
	no(r.timed() && r.Profile != b.Profile, "%s, and not %q: profile = %[2]q in [[gate]] says what it builds (profile)", had, b.Profile)
	for _, q := range b.Quality {
		why = append(why, r.unlooked(q, b.Least)...)
	}
	for _, a := range r.Arms {
		no(a.Own, "arm %s has changes that are in no commit (git status has them): nobody could look at it again", a.Name)
	}
	return why
}

// unlooked says that a report does not look at a quality of [bank] as is asked there.
func (r *Report) unlooked(quality string, least float64) []string {
	w, err := ParseWanted(quality, true)
	if err != nil {
		return []string{err.Error()}
	}
	w.Least = cmp.Or(w.Least, least)
	if slices.Contains(r.Lacking, w.Name) { // it is for gates that print it
		return nil
	}
	seen := false
	for _, m := range r.Metrics {
		if !m.Quality || m.Name != w.Name && !strings.HasPrefix(m.Name, w.Name+" ") {
			continue
		}
		seen = true
		if had := cmp.Or(m.Least, r.Rule.Least); had > w.Least {
			return []string{fmt.Sprintf("a loss of %s below %v counts for nothing in it, and %v is the most that may (quality)", m.Name, had, w.Least)}
		}
	}
	if !seen {
		return []string{fmt.Sprintf("it does not look at %s (quality)", w.Name)}
	}
	return nil
}

// Lead is the answer for the metric that leads.
func (r *Report) Lead() (judge.Answer, bool) {
	for _, x := range r.Judged.Answers {
		if !x.Metric.Quality {
			return x, true
		}
	}
	return judge.Answer{}, false
}

func (r *Report) timed() bool {
	return slices.ContainsFunc(r.Metrics, func(m Metric) bool { return m.Time })
}

// Decide makes a decision of an answer. l is its journal.
func Decide(r *Report, l Log, who, why string, flags []string, rules string, version string) (history.Decision, error) {
	lead, _ := r.Lead()
	evidence, err := json.Marshal(r)
	if err != nil {
		return history.Decision{}, fmt.Errorf("write down evidence: %w", err)
	}
	d := history.Decision{
		ID: r.ID, Gate: r.Gate, Lane: r.Lane, At: time.Now(), Taken: r.Started, Who: who, Why: why, Again: r.Again, Verdict: string(r.Judged.Verdict),
		Metric: lead.Metric.Name, Unit: lead.Metric.Unit, Control: lead.Control.Median, Change: lead.Ratio - 1,
		Low: lead.Interval.Low, High: lead.Interval.High, Floor: lead.Floor, Samples: min(lead.Control.Samples, lead.Arm.Samples),
		Flags: flags, Settings: l.settings(), Rules: rules, Profile: r.Profile, Card: r.Card, Driver: r.Driver, Host: l.Host, Gpuci: version,
		Evidence: evidence,
	}
	for i, into := range []*history.DecidedArm{&d.Base, &d.Arm} {
		a := r.Arms[i]
		body, err := json.Marshal(a.Arm)
		if err != nil {
			return d, fmt.Errorf("write down arm %s: %w", a.Name, err)
		}
		*into = history.DecidedArm{Name: a.Name, Spec: a.Spec, Commit: a.At, Tree: a.Tree, Body: body}
	}
	if b := l.built(d.Arm.Name, false); b != nil {
		d.Reads = b.Reads
	}
	return d, nil
}

// ArmsOf are the arms of a decision, as they were written.
func ArmsOf(d history.Decision) (arms []Arm, err error) {
	for _, x := range []history.DecidedArm{d.Base, d.Arm} {
		var a Arm
		if err := json.Unmarshal(x.Body, &a); err != nil {
			return nil, fmt.Errorf("read arm %s of decision %s: %w", x.Name, d.ID, err)
		}
		arms = append(arms, a)
	}
	return arms, nil
}

// WantedOf are the metrics that a decision was made by.
func WantedOf(d history.Decision) (out []Wanted, err error) {
	var r Report
	if err := json.Unmarshal(d.Evidence, &r); err != nil {
		return nil, fmt.Errorf("read evidence of decision %s: %w", d.ID, err)
	}
	for _, m := range r.Metrics {
		out = append(out, Wanted{Name: m.Name, Better: m.Better, Quality: m.Quality, Least: m.Least})
	}
	return out, nil
}

// daysText is a length of time in days, where it is some.
func daysText(d time.Duration) string {
	if days := d.Hours() / 24; days >= 1 {
		return fmt.Sprintf("%.0f days", days)
	}
	return d.String()
}
