package judge

import (
	"errors"
	"fmt"
	"strings"
)

// Comparison is what a session says of all metrics.
type Comparison struct {
	Verdict Verdict `json:"verdict"` // of the first metric that is no quality, with what the others say
	Why     string  `json:"why"`
	// More is how many rounds to take before it is worth asking again. 0: it is
	// decided, or no number of samples that the rule has will.
	More    int      `json:"more,omitempty"`
	Answers []Answer `json:"answers"`
}

// Compare answers for all metrics, of which the first that is no quality leads. An
// arm that leads and loses by another is said to; one that is not seen to lose by a
// quality must be shown not to. The chance of error that the rule allows is that of
// all metrics together, of which each has an equal part. Errors are Judge's.
func Compare(s Session, ms []Metric, r Rule) (Comparison, error) {
	if len(ms) == 0 {
		return Comparison{}, errors.New("compare arms: there is no metric to compare by")
	}
	r, err := r.among(len(ms))
	if err != nil {
		return Comparison{}, fmt.Errorf("compare arms: %w", err)
	}
	var c Comparison
	for _, m := range ms {
		a, err := Judge(s, m, r)
		if err != nil {
			return Comparison{}, err
		}
		c.Answers = append(c.Answers, a)
	}
	c.conclude()
	if r.All {
		for _, a := range c.Answers {
			c.More = max(c.More, a.next)
		}
	}
	return c, nil
}

// conclude puts the answers together. More samples are only for the leading metric
// and for a quality that can still turn what it says.
func (c *Comparison) conclude() {
	lead, rest := c.lead()
	c.Verdict, c.More = lead.Verdict, lead.next
	why := []string{lead.Why}
	var more int
	for _, a := range rest {
		if !a.Metric.Quality && (a.Verdict == Tie || a.Verdict == CannotSay) || a.Verdict == Tie {
			continue
		}
		why = append(why, a.Why)
		if a.Metric.Quality {
			c.Verdict = with(c.Verdict, lead.Verdict, a.Verdict)
			more = max(more, a.next)
		}
	}
	if c.Verdict != Worse && c.Verdict != WinLosesQuality {
		c.More = max(c.More, more)
	}
	c.Why = strings.Join(why, "; ")
}

// with is what a quality's verdict makes of the one so far, where another leads.
func with(so, lead, quality Verdict) Verdict {
	switch {
	case quality == Worse && lead == Win:
		return WinLosesQuality
	case quality == Worse && lead == Tie:
		return Worse
	case quality == CannotSay && (so == Win || so == Tie):
		return CannotSay
	case quality == Win && so == Tie:
		return Win
	}
	return so
}

// lead is the answer that the verdict is first of all of, and the others.
func (c *Comparison) lead() (lead Answer, rest []Answer) {
	at := 0
	for i, a := range c.Answers {
		if !a.Metric.Quality {
			at = i
			break
		}
	}
	rest = append(append(rest, c.Answers[:at]...), c.Answers[at+1:]...)
	return c.Answers[at], rest
}
