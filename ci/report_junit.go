package ci

import (
	"strings"

	"gpuci/gates"
	"gpuci/gates/junit"
)

// Suites are a report as JUnit has it: a suite is a lane, a case a gate. What was
// found is a failure there, what kept a gate from being judged an error, what was
// refused or not run skipped.
func (r Report) Suites() (list []junit.Suite) {
	for _, l := range r.Lanes {
		s := junit.Suite{Name: l.Lane, Host: r.Host, Started: r.Began}
		for _, p := range [][2]string{{"commit", l.Commit}, {"branch", l.Branch}, {"night", r.Night}, {"same-content-as", l.As}} {
			if p[1] != "" {
				s.Properties = append(s.Properties, p)
			}
		}
		for _, c := range l.Cells {
			s.Cases = append(s.Cases, c.junit(l.Lane))
		}
		if len(l.Cells) == 0 && l.Why != "" {
			c := junit.Case{Name: "the lane", Class: l.Lane, Outcome: junit.Skipped, Message: l.Why}
			if l.Exit != 0 {
				c.Outcome = junit.Errored
			}
			s.Cases = append(s.Cases, c)
		}
		list = append(list, s)
	}
	return list
}

func (c Cell) junit(lane string) junit.Case {
	out := junit.Case{Name: c.Gate, Class: lane, Outcome: c.junitOutcome(), Message: c.Why}
	if c.State == Ran {
		out.Seconds = c.Seconds
	}
	text := []string{c.said()}
	for _, more := range c.Reasons[min(1, len(c.Reasons)):] {
		text = append(text, "and: "+more)
	}
	for _, n := range c.Next {
		text = append(text, "next: "+n)
	}
	if c.Outcome != gates.Green {
		out.Text = strings.Join(text, "\n")
	}
	for _, p := range [][2]string{
		{"state", string(c.State)}, {"outcome", string(c.Outcome)}, {"change", string(c.Change)}, {"run", c.Run}, {"of-lane", c.Of}, {"log", c.Log},
		{"slower", paces(c, true)}, {"faster", paces(c, false)},
	} {
		if p[1] != "" {
			out.Properties = append(out.Properties, p)
		}
	}
	for _, m := range c.Marks {
		out.Properties = append(out.Properties, [2]string{"mark", m})
	}
	return out
}

func (c Cell) junitOutcome() junit.Outcome {
	switch {
	case c.State == NotRun, c.Outcome == gates.Refused:
		return junit.Skipped
	case leaning(c.Outcome) > 0:
		return junit.Passed
	case c.Outcome == gates.Red:
		return junit.Failed
	}
	return junit.Errored
}
