package kernels

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"gpuci/kernels/build"
	"gpuci/kernels/check"
	"gpuci/kernels/entry"
)

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
		at := b.counterpart(*c)
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

// counterpart is the module that was built of the same source, for the same
// architecture, as the same kind; of several that in a file that is called as the
// committed one ends. -1: none was.
func (b Built) counterpart(c Module) int {
	best := -1
	for i, m := range b.Modules {
		if m.Source != c.Source || m.Kind != c.Kind || m.Arch != c.Arch {
			continue
		}
		if best < 0 || path.Ext(m.File) == path.Ext(c.File) && path.Ext(b.Modules[best].File) != path.Ext(c.File) {
			best = i
		}
	}
	return best
}

// outlines holds a module against what was built of its source for another
// architecture, or as another kind: its entries and their parameters are the same.
func (s Set) outlines(c Module, b Built) []check.Fresh {
	at := slices.IndexFunc(b.Modules, func(m Module) bool { return m.Source == c.Source && len(m.Kernels) > 0 })
	if at < 0 || len(c.Kernels) == 0 {
		return nil
	}
	f := check.Fresh{Committed: outline(c.Module), Built: outline(b.Modules[at].Module), Source: c.Source, Place: s.Rules.Prebuilt}
	f.Built.Arch, f.Toolkit = c.Arch, b.Modules[at].Toolkit
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

// settle gives a committed kernel the spills of the one that was built, where the two
// run the same: a cubin does not say what was spilled.
func settle(committed, built entry.Module) {
	for i := range committed.Kernels {
		c := &committed.Kernels[i]
		for _, b := range built.Kernels {
			if b.Name == c.Name && c.CodeHash != "" && c.CodeHash == b.CodeHash && same(c.Registers, b.Registers) && same(c.Stack, b.Stack) {
				c.SpillStores, c.SpillLoads = b.SpillStores, b.SpillLoads
			}
		}
	}
}

func same(a, b *int) bool { return a != nil && b != nil && *a == *b }

// archEnding is what names put behind the stem to say the architecture; of several,
// as gpuci itself names what is for them, with + between.
var archEnding = regexp.MustCompile(`[._-](sm|compute)[_-]?[0-9]{2,3}[af]?(\+(sm|compute)_[0-9]{2,3}[af]?)*$`)

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
