package propose

import (
	"path"
	"slices"
	"strings"
)

// cargoSpace is a Cargo workspace, or a package that is its own.
type cargoSpace struct {
	dir     string // where its commands run, relative to the root
	crates  []crate
	twins   map[string][]string // of a member whose name another package in the build has, the words that select it
	made    string              // its target directory relative to the root, "" where that is elsewhere
	exclude []string            // globs of what below it is not its own
}

// crate is a package of a workspace.
type crate struct {
	name, dir string
	version   string   // "" where it is not known
	lib       bool     // a library whose own tests cargo runs
	doctests  bool     // a library whose documentation cargo tests
	bins      bool     // programs whose own tests cargo runs
	roots     []string // directories of the library's and the programs' sources, relative to the root
	tests     []cargoTest

	unit, doc bool // there are such tests, as far as the text tells
}

// cargoTest is an integration test: a binary of its own.
type cargoTest struct {
	crate, name, file string // file relative to the root
	features          []string
	custom            bool // harness = false: it prints what it likes
}

// flags select the test in the workspace.
func (ws *cargoSpace) flags(t cargoTest) []string {
	out := append(ws.pick(t.crate), "--test", t.name)
	if len(t.features) > 0 {
		out = append(out, "--features", strings.Join(t.features, ","))
	}
	return out
}

// pick selects a package, where there are several.
func (ws *cargoSpace) pick(crate string) []string {
	twin, ambiguous := ws.twins[crate]
	switch {
	case len(ws.crates) == 1:
		return nil
	case ambiguous:
		return slices.Clone(twin)
	}
	return []string{"-p", crate}
}

// dependency is one that a member names, with its directory relative to the root,
// "" where that is elsewhere.
type dependency struct{ name, dir string }

// findTwins finds members whose name a dependency has too, such as an earlier
// version that the results are held against: cargo takes -p NAME for none of them.
// Names are what the direct dependencies of members are called, and Cargo.lock,
// where there is one, calls all. A member is then selected by its manifest, which
// goes on to be right when its version changes; that of the workspace's own
// directory would select the default members, so that one goes by its version.
func (s *survey) findTwins(ws *cargoSpace, needs []dependency) {
	for _, c := range ws.crates {
		twin := func(d dependency) bool { return d.name == c.name && d.dir != c.dir }
		if !slices.ContainsFunc(needs, twin) && s.locked(ws.dir, c.name) < 2 {
			continue
		}
		words := []string{"-p", c.name + "@" + c.version}
		if c.dir != ws.dir || c.version == "" {
			words = []string{"--manifest-path", path.Join(rel(ws.dir, c.dir), "Cargo.toml")}
		}
		if ws.twins == nil {
			ws.twins = make(map[string][]string)
		}
		ws.twins[c.name] = words
	}
}

// locked is how many packages of that name a Cargo.lock has.
func (s *survey) locked(dir, name string) (n int) {
	text, err := s.readText(path.Join(dir, "Cargo.lock"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == `name = "`+name+`"` {
			n++
		}
	}
	return n
}

// rel is a directory of the survey as seen from one above it.
func rel(top, dir string) string {
	if top == "." {
		return dir
	}
	return strings.TrimPrefix(strings.TrimPrefix(dir, top), "/")
}

// study looks into the sources: a test binary without a test would make its
// gate broken, for nothing ran in it.
func (s *survey) study(ws *cargoSpace, src *rustSources) {
	for i := range ws.crates {
		c := &ws.crates[i]
		found := src.look(c.roots, true)
		c.unit = found.tests && (c.lib || c.bins)
		c.doc = found.docs && c.doctests
		c.tests = slices.DeleteFunc(c.tests, func(t cargoTest) bool { return !s.worth(t, src) })
		for j := range c.tests {
			c.tests[j].features = union(c.tests[j].features, src.gated(c.tests[j].file))
		}
	}
}

// worth says whether a test binary has tests here, and else why not.
func (s *survey) worth(t cargoTest, src *rustSources) bool {
	if t.custom {
		return true
	}
	if system := src.otherSystem(t.file); system != "" {
		s.leave(t.file, "it is compiled %s only", system)
		return false
	}
	places := src.modules(t.file)
	if found := src.look(places, false); !found.tests && !src.makesItems(t.file) {
		why := "no #[test] in it or in its modules; if something else makes its tests, add a gate by hand"
		if found.ignored {
			why = "its tests are ignored, always or under some condition; a gate for them ends in \"--\", \"--ignored\""
		}
		s.leave(t.file, "%s", why)
		return false
	}
	return true
}

// union adds what is not there yet.
func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

func (ws *cargoSpace) any(has func(crate) bool) bool { return slices.ContainsFunc(ws.crates, has) }

// binaries are the integration tests with the usual harness, and those with one
// of their own.
func (ws *cargoSpace) binaries() (usual, custom []cargoTest) {
	for _, c := range ws.crates {
		for _, t := range c.tests {
			if t.custom {
				custom = append(custom, t)
			} else {
				usual = append(usual, t)
			}
		}
	}
	return usual, custom
}
