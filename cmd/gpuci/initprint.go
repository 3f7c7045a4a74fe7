package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/propose"
)

// noteProposal says what is not in the file.
func (a *app) noteProposal(p propose.Proposal) {
	for _, n := range p.Notes {
		a.console.note(n)
	}
	if len(p.Elsewhere) > 0 {
		a.console.note("further down there is " + printable(strings.Join(p.Elsewhere, ", ")) + ": the nearest one upwards holds where one stands")
	}
}

// printInit says what was written, what is missing, and what to do next.
func (a *app) printInit(root string, p propose.Proposal) error {
	var b strings.Builder
	made := count(len(p.Gates), "gate", "gates")
	if len(p.Kernels) > 0 {
		made += ", " + count(len(p.Kernels), "set of kernels", "sets of kernels")
	}
	fmt.Fprintf(&b, "wrote %s in %s: %s\n", config.FileName, root, made)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, g := range p.Gates {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", g.Name, g.Reader, printable(g.About))
	}
	for _, k := range p.Kernels {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", k.Name, "kernels", printable(strings.Join(append(append([]string{}, k.Sources...), k.Prebuilt...), ", ")))
	}
	_ = w.Flush()
	for _, l := range p.Left {
		fmt.Fprintf(&b, "no gate: %s\n", l)
	}
	if len(p.Unignored) > 0 {
		fmt.Fprintf(&b, "not ignored by git: %s; add to .gitignore what is made, or every outcome is one of a changed lane\n",
			printable(strings.Join(p.Unignored, ", ")))
	}
	if len(p.Gates) > 0 {
		fmt.Fprintf(&b, "next: gpuci gate --list, then gpuci gate %s\n", p.Gates[0].Name)
	} else {
		fmt.Fprintf(&b, "next: gpuci kernels check\n")
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

// nothingFound says what was looked for, and what a gate looks like.
func nothingFound(dir string, p propose.Proposal) error {
	var b strings.Builder
	fmt.Fprintf(&b, "nothing to make a gate of in %s; looked for %s", dir, strings.Join(propose.Kinds(), ", "))
	for _, l := range p.Left {
		fmt.Fprintf(&b, "\n  no gate: %s", l)
	}
	return coded{gates.ExitNothing, b.String(), "a file " + config.FileName + ` with your own command is a beginning:

[[gate]]
name = "tests"
run = ["./run-tests.sh"]
reader = "none"`}
}
