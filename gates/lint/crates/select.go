package crates

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Select are the targets that a command tests which runs in a directory: the test
// binaries that it makes, without those that only hold examples of documentation.
func (s *Space) Select(c Choice, dir string) ([]Target, error) {
	packages, err := s.packages(c, dir)
	if err != nil {
		return nil, err
	}
	var out []Target
	for _, p := range packages {
		for _, t := range p.Targets {
			if named, ok := c.takes(t); ok && (named || p.enables(c, t.Needs)) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// packages are those that are meant.
func (s *Space) packages(c Choice, dir string) (out []Package, err error) {
	switch {
	case c.Workspace:
		for _, p := range s.Packages {
			if !slices.ContainsFunc(c.Exclude, p.matches) {
				out = append(out, p)
			}
		}
	case len(c.Packages) > 0:
		for _, spec := range c.Packages {
			i := slices.IndexFunc(s.Packages, func(p Package) bool { return p.matches(spec) })
			if i < 0 {
				return nil, fmt.Errorf("there is no package %q in the workspace %s", spec, s.Root)
			}
			for _, p := range s.Packages[i:] {
				if p.matches(spec) && !slices.ContainsFunc(out, func(o Package) bool { return o.Dir == p.Dir }) {
					out = append(out, p)
				}
			}
		}
	default:
		for _, p := range s.Packages {
			if dir == p.Dir && dir != s.Root || dir == s.Root && slices.Contains(s.Default, p.Dir) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// matches reads a package specification
// (https://doc.rust-lang.org/cargo/reference/pkgid-spec.html).
func (p Package) matches(spec string) bool {
	if url, fragment, ok := strings.Cut(spec, "#"); ok {
		if spec = fragment; strings.Trim(fragment, "0123456789.") == "" { // only its version
			spec = path.Base(url) + "@" + fragment
		}
	} else if strings.Contains(spec, "://") {
		spec = path.Base(spec)
	}
	name, version, given := strings.Cut(spec, "@")
	if !given {
		name, version, given = strings.Cut(spec, ":")
	}
	ok, _ := path.Match(name, p.Name)
	return ok && (!given || p.Version == version || strings.HasPrefix(p.Version, version+"."))
}

// takes says whether a command tests a target, and whether it names it.
func (c Choice) takes(t Target) (named, ok bool) {
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(glob string) bool {
			ok, _ := filepath.Match(glob, t.Name)
			return ok
		})
	}
	plain := !(c.Lib || c.Bins || c.Examples || c.Tests || c.Benches || c.All || c.Doc) && len(c.Bin)+len(c.Example)+len(c.Test)+len(c.Bench) == 0
	if c.Doc {
		return false, false
	}
	if (plain || c.Tests || c.All) && t.Tested {
		return false, true
	}
	switch t.Kind {
	case Lib:
		return c.Lib, c.Lib || c.All || c.Benches
	case Bin:
		return has(c.Bin), has(c.Bin) || c.Bins || c.All || c.Benches
	case Test:
		return has(c.Test), has(c.Test) || c.All
	case Bench:
		return has(c.Bench), has(c.Bench) || c.Benches || c.All
	case Example:
		return has(c.Example), has(c.Example) || c.Examples || c.All
	}
	return false, false
}

// Docs are the libraries whose examples a command runs.
func (s *Space) Docs(c Choice, dir string) (out []Target) {
	all := c
	all.Lib, all.Doc = true, false
	if c.Lib || c.Bins || c.Examples || c.Tests || c.Benches || c.All || len(c.Bin)+len(c.Example)+len(c.Test)+len(c.Bench) > 0 {
		return nil
	}
	list, _ := s.Select(all, dir)
	return list
}

// Features says which features are on in the package of a target; nil where that is not
// known before the command runs.
func (s *Space) Features(c Choice, t Target) func(feature string) bool {
	if slices.ContainsFunc(c.Features, func(f string) bool { return f == "" || strings.Contains(f, Hole) }) {
		return nil
	}
	i := slices.IndexFunc(s.Packages, func(p Package) bool { return p.Name == t.Package })
	if i < 0 {
		return nil
	}
	return func(feature string) bool { return s.Packages[i].enables(c, []string{feature}) }
}

// enables says whether all features are on that a target needs.
func (p Package) enables(c Choice, needs []string) bool {
	if len(needs) == 0 || c.AllFeatures {
		return true
	}
	on := make(map[string]bool)
	var turn func(feature string)
	turn = func(feature string) {
		if name, of, ok := strings.Cut(feature, "/"); ok && name == p.Name {
			feature = of
		}
		if on[feature] {
			return
		}
		on[feature] = true
		for _, f := range p.Features[feature] {
			turn(f)
		}
	}
	for _, f := range c.Features {
		turn(f)
	}
	if !c.NoDefault {
		turn("default")
	}
	return !slices.ContainsFunc(needs, func(f string) bool { return !on[f] })
}
