package kernels

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/check"
	"gpuci/kernels/entry"
	"gpuci/kernels/host"
)

// Report is what is known of a set, and what of it does not hold.
type Report struct {
	Set      string
	Modules  []Module        // what was built, then what is committed
	Hosts    []host.File     // the sources that load something, look it up or launch it
	Findings []check.Finding // that do not hold, by file and line
	Notes    []check.Finding // that turn nothing red
}

// Check holds what was built and what is committed of a set against its hosts and its
// rules. The error is the context's alone: all else is a finding.
func Check(ctx context.Context, s Set, b Built) (Report, error) {
	r := Report{Set: s.Name()}
	committed, all := s.prebuilt(ctx)
	fresh, found := s.match(ctx, b, committed)
	all = append(all, found...)
	for _, u := range b.Unread {
		all = append(all, s.unread(u))
	}
	r.Modules = slices.Concat(b.Modules, committed)
	var found2 []check.Finding
	r.Hosts, found2 = s.hosts(ctx)
	all = append(all, found2...)
	in := check.Input{
		Hosts: r.Hosts, Fresh: fresh, Budgets: s.Rules.Budgets, Entries: s.Rules.Entries, Launches: s.Rules.Launches,
		Deterministic: s.Rules.Deterministic, Cards: s.Rules.Cards, Graphs: s.Rules.Graphs,
	}
	for _, m := range r.Modules {
		in.Modules = append(in.Modules, m.Module)
		for _, why := range m.Unread {
			all = append(all, partly(m.Module, why))
		}
	}
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	all = append(all, check.Check(in)...)
	slices.SortStableFunc(all, func(a, b check.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Module, b.Module))
	})
	for _, f := range slices.Compact(all) {
		if f.Note {
			r.Notes = append(r.Notes, f)
		} else {
			r.Findings = append(r.Findings, f)
		}
	}
	return r, nil
}

// partly is the finding about a part of a module that could not be read.
func partly(m entry.Module, why string) check.Finding {
	name := m.File
	if m.Part != "" {
		name += " (" + m.Part + ")"
	}
	return check.Finding{
		Rule: "module-unread", Module: name, File: m.File, Expected: "device code that can be read", Found: why,
		Harm: "what stands there is not checked", Next: "build it with a toolkit that gpuci knows, or look with cuobjdump",
	}
}

// maxHost is the length in bytes up to which a host source is taken into memory; what
// package host reads is shorter by far.
const maxHost = 8 << 20

// hosts reads the host sources.
func (s Set) hosts(ctx context.Context) (all []host.File, found []check.Finding) {
	files, missing := s.expand(s.Host)
	for _, m := range missing {
		found = append(found, check.Finding{
			Rule: "host-missing", File: s.Rules.Host.File, Line: s.Rules.Host.Line, Expected: "host sources at " + m, Found: "no such file",
			Harm: "what they look up and launch is not checked", Next: "mend host: its patterns begin in the directory of gpuci.toml",
		})
	}
	for _, name := range files {
		if ctx.Err() != nil {
			break
		}
		text, why := read(filepath.Join(s.Build.Root, name))
		if why != "" {
			found = append(found, check.Finding{
				Rule: "host-unread", File: name, Expected: "a source", Found: why, Harm: "what it looks up and launches is not checked", Next: "mend it, or leave it out of host",
			})
			continue
		}
		f := host.Read(name, text)
		for _, u := range f.Unread {
			if !u.Off {
				found = append(found, unclear(name, u))
			}
		}
		if len(f.Modules)+len(f.Lookups)+len(f.Launches)+len(f.Unread) > 0 {
			all = append(all, f)
		}
	}
	return all, found
}

func read(path string) (text, why string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err.Error()
	case info.Size() > maxHost:
		return "", "it has over 8 MiB"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err.Error()
	}
	return string(data), ""
}

func unclear(name string, u host.Unread) check.Finding {
	return check.Finding{
		Rule: "host-unclear", File: name, Line: u.Line, Note: true, Expected: "a load, lookup or launch that can be followed", Found: strings.TrimSpace(u.Why),
		Harm: "what happens there is not checked", Next: "declare it in [[kernels.launch]], or write it so that it can be followed",
	}
}
