package falsify

import (
	"fmt"
	"strings"
	"testing"
)

// crates are two, of which neither is the other's.
func crates(faults string) map[string]string {
	files := map[string]string{
		"Cargo.toml": "[workspace]\nresolver = \"2\"\nmembers = [\"one\", \"two\"]\n",
		".gitignore": "target/\nCargo.lock\n",
		"gpuci.toml": `
[[gate]]
name = "both"
build = ["cargo", "test", "--offline", "--no-run"]
run = ["cargo", "test", "--offline"]
reader = "libtest"
` + faults,
	}
	for _, name := range []string{"one", "two"} {
		files[name+"/Cargo.toml"] = fmt.Sprintf("[package]\nname = %q\nversion = \"0.1.0\"\nedition = \"2021\"\n", name)
		files[name+"/src/lib.rs"] = "pub fn f(x: i32) -> i32 { x + 1 }\n\n#[test]\nfn adds() { assert_eq!(f(1), 2); }\n"
	}
	return files
}

// What changed is built anew, what was restored is built anew, and nothing else: so
// no fault is taken for another, and none is built for nothing.
func TestCargoBuildsWhatChanged(t *testing.T) {
	needs(t, "cargo")
	at := func(name, file, to string) string {
		return fault(name, `replace = { file = "`+file+`", from = "x + 1", to = "`+to+`" }`, `must = "test-failed:adds"`)
	}
	s := newStage(t, crates(at("a", "one/src/lib.rs", "x + 2")+at("b", "one/src/lib.rs", "x + 3")+at("c", "two/src/lib.rs", "x + 4")+
		at("d", "two/src/lib.rs", "x -")+at("e", "one/src/lib.rs", "x + (2 - 1)")))
	r := s.falsify()
	s.want(r, "caught", "caught", "caught", "does not build", "blind")
	// b fails the test that a failed: the run without a fault that follows builds one
	// as it was, and so c has two alone to build.
	for i, want := range []string{"one", "one", "two", "two", "one two"} {
		log := s.log(r.Planted[i], "build.log")
		var got []string
		for _, crate := range []string{"one", "two"} {
			if strings.Contains(log, "Compiling "+crate+" ") {
				got = append(got, crate)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("fault %s compiles %q, want %q:\n%s", r.Planted[i].Fault, got, want, log)
		}
	}
}

// Python's byte code is told from its source by whole seconds and the size: two
// faults of the same size within a second must not be taken for each other.
func TestPythonSeconds(t *testing.T) {
	needs(t, "python3")
	faults := ""
	for i := range 4 {
		faults += fault(fmt.Sprint("f", i), fmt.Sprintf(`replace = { file = "m.py", from = "VALUE = 9", to = "VALUE = %d" }`, i), fmt.Sprintf(`must = "finding:exit status %d"`, i+1))
	}
	s := newStage(t, map[string]string{
		".gitignore": "__pycache__/\n", "m.py": "VALUE = 9\n", "run.py": "import sys, m\nsys.exit((m.VALUE + 1) % 10)\n",
		"gpuci.toml": "[[gate]]\nname = \"py\"\nrun = [\"python3\", \"run.py\"]\nreader = \"none\"\n" + faults,
	})
	s.want(s.falsify(), "caught", "caught", "caught", "caught")
}

// make goes by times alone.
func TestMakeBuildsWhatChanged(t *testing.T) {
	needs(t, "make")
	s := newStage(t, map[string]string{
		".gitignore": "out/\n", "a.in": "a\n", "b.in": "b\n",
		"Makefile": "all: out/a out/b\nout/%: %.in\n\t@mkdir -p out; echo making $@; cp $< $@\n",
		"gpuci.toml": "[[gate]]\nname = \"make\"\nbuild = [\"make\"]\nrun = \"grep -qx a out/a && grep -qx b out/b\"\nreader = \"none\"\n" +
			fault("a", `replace = { file = "a.in", from = "a", to = "x" }`, `must = "red"`) + fault("b", `replace = { file = "b.in", from = "b", to = "y" }`, `must = "red"`),
	})
	r := s.falsify()
	s.want(r, "caught", "caught")
	if a, b := s.log(r.Planted[0], "build.log"), s.log(r.Planted[1], "build.log"); a != "making out/a\n" || b != "making out/a\nmaking out/b\n" {
		t.Errorf("%q, %q", a, b)
	}
}
