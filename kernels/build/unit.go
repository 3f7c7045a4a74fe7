package build

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unit is one call of the compiler.
type unit struct {
	source string // below the root, with slashes
	archs  []string
	kind   Kind
	output string // absolute
}

// arch is the architectures in a name.
func (u unit) arch() string { return strings.Join(u.archs, "+") }

func (u unit) String() string { return fmt.Sprintf("%s (%s %s)", u.source, u.kind, u.arch()) }

// units lists what is to be made, and refuses what would be written over something else.
func (s Set) units() ([]unit, error) {
	all, err := s.list()
	if err != nil {
		return nil, err
	}
	if err := s.placed(all); err != nil {
		return nil, fmt.Errorf("build the set %s: %w", s.Name, err)
	}
	return all, nil
}

// list lists them, and refuses two that would be one file.
func (s Set) list() ([]unit, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	sources, err := s.expand()
	if err != nil {
		return nil, fmt.Errorf("build the set %s: %w", s.Name, err)
	}
	shapes, err := s.shapes()
	if err != nil {
		return nil, fmt.Errorf("build the set %s: %w", s.Name, err)
	}
	taken, at := map[string]unit{}, newPlaces()
	for _, src := range sources {
		if err := s.readable(src); err != nil {
			return nil, fmt.Errorf("build the set %s: source %q: %w", s.Name, src, err)
		}
		whole := s.absolute(filepath.FromSlash(src))
		taken[at.of(whole)] = unit{source: src, kind: "source"}
		taken[at.of(real(whole))] = unit{source: src, kind: "source"}
	}
	var all []unit
	for _, src := range sources {
		for _, u := range shapes {
			u.source = src
			u.output = s.name(u)
			if other, ok := taken[at.of(u.output)]; ok {
				return nil, fmt.Errorf("build the set %s: %s and %s would both be %s: its pattern %q must tell them apart", s.Name, other, u, u.output, s.pattern())
			}
			taken[at.of(u.output)] = u
			all = append(all, u)
		}
	}
	return all, nil
}

// readable refuses sources that nvcc would not read as they are called, or never to
// their end.
func (s Set) readable(source string) error {
	if strings.ContainsAny(source, "$`\"\\\n\r") {
		return errors.New("nvcc hands names to a shell, which takes a dollar, quote, backslash or line break for its own: rename it")
	}
	info, err := os.Stat(s.absolute(filepath.FromSlash(source)))
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	return err
}

// Outputs are the units of a set, of which nothing is known but what they would be.
func Outputs(set Set) ([]Unit, error) {
	set.Root = filepath.Clean(set.Root)
	units, err := set.units()
	if err != nil {
		return nil, err
	}
	all := make([]Unit, len(units))
	for i, u := range units {
		all[i] = Unit{Source: u.source, Arch: u.arch(), Kind: u.kind, Output: u.output}
	}
	return all, nil
}

// shapes are the kinds and architectures that go with each source. A compute_
// architecture has no cubin, and is what PTX is made for where there is one.
func (s Set) shapes() ([]unit, error) {
	real, virtual := s.split()
	kinds := slices.Clone(s.Kinds)
	if len(kinds) == 0 && len(real) > 0 {
		kinds = append(kinds, Cubin)
	}
	if len(s.Kinds) == 0 && len(virtual) > 0 {
		kinds = append(kinds, PTX)
	}
	var all []unit
	used := map[string]bool{}
	add := func(k Kind, archs ...string) {
		all = append(all, unit{kind: k, archs: archs})
		for _, a := range archs {
			used[a] = true
		}
	}
	for _, k := range kinds {
		switch each := real; k {
		case Fatbin, Object:
			add(k, append(slices.Clone(real), virtual...)...)
		case PTX:
			if len(virtual) > 0 {
				each = virtual
			}
			fallthrough
		default:
			for _, a := range each {
				add(k, a)
			}
		}
	}
	for _, a := range append(real, virtual...) {
		if !used[a] {
			return nil, fmt.Errorf("architecture %s: none of the kinds %v is made for it", a, kinds)
		}
	}
	return all, nil
}

// split parts the architectures, each once and in their order.
func (s Set) split() (real, virtual []string) {
	for _, a := range s.Architectures {
		to := &real
		if strings.HasPrefix(a, "compute_") {
			to = &virtual
		}
		if !slices.Contains(*to, a) {
			*to = append(*to, a)
		}
	}
	return real, virtual
}

func (s Set) pattern() string {
	if s.Pattern == "" {
		return DefaultPattern
	}
	return s.Pattern
}

// name is the file of a unit.
func (s Set) name(u unit) string {
	base := path.Base(u.source)
	dir := path.Dir(u.source)
	if filepath.IsAbs(u.source) || strings.HasPrefix(u.source, "../") {
		dir = path.Base(dir) // of a source from elsewhere, not its whole way here
	}
	name := strings.NewReplacer("{dir}", dir, "{stem}", strings.TrimSuffix(base, path.Ext(base)),
		"{arch}", u.arch(), "{ext}", u.kind.ending()).Replace(s.pattern())
	return filepath.Join(s.absolute(s.Output), filepath.FromSlash(name))
}

func (s Set) absolute(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(s.Root, p)
}
