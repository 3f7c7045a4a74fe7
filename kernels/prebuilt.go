package kernels

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/kernels/build"
	"gpuci/kernels/check"
	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
)

// prebuilt reads the committed files. Patterns that find none, and files that cannot
// be read, are findings.
func (s Set) prebuilt(ctx context.Context) (all []Module, found []check.Finding) {
	files, missing := s.expand(s.Prebuilt)
	for _, m := range missing {
		found = append(found, check.Finding{
			Rule: "prebuilt-missing", Module: m, File: s.Rules.Prebuilt.File, Line: s.Rules.Prebuilt.Line,
			Expected: "committed device code at " + m, Found: "no such file", Harm: "what the host loads from there is not checked, and may not be there",
			Next: "commit it, or mend prebuilt",
		})
	}
	for _, f := range files {
		modules, err := inspect.File(ctx, filepath.Join(s.Build.Root, f), inspect.Options{})
		if ctx.Err() != nil {
			return all, found
		}
		if err != nil {
			found = append(found, s.unread(Unread{f, err}))
		}
		for _, m := range modules {
			m.File = f
			all = append(all, Module{Module: m})
		}
	}
	return all, found
}

// expand gives the files of patterns, but for what the set itself makes, and the
// patterns that find none.
func (s Set) expand(patterns []string) (files, missing []string) {
	made := make(map[string]bool)
	if s.Compiles() {
		units, _ := build.Outputs(s.Build) // what is wrong with it, the build says
		for _, u := range units {
			made[u.Output] = true
		}
	}
	for _, p := range patterns {
		list, _ := build.Expand(s.Build.Root, []string{p}) // an error is a pattern that finds nothing
		if len(list) == 0 {
			missing = append(missing, p)
		}
		for _, f := range list {
			if !made[filepath.Join(s.Build.Root, f)] && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files, missing
}

// match finds the source that each committed module is made from, and the module
// that was built of it for the same architecture.
func (s Set) match(ctx context.Context, b Built, committed []Module) (fresh []check.Fresh, found []check.Finding) {
	if ctx.Err() != nil {
		return nil, nil
	}
	sources, _ := s.expandSources()
	for i := range committed {
		c := &committed[i]
		c.Source = nearest(c.File, sources)
		if c.Source == "" {
			if s.Compiles() { // else all of it is made elsewhere, by declaration
				found = append(found, s.unmade(*c))
			}
			continue
		}
		at := slices.IndexFunc(b.Modules, func(m Module) bool {
			return m.Source == c.Source && m.Kind == c.Kind && m.Arch == c.Arch
		})
		if at < 0 {
			found = append(found, s.unbuilt(*c, b))
			fresh = append(fresh, s.outlines(*c, b)...)
			continue
		}
		built := b.Modules[at]
		settle(c.Module, built.Module)
		fresh = append(fresh, check.Fresh{Committed: c.Module, Built: built.Module, Source: c.Source, Place: s.Rules.Prebuilt})
	}
	return fresh, found
}

// outlines holds a module against what was built of its source for another
// architecture, or as another kind: its entries and their parameters are the same.
func (s Set) outlines(c Module, b Built) []check.Fresh {
	at := slices.IndexFunc(b.Modules, func(m Module) bool { return m.Source == c.Source && len(m.Kernels) > 0 })
	if at < 0 || len(c.Kernels) == 0 {
		return nil
	}
	f := check.Fresh{Committed: outline(c.Module), Built: outline(b.Modules[at].Module), Source: c.Source, Place: s.Rules.Prebuilt}
	f.Built.Arch = c.Arch
	return []check.Fresh{f}
}

// outline is a module without what depends on its architecture and kind.
func outline(m entry.Module) entry.Module {
	out := entry.Module{File: m.File, Part: m.Part, Kind: m.Kind, Arch: m.Arch}
	for _, k := range m.Kernels {
		out.Kernels = append(out.Kernels, entry.Kernel{Name: k.Name, Readable: k.Readable, Params: k.Params, ParamsKnown: k.ParamsKnown})
	}
	return out
}

func (s Set) expandSources() ([]string, error) {
	if !s.Compiles() {
		return nil, nil
	}
	return build.Expand(s.Build.Root, s.Build.Sources)
}

// settle gives a committed kernel the spills of the one that was built, where it is
// the same by all that both say: a cubin does not say what was spilled.
func settle(committed, built entry.Module) {
	if committed.Toolkit != built.Toolkit {
		return
	}
	for i := range committed.Kernels {
		c := &committed.Kernels[i]
		for _, b := range built.Kernels {
			if b.Name == c.Name && same(c.Code, b.Code) && same(c.Registers, b.Registers) && same(c.Stack, b.Stack) {
				c.SpillStores, c.SpillLoads = b.SpillStores, b.SpillLoads
			}
		}
	}
}

func same(a, b *int) bool { return a != nil && b != nil && *a == *b }

// archEnding is what names put behind the stem to say the architecture.
var archEnding = regexp.MustCompile(`[._-](sm|compute)[_-]?[0-9]{2,3}[af]?$`)

// stemOf is the name of the source that a file would be made from: scan of
// scan.sm_90.cubin, scan_sm90.ptx and scan.cubin.
func stemOf(file string) string {
	base := path.Base(file)
	return archEnding.ReplaceAllString(strings.TrimSuffix(base, path.Ext(base)), "")
}

// nearest is the source with the stem of a file; of several the one that has most of
// its path in common.
func nearest(file string, sources []string) (best string) {
	most := -1
	for _, src := range sources {
		base := path.Base(src)
		if strings.TrimSuffix(base, path.Ext(base)) != stemOf(file) {
			continue
		}
		if n := common(file, src); n > most {
			best, most = src, n
		}
	}
	return best
}

// common is how many directories two paths share, from the left and from the right.
func common(a, b string) (n int) {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	for i := 1; i <= min(len(x), len(y))-n && x[len(x)-i] == y[len(y)-i]; i++ {
		n++
	}
	return n
}

func (s Set) unmade(c Module) check.Finding {
	f := check.Finding{
		Rule: "prebuilt-source", Module: c.File, File: s.Rules.Prebuilt.File, Line: s.Rules.Prebuilt.Line, Note: true,
		Expected: "a source of the set that makes it", Found: "none is called " + stemOf(c.File),
		Harm: "whether it is older than its source is not checked", Next: "name its source in sources, or give it the name of it",
	}
	return f
}

func (s Set) unbuilt(c Module, b Built) check.Finding {
	var archs []string
	for _, m := range b.Modules {
		if what := m.Kind + " for " + m.Arch; m.Source == c.Source && !slices.Contains(archs, what) {
			archs = append(archs, what)
		}
	}
	f := check.Finding{
		Rule: "prebuilt-unbuilt", Module: c.File, File: s.Rules.Prebuilt.File, Line: s.Rules.Prebuilt.Line, Note: true,
		Expected: c.Kind + " for " + c.Arch + " of " + c.Source + " to hold it against", Found: strings.Join(archs, ", "),
		Harm: "only its entries and their parameters are checked, and not whether its code is older than its source", Next: "add its architecture to arch, and " + c.Kind + " to kinds",
	}
	if len(archs) == 0 {
		f.Found, f.Harm, f.Next = "nothing was built of it", "whether it is older than its source is not checked", "have it built: gpuci kernels build"
	}
	return f
}

// unread is the finding about a file that could not be read, or not whole.
func (s Set) unread(u Unread) check.Finding {
	f := check.Finding{
		Rule: "module-unread", Module: u.File, File: u.File, Expected: "device code", Found: u.Err.Error(),
		Harm: "nothing of it is checked", Next: "build it anew, or leave it out of the patterns",
	}
	switch {
	case u.missing():
		f.Rule, f.Found, f.Next = "module-missing", "no such file", "build the set: gpuci kernels build "+s.Name()
	case errors.Is(u.Err, inspect.ErrNone):
		f.Harm = "whoever loads a kernel from it gets an error"
	}
	return f
}
