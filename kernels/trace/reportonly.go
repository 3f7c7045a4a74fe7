package trace

import (
	"fmt"
	"slices"
)

// Only keeps one stage: the processes that have it, what stands out of it or of the process
// as a whole, and those that were not counted. The error is a *[NoStage].
func (r Report) Only(stage string) (Report, error) {
	found, there := false, []string(nil)
	kept := r
	kept.Processes, kept.Stage = nil, stage
	for _, p := range r.Processes {
		for i := range p.Stages {
			if label := fmt.Sprintf("%q", p.Stages[i].Label()); !slices.Contains(there, label) {
				there = append(there, label)
			}
		}
		at := slices.IndexFunc(p.Stages, func(s StageReport) bool { return s.is(stage) })
		if at < 0 && p.counted() {
			continue
		}
		if at >= 0 {
			p, found = p.only(p.Stages[at]), true
		}
		kept.Processes = append(kept.Processes, p)
	}
	if !found {
		return r, &NoStage{stage, there}
	}
	return kept, nil
}

// Only keeps one stage of those that are held against each other. The error is a *[NoStage].
func (d Difference) Only(stage string) (Difference, error) {
	kept, there := d, []string(nil)
	kept.Processes, kept.Stage = nil, stage
	for _, p := range d.Processes {
		stages := p.Stages
		p.Stages = nil
		for _, s := range stages {
			if label := fmt.Sprintf("%q", s.label); !slices.Contains(there, label) {
				there = append(there, label)
			}
			if s.Name == stage || s.label == stage {
				p.Stages = append(p.Stages, s)
			}
		}
		if len(p.Stages) > 0 || p.Refused != Both {
			kept.Processes = append(kept.Processes, p)
		}
	}
	kept.settle()
	if !slices.ContainsFunc(kept.Processes, func(p ProcessDifference) bool { return len(p.Stages) > 0 }) {
		return d, &NoStage{stage, there}
	}
	return kept, nil
}

// is says whether a name that somebody wrote is its.
func (s *StageReport) is(name string) bool { return s.Name == name || s.Label() == name }

// only is the process with one stage. What it did as a whole stays.
func (p ProcessReport) only(s StageReport) ProcessReport {
	p.Stages, p.one = []StageReport{s}, true
	p.Findings = slices.DeleteFunc(slices.Clone(p.Findings), func(f Finding) bool { return !f.ofProcess && f.Stage != s.Name })
	p.Kept = slices.DeleteFunc(slices.Clone(p.Kept), func(k Kept) bool { return k.Stage != s.Name })
	return p
}

// NoStage says that a recording has none of a name.
type NoStage struct {
	Name  string
	There []string
}

func (e *NoStage) Error() string {
	return fmt.Sprintf("find the stage %q: there is none; there are %s", e.Name, listed(e.There))
}
