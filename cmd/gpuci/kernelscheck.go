package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/build"
	kernelcheck "gpuci/kernels/check"
)

func (a *app) kernelsCheckCommand() *cobra.Command {
	var f kernelFlags
	var noBuild bool
	cmd := &cobra.Command{
		Use:   "check [SET…]",
		Short: "hold device code against budgets, hosts, cards and a fresh build",
		Long: `check compiles the sets that are named, or all, as gpuci kernels build does, and holds
what came of it and what is committed against

  budgets          max-registers, max-spill-bytes, max-shared, max-stack
  entries          that must be there, and the same one in two modules
  hosts            the names that they look up, in the modules that they load; the
                   number and sizes of the arguments that they launch with
  [[kernels.launch]]  the same, where no source says it
  deterministic    kernels that must not add floats in no order
  a fresh build    of the source of each prebuilt file: parameters, registers, code
  [[card]]         of /etc/gpuci.toml: whether anything runs there

A finding says where, what was expected and found, what happens at run time if it is
ignored, and what to do. A note turns nothing red: what a host source does that could
not be followed, a file that no source makes. What is not known is said, and never
passed. gpuci kernels check reads sources; it does not compile hosts or run anything.

With --no-build it takes what lies there: whether that is what the sources make, and
what was spilled, is then not known.

Examples:
  gpuci kernels check
  gpuci kernels check scan --json | jq -r 'select(.type == "kernels-finding") | .harm'

Exit codes: 0 all holds, though there may be notes, 100 something does not, 101 a source
does not compile, 69 there is no compiler, 75 as build; 4 no such set, or none at all,
64 usage, 78 configuration, 130 and 143 interrupted.`,
		ValidArgsFunction: a.kernelWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.kernelsCheck(cmd, f, noBuild, args)
		},
	}
	f.define(cmd)
	cmd.Flags().BoolVar(&noBuild, "no-build", false, "check what lies there, and compile nothing")
	return cmd
}

func (a *app) kernelsCheck(cmd *cobra.Command, f kernelFlags, noBuild bool, names []string) error {
	a.json = f.json
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	sets, err := kernelSets(cfg, names)
	if err != nil {
		return err
	}
	take := func(ctx context.Context, s kernels.Set) (kernels.Built, error) {
		if err := sound(s); err != nil {
			return kernels.Built{}, err
		}
		return kernels.Existing(ctx, s)
	}
	if !noBuild {
		c, err := a.compiling(cmd.Context(), cfg, lane, f)
		if err != nil {
			return err
		}
		defer c.end()
		take = func(ctx context.Context, s kernels.Set) (kernels.Built, error) { return c.build(ctx, s, false) }
	}
	var codes []int
	for _, s := range sets {
		b, err := take(cmd.Context(), s)
		if fatal := a.kernelError(cmd.Context(), err); fatal != nil {
			return fatal
		}
		code := a.notCompiled(err, false)
		if !errors.As(err, new(*build.Failure)) { // of half a set much would be found that is not so
			r, err := kernels.Check(cmd.Context(), s, b)
			if err != nil {
				return err
			}
			_ = a.console.settle()
			if code, err = a.printReport(r, f.json); err != nil {
				return err
			}
		}
		codes = append(codes, code)
	}
	return coded{code: gates.WorstExit(codes...)}
}

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
	Modules  int    `json:"modules"`
	Kernels  int    `json:"kernels"`
	Hosts    int    `json:"hosts"`    // sources that have something to do with kernels
	Lookups  int    `json:"lookups"`  // that were read in them
	Launches int    `json:"launches"` // the same
}

func kernelReport(r kernels.Report) kernelReportLine {
	l := kernelReportLine{Type: "kernels-check", Set: r.Set, Findings: len(r.Findings), Notes: len(r.Notes), Modules: len(r.Modules), Hosts: len(r.Hosts)}
	for _, m := range r.Modules {
		l.Kernels += len(m.Kernels)
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

// printReport says what does not hold of a set, then the notes, then a line for all.
func (a *app) printReport(r kernels.Report, asJSON bool) (code int, err error) {
	l := kernelReport(r)
	if asJSON {
		for _, x := range append(append([]kernelcheck.Finding(nil), r.Findings...), r.Notes...) {
			if err := a.jsonLine(kernelFindingLine{"kernels-finding", r.Set, x}); err != nil {
				return l.Exit, err
			}
		}
		return l.Exit, a.jsonLine(l)
	}
	var b strings.Builder
	for _, x := range r.Findings {
		findingText(&b, x)
	}
	for _, x := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", ownLine(gates.KernelFinding(x)))
		if x.Next != "nothing" {
			fmt.Fprintf(&b, "  next      %s\n", ownLine(x.Next))
		}
	}
	b.WriteString(printable(l.text()) + "\n")
	_, err = a.out.Write([]byte(b.String()))
	return l.Exit, err
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
	fmt.Fprintln(b, ownLine(head))
	for _, row := range [][2]string{{"expected", x.Expected}, {"found", x.Found}, {"harm", x.Harm}, {"next", x.Next}} {
		fmt.Fprintf(b, "  %-8s  %s\n", row[0], ownLine(row[1]))
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
	text += fmt.Sprintf("; %s in %s", count(l.Kernels, "kernel", "kernels"), count(l.Modules, "module", "modules"))
	if l.Hosts > 0 {
		text += fmt.Sprintf(", %s and %s in %s", count(l.Lookups, "lookup", "lookups"), count(l.Launches, "launch", "launches"), count(l.Hosts, "host source", "host sources"))
	}
	return text
}
