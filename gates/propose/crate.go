package propose

import (
	"slices"
	"strings"
)

// cargoSpace is a Cargo workspace, or a package that is its own.
type cargoSpace struct {
	dir     string // where its commands run, relative to the root
	crates  []crate
	made    string   // its target directory relative to the root, "" where that is elsewhere
	exclude []string // globs of what below it is not its own
}

// crate is a package of a workspace.
type crate struct {
	name, dir string
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
func (t cargoTest) flags(only bool) []string {
	out := append(pick(t.crate, only), "--test", t.name)
	if len(t.features) > 0 {
		out = append(out, "--features", strings.Join(t.features, ","))
	}
	return out
}

// pick selects a package; only says that there is no other.
func pick(crate string, only bool) []string {
	if only {
		return nil
	}
	return []string{"-p", crate}
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
