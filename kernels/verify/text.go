package verify

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// maxFindings bounds how many findings are told one by one.
const maxFindings = 12

// Text is the report for people, in lines of at most 80 columns where words allow it: a
// line of what was done, the rows, what was found.
func (r Report) Text() string {
	var b strings.Builder
	elements, _ := r.Compared()
	fmt.Fprintf(&b, "%s on %s (%s): %d of %d cases", r.Check, r.Backend, r.Tool, r.Cases, r.Planned)
	if elements > 0 {
		fmt.Fprintf(&b, ", %d elements compared", elements)
	}
	fmt.Fprintf(&b, ", %.1f s\n", r.Seconds)
	r.rowsText(&b)
	for _, f := range r.Failures {
		entry(&b, "case "+f.Case, f.Text)
	}
	r.findingsText(&b)
	for _, line := range r.notes() {
		entry(&b, "", line)
	}
	return b.String()
}

// rowsText is a table for each family, its numbers of chunks together.
func (r Report) rowsText(b *strings.Builder) {
	if len(r.Rows) == 0 {
		return
	}
	ops, opsOf := "", func(Row) string { return "" } // a column that only one report has
	if r.Rows[0].Ratio != 0 {
		ops, opsOf = "over ops\t", func(row Row) string { return fmt.Sprintf("%.2f\t", float64(row.Ratio)) }
	}
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	family := ""
	fmt.Fprintf(t, "  term\telements\tnan\tmax-rel\trms-rel\t%sworst, at [B H row col]\n", ops)
	for _, row := range byFamily(r.Rows) {
		if row.Family != family {
			family = row.Family
			fmt.Fprintf(t, " %s\t\t\t\t\t%s\n", family, strings.Repeat("\t", strings.Count(ops, "\t")))
		}
		fmt.Fprintf(t, "  %s\t%d\t%d\t%.2g\t%.2g\t%s%v %s\n", row.Term, row.Compared, row.NaNs,
			float64(row.MaxRel), float64(row.RMSRel), opsOf(row), row.Worst, row.Case)
	}
	_ = t.Flush()
	for line := range strings.Lines(table.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// findingsText tells what was seen, each defect once.
func (r Report) findingsText(b *strings.Builder) {
	for i, f := range r.Findings {
		if i == maxFindings {
			fmt.Fprintf(b, "  and %d more findings\n", len(r.Findings)-i)
			break
		}
		where := "case " + f.Case
		if f.Cases > 1 {
			where += fmt.Sprintf(" and %d more", f.Cases-1)
		}
		entry(b, "", f.Text+" ("+where+")")
	}
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return len(f.Threads) > 0 }) {
		entry(b, "", "(Threads and blocks are x,y,z; bytes and elements count from 0; a line that is from another was inlined there.)")
	}
}

// notes are what a person wants to know of numbers that are no numbers, and of bits that
// differ: a gate has it in their labels.
func (r Report) notes() (list []string) {
	tensors, first := 0, Row{}
	for _, row := range r.Rows {
		if row.NaNs > 0 && tensors == 0 {
			first = row
		}
		if row.NaNs > 0 {
			tensors++
		}
	}
	see := ""
	for _, n := range r.Numbers {
		if n.Value != n.Value && n.see() != "" {
			see = "; where it is of a word that nobody wrote, or beyond the data, gpuci gate " + strings.ReplaceAll(n.see(), ",", " ") + " names the line"
		}
	}
	if tensors > 0 {
		list = append(list, fmt.Sprintf("NaN in %s at %v of case %s, and in %d elements of it: the kernel makes it, the gate is right%s",
			first.Term, first.Worst, first.Case, first.NaNs, see))
	}
	for _, n := range r.Numbers {
		if n.Name == repeatName && n.Value > 0 {
			list = append(list, fmt.Sprintf("%s elements are not the same in a second run of the same, the first %s of case %s: two threads or blocks race; gpuci gate fused-sanitize looks for them",
				n.Value, n.label("first"), n.label("case")))
		}
		if n.Name == orderName && n.Value > 0 {
			list = append(list, fmt.Sprintf("%s elements are not the same under another order of threads, the first %s of case %s: two threads race%s",
				n.Value, n.label("first"), n.label("case"), raceHint(n.see())))
		}
	}
	return list
}

func raceHint(see string) string {
	if see == "" {
		return ""
	}
	return "; gpuci gate " + see + " finds the lines"
}

// Text says what a judgement comes to, a line each.
func (j Judgement) Text() string {
	var b strings.Builder
	for _, line := range j.Crossed {
		entry(&b, "wrong", line)
	}
	for _, line := range j.Unknown {
		entry(&b, "unknown", line)
	}
	if j.Holds != "" {
		entry(&b, "holds", j.Holds)
	}
	return b.String()
}

// columns is how wide lines are for people, where their words allow it.
const columns = 80

// entry writes a text in such lines, behind a word of what it is.
func entry(b *strings.Builder, word, text string) {
	const indent = "    "
	line := "  "
	if word != "" {
		line += fmt.Sprintf("%-9s ", word)
	}
	first, rest, _ := strings.Cut(Wrapped(text, columns-len(line)), "\n")
	b.WriteString(line + first + "\n")
	if rest == "" {
		return
	}
	rest = strings.Join(strings.Fields(rest), " ")
	b.WriteString(indent + strings.ReplaceAll(Wrapped(rest, columns-len(indent)), "\n", "\n"+indent) + "\n")
}

// Wrapped is a text in lines of that many columns, where its words are not longer.
func Wrapped(text string, width int) string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		switch {
		case line == "":
			line = w
		case len(line)+1+len(w) > width:
			lines = append(lines, line)
			line = w
		default:
			line += " " + w
		}
	}
	return strings.Join(append(lines, line), "\n")
}
