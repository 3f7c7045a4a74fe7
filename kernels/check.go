package kernels

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/build"
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
	Accepted []check.Finding // findings and notes that somebody has accepted, with why
}

// Passes are the notes that say that something was looked for and is not there.
func (r Report) Passes() (n int) {
	for _, f := range r.Notes {
		if f.Rule == check.NoAtomic {
			n++
		}
	}
	return n
}

// Check holds what was built and what is committed of a set against its hosts and its
// rules. The error is the context's alone: all else is a finding. Of a set of which
// outputs are missing that is the one finding: what else would be found came of it.
func Check(ctx context.Context, s Set, b Built) (Report, error) {
	r := Report{Set: s.Name()}
	committed, all := s.prebuilt(ctx, b.Cache)
	fresh, found := s.match(ctx, b, committed)
	r.Modules = slices.Concat(b.Modules, committed)
	r.Hosts, all = s.hosts(ctx, all)
	missing, unread := s.unreadOutputs(b)
	all = append(all, unread...)
	if !missing {
		all = append(append(all, found...), check.Each(s.input(r, fresh))...)
	}
	for _, m := range r.Modules {
		for _, why := range m.Unread {
			all = append(all, partly(m.Module, why))
		}
	}
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	if !missing {
		all, r.Accepted = check.Accepting(all, s.Rules.Accepts, Plain(r.Modules))
	}
	slices.SortStableFunc(all, func(a, b check.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Module, b.Module))
	})
	r.Accepted = check.Together(r.Accepted)
	for _, f := range check.Together(slices.Compact(all)) {
		if f.Note {
			r.Notes = append(r.Notes, f)
		} else {
			r.Findings = append(r.Findings, f)
		}
	}
	return r, nil
}

// input is all that is held against each other.
func (s Set) input(r Report, fresh []check.Fresh) check.Input {
	in := check.Input{
		Modules: Plain(r.Modules), Sources: make(map[string]string), Hosts: r.Hosts, Fresh: fresh, Budgets: s.Rules.Budgets, Entries: s.Rules.Entries,
		Launches: s.Rules.Launches, Deterministic: s.Rules.Deterministic, Cards: s.Rules.Cards, Graphs: s.Rules.Graphs,
	}
	for _, m := range r.Modules {
		if m.Source != "" {
			in.Sources[m.File] = m.Source
		}
	}
	return in
}

// unreadOutputs are the findings about outputs: one for all that are not there.
func (s Set) unreadOutputs(b Built) (missing bool, all []check.Finding) {
	more := 0
	at := -1
	for _, u := range b.Unread {
		switch {
		case u.missing() && missing:
			more++
			continue
		case u.missing():
			missing, at = true, len(all)
		}
		all = append(all, s.unread(u))
	}
	if more > 0 {
		all[at].Found = "no such file, and " + strconv.Itoa(more) + " more of its outputs are not there"
		all[at].Harm = "nothing of the set is checked: what is not there would be missed everywhere"
	}
	return missing, all
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

// hosts reads the host sources, and adds what is to be said of them to what was found.
func (s Set) hosts(ctx context.Context, found []check.Finding) ([]host.File, []check.Finding) {
	var all []host.File
	files, missing, closed := s.expand(s.Host)
	for _, u := range closed {
		found = append(found, hostUnread(u.File, u.Err.Error()))
	}
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
			found = append(found, hostUnread(name, why))
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

func hostUnread(name, why string) check.Finding {
	return check.Finding{
		Rule: "host-unread", File: name, Expected: "a source", Found: why, Harm: "what it looks up and launches is not checked", Next: "mend it, or leave it out of host",
	}
}

func read(path string) (text, why string) {
	data, err := build.ReadFile(path, maxHost)
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
