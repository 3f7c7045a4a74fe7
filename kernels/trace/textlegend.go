package trace

import (
	"fmt"
	"slices"
	"strings"
)

// legend says what the table's figures are, and how far they reach.
func (p *ProcessReport) legend(ranked []*StageReport) string {
	parts := []string{p.exactness(ranked[0])}
	if len(ranked) > 1 {
		parts = append(parts, "Stages by launches x price, of all their warm steps.")
	}
	parts = append(parts, p.priceLegend(ranked)...)
	parts = append(parts, p.restLegend(ranked)...)
	return strings.Join(parts, " ")
}

// exactness says what the counts are of.
func (p *ProcessReport) exactness(top *StageReport) string {
	text := "Launches and graph launches of a warm step: exact."
	switch {
	case p.By == "process":
		return "Launches and graph launches: exact; of all that the process did, its beginning with it. NVTX ranges, or a pattern of the lines that end a step, tell steps apart."
	case p.By == "line":
		text = "Launches and graph launches of a warm step: exact, but for what the program asks for while it writes the line that ends a step."
	}
	if top.Apart > 0 {
		text += " The first steps are set apart."
	}
	return text
}

// priceLegend is of the stage whose launches cost most.
func (p *ProcessReport) priceLegend(ranked []*StageReport) (parts []string) {
	top := ranked[0]
	s := top.Price.Launch
	if s.N == 0 {
		return nil
	}
	of := ""
	if len(ranked) > 1 {
		of = "of " + top.Label() + " "
	}
	parts = append(parts, fmt.Sprintf("Price: from one launch to the next, %s%s in eight of ten, %s of it in the call.", of, spanOf(s), short(top.Price.InCall.Median)))
	if 2*top.Price.InCall.Median >= s.Median {
		parts = append(parts, "So much of it is the call that the program does little else, or the card's queue is full: then the price is the card's.")
	}
	return parts
}

// restLegend says what was predicted, what was measured, and what lies between.
func (p *ProcessReport) restLegend(ranked []*StageReport) (parts []string) {
	if !slices.ContainsFunc(ranked, func(s *StageReport) bool { return s.Took.N > 0 && s.Took.Median > 0 }) {
		return nil
	}
	top, what := ranked[0], "a step"
	if p.By == "process" {
		what = "it"
	}
	if top.Price.Share > 0 {
		parts = append(parts, fmt.Sprintf("Predicted: launches x price, what %s would take if it were launches alone.", what))
	}
	measured := fmt.Sprintf("Measured: what %s took on the host", what)
	if s := top.Took; s.N > 1 && s.Low < s.High {
		measured += fmt.Sprintf(", %s in eight of ten", spanOf(s))
	}
	if p.By != "process" {
		measured += "; what was launched may still run on the card"
	}
	parts = append(parts, measured+".")
	if top.Price.Share > 0 {
		parts = append(parts, "Rest: measured less predicted, the part that is not launch tax.")
	}
	return append(parts, p.negative(ranked)...)
}

// negative says how a step can take less than its launches cost.
func (p *ProcessReport) negative(ranked []*StageReport) []string {
	var s *StageReport
	for _, one := range slices.Backward(ranked) {
		if one.Price.Rest < 0 {
			s = one
		}
	}
	switch {
	case s == nil:
		return nil
	case s.Price.Predicted.Low <= s.Price.Measured.Median:
		return []string{fmt.Sprintf("%s: its launches account for all of it, within the price's spread.", s.Label())}
	case p.Launcher > 1:
		return []string{fmt.Sprintf("%s took less than is predicted: %d threads launch, at one time.", s.Label(), p.Launcher)}
	}
	return []string{fmt.Sprintf("%s took less than is predicted: most of its launches come faster than the median says.", s.Label())}
}
