package trace

import (
	"fmt"
	"maps"
	"slices"
)

// NoRange says that no process has the range that was to be a step.
type NoRange struct {
	Name  string
	There []string // what there is
}

func (e *NoRange) Error() string {
	if len(e.There) == 0 {
		return fmt.Sprintf("count by the range %q: there is none: the program has no NVTX ranges", e.Name)
	}
	return fmt.Sprintf("count by the range %q: no call of CUDA was in one; there are %s", e.Name, listed(e.There))
}

// FewSteps says that no stage has more steps than were to be set apart.
type FewSteps struct {
	Warm  int
	There []string // what there is
}

func (e *FewSteps) Error() string {
	if len(e.There) == 0 {
		return fmt.Sprintf("set the first %s apart: it has none: a process without ranges, and without lines that end a step, is one stage", many(int64(e.Warm), "step"))
	}
	return fmt.Sprintf("set the first %s apart: no stage has more; there are %s", many(int64(e.Warm), "step"), listed(e.There))
}

// Unmet is what the caller's Counting asked for and the recording does not have, a
// *[NoRange] or a *[FewSteps]: it was counted without. What the run's own settings asked
// for in vain is in Notes alone.
func (r Report) Unmet() error { return r.unmet }

// lacks is what a report does not have of what it was to be counted by.
func (r *Report) lacks(how Counting) error {
	counted, found, enough := false, how.Range == "", how.Warm <= 0
	for i := range r.Processes {
		p := &r.Processes[i]
		counted = counted || p.counted() && p.Events > 0
		found = found || slices.ContainsFunc(p.Stages, func(s StageReport) bool { return s.Name == how.Range })
		enough = enough || slices.ContainsFunc(p.Stages, func(s StageReport) bool { return s.Apart > 0 })
	}
	switch {
	case !counted: // that is said before all else
		return nil
	case !found:
		return &NoRange{how.Range, r.ranges()}
	case !enough:
		return &FewSteps{how.Warm, r.steps()}
	}
	return nil
}

// ranges are those that no step was counted by.
func (r *Report) ranges() (there []string) {
	all := map[string]int{}
	for _, p := range r.Processes {
		for name, n := range p.Inner {
			all[name] += n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		there = append(there, fmt.Sprintf("%q (%s)", name, many(int64(all[name]), "time")))
	}
	return there
}

// steps says how many each stage has.
func (r *Report) steps() (there []string) {
	most, order := map[string]int{}, []string(nil)
	for i := range r.Processes {
		for j := range r.Processes[i].Stages {
			s := &r.Processes[i].Stages[j]
			if s.once() {
				continue
			}
			if _, seen := most[s.Name]; !seen {
				order = append(order, s.Name)
			}
			most[s.Name] = max(most[s.Name], s.Steps)
		}
	}
	for _, name := range order {
		there = append(there, fmt.Sprintf("%s with %d", name, most[name]))
	}
	return there
}

// notApart are the stages that have too few steps, where others have enough.
func notApart(p *ProcessReport, warm int) (list []Finding) {
	if !slices.ContainsFunc(p.Stages, func(s StageReport) bool { return s.Apart > 0 }) {
		return nil
	}
	for i := range p.Stages {
		if s := &p.Stages[i]; warm > 0 && !s.once() && s.Steps > 1 && s.Apart == 0 {
			list = append(list, Finding{Kind: "none-apart", Stage: s.Name, rank: 3, Text: fmt.Sprintf(
				"%s: none of its %d steps is set apart: --warm %d would leave none", s.Label(), s.Steps, warm)})
		}
	}
	return list
}
