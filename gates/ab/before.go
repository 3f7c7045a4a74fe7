package ab

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/gates/ab/judge"
)

// otherAnswers marks a win of arms that were compared before, or since, and not found to be
// one: who asks until it is a win has more than the chance of error that one answer has. l
// is its journal, of one arm and the base; logs are all comparisons.
func (r *Report) otherAnswers(l Log, logs []Log) {
	lead, ok := r.Lead()
	if !ok || r.AA || r.Judged.Verdict != judge.Win {
		return
	}
	var others []string
	total := 1
	for _, o := range logs {
		if o.ID == l.ID || o.Gate != l.Gate || o.Settings != l.Settings || o.End == nil || o.End.State != Answered {
			continue
		}
		for _, arm := range o.Others() {
			verdict, same := o.Beside(arm).answeredAs(l, lead.Metric)
			if !same {
				continue
			}
			if total++; verdict != judge.Win {
				others = append(others, fmt.Sprintf("%s in %s", verdict, o.ID))
			}
		}
	}
	const few = 5
	if n := len(others); n > few {
		others = append(others[:few], fmt.Sprintf("%d more", n-few))
	}
	if len(others) > 0 {
		r.mark(fmt.Sprintf("these arms have %d answers by %s, and not all are a win (%s): who takes the best of several has more than the chance of error of one", total, lead.Metric.Name, strings.Join(others, ", ")))
	}
}

// answeredAs is what a comparison of two arms says of those of another one, by the same
// metric and the same least effect.
func (l Log) answeredAs(other Log, metric judge.Metric) (v judge.Verdict, same bool) {
	if len(l.Arms) != 2 || !slices.Equal(l.made(), other.made()) || slices.Contains(l.made(), "") {
		return "", false
	}
	r := ReportOf(l)
	lead, ok := r.Lead()
	return r.Judged.Verdict, ok && lead.Metric == metric && l.Rule.Least == other.Rule.Least
}

// made says of each arm of what it was made, "" where that is not known.
func (l Log) made() (list []string) {
	for _, a := range l.Arms {
		text := ""
		if b := l.built(a.Name, false); b != nil && b.Tree != "" {
			text = fmt.Sprintf("%q %q %q", b.Tree, slices.Sorted(slices.Values(a.Env)), a.Args)
		}
		list = append(list, text)
	}
	return list
}

// OtherAnswers marks in a report of a journal what others say of the same arms.
func OtherAnswers(state string, r *Report, l Log) error {
	logs, err := Logs(state)
	if err == nil {
		r.otherAnswers(l, logs)
	}
	return err
}
