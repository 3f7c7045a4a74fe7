package verify

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// maxFindings bounds how many findings are told one by one.
const maxFindings = 12

// Text is the report for people: a line of what was done, the rows, what was found.
func (r Report) Text() string {
	var b strings.Builder
	elements, _ := r.Compared()
	fmt.Fprintf(&b, "%s on %s: %d of %d cases", r.Check, r.Backend, r.Cases, r.Planned)
	if elements > 0 {
		fmt.Fprintf(&b, ", %d elements compared", elements)
	}
	fmt.Fprintf(&b, ", %.1f s\n", r.Seconds)
	r.rowsText(&b)
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "  case %s: %s\n", f.Case, f.Text)
	}
	for i, f := range r.Findings {
		if i == maxFindings {
			fmt.Fprintf(&b, "  and %d more findings\n", len(r.Findings)-i)
			break
		}
		fmt.Fprintf(&b, "  %s: case %s: %s\n", f.Kind, f.Case, f.Text)
	}
	return b.String()
}

// rowsText is the table, the numbers of chunks of a family together.
func (r Report) rowsText(b *strings.Builder) {
	if len(r.Rows) == 0 {
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	lead := func(family string) string { // a column that only some reports have
		if r.Rows[0].Family == "" {
			return "  "
		}
		return "  " + family + "\t"
	}
	than := func(text string) string { // the same
		if r.Rows[0].Ratio == 0 {
			return ""
		}
		return text + "\t"
	}
	fmt.Fprintf(t, "%sterm\telements\tnan\tmax-rel\trms-rel\t%sworst\n", lead("family"), than("over ops"))
	for _, row := range byFamily(r.Rows) {
		fmt.Fprintf(t, "%s%s\t%d\t%d\t%.2g\t%.2g\t%s%.9g for %.9g at %v of %s\n", lead(row.Family), row.Term, row.Compared, row.NaNs,
			float64(row.MaxRel), float64(row.RMSRel), than(fmt.Sprintf("%.2f", float64(row.Ratio))), float64(row.Got), float64(row.Want), row.Worst, row.Case)
	}
	_ = t.Flush()
}

// Text says what a judgement comes to, a line each.
func (j Judgement) Text() string {
	var b strings.Builder
	for _, line := range j.Crossed {
		fmt.Fprintf(&b, "  wrong     %s\n", line)
	}
	for _, line := range j.Unknown {
		fmt.Fprintf(&b, "  unknown   %s\n", line)
	}
	return b.String()
}
