package main

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/kernels"
	kernelcheck "gpuci/kernels/check"
)

// kernelFindingLine is a finding or a note, in JSON.
type kernelFindingLine struct {
	Type string `json:"type"` // always "kernels-finding"
	Set  string `json:"set"`
	kernelcheck.Finding
}

// kernelReportLine closes what is said of a set, in JSON.
type kernelReportLine struct {
	Type     string `json:"type"` // always "kernels-check"
	Set      string `json:"set"`
	Exit     int    `json:"exit"`
	Findings int    `json:"findings"`
	Notes    int    `json:"notes"`
	Accepted int    `json:"accepted"`
	Passes   int    `json:"passes"` // kernels that must have no float atomic, and in which none was found
	Modules  int    `json:"modules"`
	Kernels  int    `json:"kernels"`
	Hosts    int    `json:"hosts"`    // sources that have something to do with kernels
	Lookups  int    `json:"lookups"`  // that were read in them
	Launches int    `json:"launches"` // the same
}

func kernelReport(r kernels.Report) kernelReportLine {
	l := kernelReportLine{
		Type: "kernels-check", Set: r.Set, Findings: len(r.Findings), Notes: len(r.Notes) - r.Passes(), Accepted: len(r.Accepted), Passes: r.Passes(),
		Modules: len(r.Modules), Kernels: kernelCount(kernels.Plain(r.Modules)), Hosts: len(r.Hosts),
	}
	for _, h := range r.Hosts {
		l.Lookups += len(h.Lookups)
		l.Launches += len(h.Launches)
	}
	if l.Findings > 0 {
		l.Exit = gates.Red.ExitCode()
	}
	return l
}

// printReport says what does not hold of a set, then the notes and what was accepted,
// then a line for all.
func (a *app) printReport(r kernels.Report, f kernelFlags) (code int, err error) {
	l := kernelReport(r)
	if f.json {
		if err := a.moduleLines(r.Set, kernels.Plain(r.Modules)); err != nil {
			return l.Exit, err
		}
		for _, x := range slices.Concat(r.Findings, r.Notes, r.Accepted) {
			if err := a.deviceLine(kernelFindingLine{"kernels-finding", r.Set, x}); err != nil {
				return l.Exit, err
			}
		}
		return l.Exit, a.deviceLine(l)
	}
	var b strings.Builder
	if f.verbose {
		b.WriteString(a.kernelView(false).modules(kernels.Plain(r.Modules)) + "\n")
	}
	for _, x := range r.Findings {
		findingText(&b, x)
	}
	notesText(&b, r.Notes, f.verbose)
	acceptedText(&b, r.Accepted)
	if l.Passes > 0 {
		fmt.Fprintf(&b, "no float atomic found in %s that must have none\n", count(l.Passes, "kernel", "kernels"))
	}
	b.WriteString(printable(l.text()) + "\n")
	_, err = a.out.Write([]byte(b.String()))
	return l.Exit, err
}

// mostAlike is how many notes with the same advice are shown one by one, without -v.
const mostAlike = 8

// notesText shows notes, those with the same advice together.
func notesText(b *strings.Builder, notes []kernelcheck.Finding, all bool) {
	type kind struct{ rule, next string }
	var kinds []kind
	of := make(map[kind][]kernelcheck.Finding)
	for _, x := range notes {
		k := kind{x.Rule, x.Next}
		if x.Rule == kernelcheck.NoAtomic {
			continue // counted
		}
		if of[k] == nil {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], x)
	}
	for _, k := range kinds {
		list := of[k]
		more := 0
		if !all && len(list) > mostAlike {
			list, more = list[:mostAlike], len(list)-mostAlike
		}
		for _, x := range list {
			fmt.Fprintf(b, "note: %s\n", cellText(gates.KernelFinding(x)))
		}
		if more > 0 {
			fmt.Fprintf(b, "  and       %d more of the kind, which -v shows\n", more)
		}
		fmt.Fprintf(b, "  next      %s\n", cellText(k.next))
	}
}

// acceptedText shows what was accepted, with why.
func acceptedText(b *strings.Builder, all []kernelcheck.Finding) {
	for i, x := range all {
		fmt.Fprintf(b, "accepted: %s\n", cellText(gates.KernelFinding(x)))
		if i+1 == len(all) || all[i+1].Accepted != x.Accepted {
			fmt.Fprintf(b, "  because   %s\n", cellText(x.Accepted))
		}
	}
}

// findingText is a finding as a block.
func findingText(b *strings.Builder, x kernelcheck.Finding) {
	head := x.Rule
	if place := gates.KernelPlace(x); place != "" {
		head = place + ": " + head
	}
	if x.Kernel != "" {
		head += ": " + x.Kernel
	}
	if x.Module != "" && x.Module != gates.KernelPlace(x) {
		head += " in " + x.Module
	}
	fmt.Fprintln(b, cellText(head))
	for _, row := range [][2]string{{"expected", x.Expected}, {"found", x.Found}, {"harm", x.Harm}, {"next", x.Next}} {
		fmt.Fprintf(b, "  %-8s  %s\n", row[0], cellText(row[1]))
	}
}

func (l kernelReportLine) text() string {
	text := l.Set + ": all holds"
	if l.Findings > 0 {
		text = l.Set + ": " + count(l.Findings, "finding", "findings")
	}
	if l.Notes > 0 {
		text += ", " + count(l.Notes, "note", "notes")
	}
	if l.Accepted > 0 {
		text += fmt.Sprintf(", %d accepted", l.Accepted)
	}
	text += fmt.Sprintf("; %s in %s", count(l.Kernels, "kernel", "kernels"), count(l.Modules, "module", "modules"))
	if l.Hosts > 0 {
		text += fmt.Sprintf(", %s and %s in %s", count(l.Lookups, "lookup", "lookups"), count(l.Launches, "launch", "launches"), count(l.Hosts, "host source", "host sources"))
	}
	return text
}
