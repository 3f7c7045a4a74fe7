package trace

import (
	"fmt"
	"slices"
	"strings"
)

// Text says how many warm steps of which stages there were, and in how many processes.
func (m Measurement) Text() string {
	var parts []string
	for _, s := range m.Stages {
		if s.Name != outsideLabel {
			parts = append(parts, m.stageText(s))
		}
	}
	const most = 3
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d stages more", len(parts)-most))
	}
	return strings.Join(append([]string{m.processesText()}, parts...), "; ")
}

// stageText is that of one stage. A process that has it not did nothing that a number of
// it would show.
func (m Measurement) stageText(s Stepped) string {
	text := many(int64(s.Steps), "step") + " of " + s.Name
	if s.Processes < len(m.Processes) {
		text += fmt.Sprintf(" in %d of them", s.Processes)
	}
	switch {
	case s.Apart == 1:
		text += ", the first set apart"
	case s.Apart > 1:
		text += fmt.Sprintf(", the first %d set apart", s.Apart)
	}
	return text
}

// processesText says how many there were. What one did that was killed is not all that it
// was to do.
func (m Measurement) processesText() string {
	text, cut := processes(len(m.Processes)), len(slices.DeleteFunc(slices.Clone(m.Processes), func(p Process) bool { return p.Clean }))
	switch {
	case cut == 0:
		return text
	case cut == len(m.Processes) && cut > 1:
		return text + ", none of which came to its own end (a signal, or _exit)"
	case len(m.Processes) == 1:
		return text + ", which did not come to its own end (a signal, or _exit)"
	}
	return fmt.Sprintf("%s, %d of which did not come to an end of their own (a signal, or _exit)", text, cut)
}
