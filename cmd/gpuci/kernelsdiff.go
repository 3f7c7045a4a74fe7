package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels"
	kernelcheck "gpuci/kernels/check"
)

// diffFlags are the flags of `gpuci kernels diff`.
type diffFlags struct {
	kernelFlags
	exitCode bool
}

func (a *app) kernelsDiffCommand() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A [B]",
		Short: "say what changed between two states of device code",
		Long: `diff compares kernel by kernel registers, spills, stack, shared memory, barriers, sizes
and places of parameters, launch bounds, float atomics and code, also where it has as
many bytes, and names those that came and went, the worst first. What is known on
neither side is said. A and B are each

  a file or a directory of device code
  the name of a set, as it is now
  REV          all sets of a commit, or the set that the other side names
  REV:SET      one set of a commit

Without B it is all sets as they are now. A commit is built in a scratch lane, by its
own gpuci.toml, and the scratch lane is removed. Kernels are told by name, kind and
architecture, wherever their files lie; those of one name in several files by the names
of these. Spills are known of what gpuci has built here. ./NAME is a file that is called
as a set is.

Examples:
  gpuci kernels diff HEAD
  gpuci kernels diff main:scan scan
  gpuci kernels diff old/scan.cubin new/scan.cubin --exit-code

Exit codes: 0, with --exit-code 100 if anything changed; 102 one side cannot be said,
101 one does not compile, 69 there is no compiler or no room for a scratch lane, 75 as
build; 4 no such set or commit, or no device code, 64 usage, 78 configuration, 130 and
143 interrupted.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return coded{gates.ExitUsage, fmt.Sprintf("%s takes two states, or one to compare with now", cmd.CommandPath()), "gpuci kernels diff HEAD"}
			}
			return nil
		},
		ValidArgsFunction: a.kernelSides,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.kernelsDiff(cmd, f, args) },
	}
	f.define(cmd)
	cmd.Flags().BoolVar(&f.exitCode, "exit-code", false, "end with 100 if anything changed, as git diff does")
	return cmd
}

// changeLine is a change in JSON.
type changeLine struct {
	Type string `json:"type"` // always "kernels-change"
	kernelcheck.Change
	Worse bool `json:"worse"`
}

// diffLine closes a comparison, in JSON.
type diffLine struct {
	Type    string                `json:"type"` // always "kernels-diff"
	A       string                `json:"a"`
	B       string                `json:"b"`
	Changes int                   `json:"changes"`
	Kernels [2]int                `json:"kernels"`           // on each side
	Unknown []kernelcheck.Unknown `json:"unknown,omitempty"` // on both sides
	Exit    int                   `json:"exit"`
}

func (a *app) kernelsDiff(cmd *cobra.Command, f diffFlags, words []string) error {
	a.json = f.json
	d := &differ{app: a, cmd: cmd, flags: f.kernelFlags}
	defer d.end()
	sides, err := d.sides(words)
	if err != nil {
		return err
	}
	var states [2]side
	for i := range sides {
		if states[i], err = d.read(sides[i]); err != nil {
			return err
		}
	}
	changes := kernels.Diff(states[0].modules, states[1].modules)
	line := diffLine{Type: "kernels-diff", A: states[0].name, B: states[1].name, Changes: len(changes), Kernels: [2]int{states[0].kernels(), states[1].kernels()}}
	line.Unknown = kernels.Blind(states[0].modules, states[1].modules)
	if f.exitCode && len(changes) > 0 {
		line.Exit = gates.Red.ExitCode()
	}
	_ = a.console.settle()
	if err := a.printDiff(changes, line, f.json); err != nil {
		return err
	}
	return coded{code: line.Exit}
}

func (a *app) printDiff(changes []kernelcheck.Change, line diffLine, asJSON bool) error {
	if asJSON {
		for _, c := range changes {
			if err := a.deviceLine(changeLine{"kernels-change", c, kernels.Worse(c)}); err != nil {
				return err
			}
		}
		return a.deviceLine(line)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	most := a.diffNames(changes)
	for _, c := range changes {
		name := cellText(c.Kernel)
		if c.Kernel == "" {
			name = "(" + cellText(c.Module) + ")"
		}
		fmt.Fprintln(w, strings.Join([]string{"  " + shorter(name, most), c.Kind + " " + c.Arch, c.What, kernelChange(c)}, "\t"))
	}
	_ = w.Flush() // into memory
	if len(changes) == 0 {
		fmt.Fprintf(&b, "nothing changed in %s\n", count(line.Kernels[1], "kernel", "kernels"))
	} else {
		fmt.Fprintf(&b, "%s between %s (%s) and %s (%s)\n", count(len(changes), "change", "changes"),
			printable(line.A), count(line.Kernels[0], "kernel", "kernels"), printable(line.B), count(line.Kernels[1], "kernel", "kernels"))
	}
	if len(line.Unknown) > 0 {
		b.WriteString("not known on either side: " + unknownText(line.Unknown) + "\n")
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

// diffNames is how much of names fits beside what changed: all in a pipe, and half of a
// terminal, if they are told apart by that.
func (a *app) diffNames(changes []kernelcheck.Change) int {
	const all = 1 << 20 // longer than any name
	v := a.kernelView(false)
	if v.width == 0 {
		return all
	}
	whole := make(map[string]string)
	for _, c := range changes {
		s := shorter(cellText(c.Kernel), v.width/2)
		if other, ok := whole[s]; ok && other != c.Kernel {
			return all
		}
		whole[s] = c.Kernel
	}
	return v.width / 2
}

// unknownText names what could not be compared.
func unknownText(list []kernelcheck.Unknown) string {
	var words []string
	for _, u := range list {
		words = append(words, u.What+" of "+count(u.Kernels, "kernel", "kernels"))
	}
	return strings.Join(words, ", ")
}

// kernelChange says from what to what.
func kernelChange(c kernelcheck.Change) string {
	switch {
	case c.What == "added" || c.What == "removed":
		text := c.Module
		if c.Near != "" {
			text += ", on the other side there is " + c.Near
		}
		return cellText(text)
	case c.What == "instructions":
		return "others, in as many bytes"
	case c.What == "data":
		return "variables that its kernels share, or their values"
	case c.Before == "" || c.After == "":
		return fmt.Sprintf("%s -> %s", orQuestion(c.Before), orQuestion(c.After))
	case c.Delta != nil:
		return fmt.Sprintf("%s -> %s (%+d)", c.Before, c.After, *c.Delta)
	}
	return fmt.Sprintf("%s -> %s", c.Before, c.After)
}

func orQuestion(text string) string {
	if text == "" {
		return "?"
	}
	return text
}
