package gates

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/metric"
	"gpuci/kernels"
	"gpuci/kernels/check"
	"gpuci/kernels/entry"
	"gpuci/pressure"
)

// admission lets compilers in as links are: out of the gate's one budget.
func (f *flow) admission() *Admission {
	a := &Admission{Rule: pressure.Rule{Off: true}, Mark: f.mark, Held: func(h pressure.Hold) { f.opt.note("the compilers of gate %s are %s", f.gate.Name, h) }}
	if f.opt.Pressure != nil {
		a.Rule = f.opt.Pressure.Rule
	}
	if q := f.opt.Queue; q != nil && q.Unfit == nil {
		b := buildlock.BudgetOf(q.Values.LockDir, f.budget())
		a.Spent, a.Spend = b.Spent, func(d time.Duration) { _ = b.Spend(d) }
	}
	return a
}

// checked turns what the checks of a set found into findings and marks of the gate.
func (f *flow) checked(s *setBuild) bool {
	r := s.report
	s.sum.Findings, s.sum.Notes, s.sum.Accepted = r.Findings, r.Notes, r.Accepted
	s.sum.count(r.Modules)
	f.kernelNotes(r.Notes)
	f.kernelAccepted(r.Accepted)
	if len(r.Findings) == 0 {
		return true
	}
	f.find(Red, kernelReason(r.Findings))
	f.next("gpuci kernels check " + s.set.Name() + " has all of them, with what happens if they are ignored")
	return false
}

// kernelReason is the first finding and the kinds of all: who plants a fault names the
// kind that must come of it.
func kernelReason(found []check.Finding) string {
	text := "kernels: " + KernelFinding(found[0])
	if len(found) == 1 {
		return text
	}
	count := make(map[string]int)
	var kinds []string
	for _, x := range found {
		if count[x.Rule]++; count[x.Rule] == 1 {
			kinds = append(kinds, x.Rule)
		}
	}
	for i, k := range kinds { // there are as many as package check has rules, at most
		if n := count[k]; n > 1 {
			kinds[i] = fmt.Sprintf("%s %d times", k, n)
		}
	}
	return fmt.Sprintf("%s (the first of %d findings: %s)", text, len(found), strings.Join(kinds, ", "))
}

// KernelFinding is a finding in one line.
func KernelFinding(x check.Finding) string {
	text := x.Rule
	if x.Kernel != "" {
		text += ": " + x.Kernel
	}
	place := KernelPlace(x)
	if x.Module != "" && x.Module != place {
		text += " in " + x.Module
	}
	if place != "" {
		text = place + ": " + text
	}
	if x.Rule == check.NoAtomic { // what was asked for is what was found
		return text + ": " + x.Found
	}
	return fmt.Sprintf("%s: expected %s, found %s", text, x.Expected, x.Found)
}

// KernelPlace is where to look: FILE:LINE, or the file of device code.
func KernelPlace(x check.Finding) string {
	switch {
	case x.File == "":
		return x.Module
	case x.Line == 0:
		return x.File
	}
	return x.File + ":" + strconv.Itoa(x.Line)
}

// kernelNotes makes a mark of each rule that has notes. That no float atomic was found
// is what was asked for, and an entry that nothing asks for harms nothing: these are
// no reservations.
func (f *flow) kernelNotes(notes []check.Finding) {
	var rules []string
	for _, n := range notes {
		if n.Rule != check.NoAtomic && n.Rule != "entry-new" && !slices.Contains(rules, n.Rule) {
			rules = append(rules, n.Rule)
		}
	}
	for _, rule := range rules {
		all := slices.DeleteFunc(slices.Clone(notes), func(n check.Finding) bool { return n.Rule != rule })
		text := "kernels: " + KernelFinding(all[0])
		if len(all) > 1 {
			text += fmt.Sprintf(" (and %d more of the kind)", len(all)-1)
		}
		f.mark(text)
	}
}

// kernelAccepted makes a mark of each reason for which something was accepted.
func (f *flow) kernelAccepted(all []check.Finding) {
	count := make(map[[2]string]int)
	for _, x := range all {
		count[[2]string{x.Rule, x.Accepted}]++
	}
	for _, x := range all {
		key := [2]string{x.Rule, x.Accepted}
		text := "kernels: accepted: " + KernelFinding(x)
		if n := count[key]; n > 1 {
			text += fmt.Sprintf(" (and %d more of the kind)", n-1)
		}
		if count[key] > 0 {
			f.mark(text + ", because " + x.Accepted)
		}
		count[key] = 0
	}
}

// giveKernels gives the numbers of the kernels to whoever judges the next run: they
// are as good as printed by it.
func (f *flow) giveKernels() {
	if b := f.opt.Bundle; b != nil {
		for _, one := range b.Samples {
			f.judge.collector.Give(one)
		}
	}
	for _, s := range f.kernels {
		for _, m := range kernels.Single(s.report.Modules) {
			for i := range m.Kernels {
				for _, one := range kernelSamples(m.Module, &m.Kernels[i]) {
					f.judge.collector.Give(one)
				}
			}
		}
	}
}

// kernelSamples are the numbers of a kernel that are known.
func kernelSamples(m entry.Module, k *entry.Kernel) (out []metric.Sample) {
	name := k.Readable
	if name == "" {
		name = k.Name
	}
	for _, n := range []struct {
		metric string
		value  *int
	}{
		{"kernel-registers", k.Registers}, {"kernel-spill-bytes", check.Spilled(k)}, {"kernel-shared-bytes", k.Shared},
		{"kernel-stack-bytes", k.Stack}, {"kernel-code-bytes", k.Code},
	} {
		if n.value != nil {
			out = append(out, metric.Sample{Metric: n.metric, Text: strconv.Itoa(*n.value), Labels: map[string]string{"kernel": name, "arch": m.Arch}})
		}
	}
	return out
}

// kernelProducts are the device code that the gate's kernels are in: what was built,
// and what is committed.
func (f *flow) kernelProducts() (paths []string) {
	if b := f.opt.Bundle; b != nil {
		paths = b.kernelFiles(f.opt.Root)
	}
	for _, s := range f.kernels {
		for _, u := range s.built.Units {
			paths = append(paths, u.Output)
		}
		for _, m := range s.report.Modules {
			paths = append(paths, within(s.set.Build.Root, filepath.FromSlash(m.File)))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// kernelTools are the compilers that were taken, as tools of the verdict.
func (f *flow) kernelTools(tools []Tool) []Tool {
	if b := f.opt.Bundle; b != nil {
		tools = append(tools, b.Tools...)
	}
	for _, s := range f.kernels {
		t := Tool{Name: "nvcc", Path: s.built.Compiler.Path, Version: s.built.Compiler.Version}
		if t.Path != "" && !slices.ContainsFunc(tools, func(o Tool) bool { return o.Path == t.Path }) {
			tools = append(tools, t)
		}
	}
	return tools
}
