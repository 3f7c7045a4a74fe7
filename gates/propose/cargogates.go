package propose

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// fewTests are so many that a gate each is a list that one reads.
	fewTests = 8
	// fewCrates is the same for packages.
	fewCrates = 20
	// together are so many binaries that one command may link; their links
	// queue, but each holds its memory and its place.
	together = 8
)

// cargoGates makes gates of a Cargo workspace: the tests inside the sources in
// one, and one for each integration test. Where that would be too many, one for
// each package; where that is too many, one.
func (s *survey) cargoGates(ws cargoSpace) {
	usual, custom := ws.binaries()
	before := len(s.gates)
	switch {
	case len(usual) <= fewTests:
		s.unitGate(ws)
		for _, t := range usual {
			s.testGate(ws, t)
		}
	case len(ws.crates) <= fewCrates:
		for _, c := range ws.crates {
			s.crateGate(ws, c)
		}
	default:
		s.spaceGate(ws, usual, custom)
	}
	for i, t := range custom {
		if i == fewTests {
			s.leave(plural(len(custom)-i, "more test")+" with harness = false", "add a gate with reader = \"none\" for those that matter")
			break
		}
		s.customGate(ws, t)
	}
	if len(s.gates) == before && len(ws.crates) > 0 {
		s.leave(crateList(ws.crates), "no tests in it, as far as its text tells: no #[test], no example in the documentation")
	}
}

func crateList(crates []crate) string {
	var names []string
	for _, c := range crates {
		names = append(names, c.name)
	}
	if len(names) > 5 {
		names = append(names[:5], fmt.Sprintf("%d more", len(names)-5))
	}
	return "Cargo package " + strings.Join(names, ", ")
}

// cargoGate fills in what all gates of cargo test have: everything is compiled
// and linked in build, so that a mistake there is no red, and its links queue.
func (s *survey) cargoGate(ws cargoSpace, g Gate, runs ...[]string) {
	g.Dir, g.Profile = ws.dir, "debug"
	if g.Reader == "" {
		g.Reader = "libtest"
	}
	if ws.made != "" {
		g.makes = []string{ws.made + "/"}
	}
	if lock := path.Join(ws.dir, "Cargo.lock"); !s.isFile(lock) {
		g.makes = append(g.makes, lock)
	}
	for _, flags := range runs {
		g.Run = append(g.Run, append([]string{"cargo", "test"}, flags...))
		if !slices.Contains(flags, "--doc") { // rustdoc compiles while it runs
			g.Build = append(g.Build, append([]string{"cargo", "test", "--no-run"}, flags...))
		}
	}
	s.add(g)
}

// unitGate runs the tests inside the sources, and the examples in the
// documentation.
func (s *survey) unitGate(ws cargoSpace) {
	all := []string{"--workspace"}
	if len(ws.crates) == 1 {
		all = nil
	}
	units := func(c crate) bool { return c.unit }
	var runs [][]string
	if ws.any(units) {
		runs = append(runs, append(slices.Clone(all), inSources(ws.any(func(c crate) bool { return c.unit && c.lib }), ws.any(func(c crate) bool { return c.unit && c.bins }))...))
	}
	if ws.any(func(c crate) bool { return c.doc }) {
		runs = append(runs, append(slices.Clone(all), "--doc"))
	}
	if len(runs) > 0 {
		s.cargoGate(ws, Gate{About: "the tests inside the Rust sources " + where(ws.dir), wish: near(ws.dir, "unit")}, runs...)
	}
}

func inSources(lib, bins bool) (out []string) {
	if lib {
		out = append(out, "--lib")
	}
	if bins {
		out = append(out, "--bins")
	}
	return out
}

func (s *survey) testGate(ws cargoSpace, t cargoTest) {
	about := "the integration test " + t.name + " of " + t.crate
	if len(t.features) > 0 {
		about += ", with " + strings.Join(t.features, ", ")
	}
	s.cargoGate(ws, Gate{About: about, wish: []string{t.name, t.crate + "-" + t.name}}, ws.flags(t))
}

// customGate runs a test that prints what it likes.
func (s *survey) customGate(ws cargoSpace, t cargoTest) {
	s.cargoGate(ws, Gate{
		About: "the test " + t.name + " of " + t.crate + ", which has a harness of its own", Reader: "none",
		wish: []string{t.name, t.crate + "-" + t.name},
	}, ws.flags(t))
}

// crateGate is all of one package, a few binaries at a time.
func (s *survey) crateGate(ws cargoSpace, c crate) {
	var runs [][]string
	if c.unit {
		runs = append(runs, append(ws.pick(c.name), inSources(c.lib, c.bins)...))
	}
	for _, tests := range byFeatures(c.tests) {
		for some := range slices.Chunk(tests, together) {
			runs = append(runs, chunkFlags(some, ws.pick(c.name)))
		}
	}
	if c.doc {
		runs = append(runs, append(ws.pick(c.name), "--doc"))
	}
	if len(runs) > 0 {
		s.cargoGate(ws, Gate{About: "all tests of the package " + c.name, wish: []string{c.name, c.name + "-tests"}}, runs...)
	}
}

// byFeatures groups tests that one command can run.
func byFeatures(tests []cargoTest) (out [][]cargoTest) {
	at := make(map[string]int)
	for _, t := range tests {
		key := strings.Join(t.features, ",")
		i, ok := at[key]
		switch {
		case t.custom:
		case ok:
			out[i] = append(out[i], t)
		default:
			at[key] = len(out)
			out = append(out, []cargoTest{t})
		}
	}
	return out
}

// chunkFlags select some tests. A name that several packages have selects all
// of them at once.
func chunkFlags(tests []cargoTest, flags []string) []string {
	var names []string
	for _, t := range tests {
		names = union(names, []string{t.name})
	}
	for _, name := range names {
		flags = append(flags, "--test", name)
	}
	if len(tests[0].features) > 0 {
		flags = append(flags, "--features", strings.Join(tests[0].features, ","))
	}
	return flags
}

// spaceGate is a large workspace in one gate. With a harness of its own
// somewhere, whose report libtest's reader would miss, the rest is named.
func (s *survey) spaceGate(ws cargoSpace, usual, custom []cargoTest) {
	g := Gate{About: fmt.Sprintf("all tests of the %d packages %s", len(ws.crates), where(ws.dir)), wish: near(ws.dir, "cargo-tests")}
	for _, t := range usual {
		if len(t.features) > 0 {
			g.Remarks = append(g.Remarks, "left out are the tests that need features, which cargo test passes over: add a gate with --test NAME --features FEATURES")
			break
		}
	}
	if len(custom) == 0 {
		s.cargoGate(ws, g, []string{"--workspace"})
		return
	}
	g.Remarks = append(g.Remarks, "written out because of the tests with harness = false, which have gates of their own")
	plain := slices.DeleteFunc(slices.Clone(usual), func(t cargoTest) bool { return len(t.features) > 0 })
	var runs [][]string
	if ws.any(func(c crate) bool { return c.unit }) {
		runs = append(runs, []string{"--workspace", "--lib", "--bins"})
	}
	for some := range slices.Chunk(plain, together) {
		runs = append(runs, chunkFlags(some, []string{"--workspace"}))
	}
	s.cargoGate(ws, g, runs...)
}
