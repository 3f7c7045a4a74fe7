package falsify

import (
	"strings"
	"testing"

	"gpuci/gates"
)

// What a gate was falsified with is the same as long as that stands which it is built
// from, and the data of tests; other files are named where they change, since the run
// may read them.
func TestFalsifiedSince(t *testing.T) {
	needs(t, "cargo")
	files := map[string]string{
		"Cargo.toml":      "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		".gitignore":      "target/\nCargo.lock\n",
		"NOTES.md":        "prose\n",
		"src/lib.rs":      "pub fn f(x: i32) -> i32 { x + 1 }\n",
		"tests/adds.rs":   "#[test]\nfn adds() {\n    assert_eq!(one::f(1), 2);\n    assert!(std::fs::read_to_string(\"golden/exp.rs\").unwrap().starts_with('2'));\n}\n",
		"tests/other.rs":  "#[test]\nfn other() { assert_eq!(one::f(2), 3); }\n",
		"golden/exp.rs":   "2\n",
		"golden/data.bin": "x\n",
		"gpuci.toml": "[[gate]]\nname = \"adds\"\nbuild = [\"cargo\", \"test\", \"--offline\", \"--no-run\", \"--test\", \"adds\"]\nrun = [\"cargo\", \"test\", \"--offline\", \"--test\", \"adds\"]\nreader = \"libtest\"\n" +
			fault("more", `replace = { file = "src/lib.rs", from = "x + 1", to = "x + 2" }`, `must = "test-failed:adds"`),
	}
	s := newStage(t, files)
	s.want(s.falsify(), "caught")
	s.since([]since{
		{"nothing", "", "", "falsified 1 of 1, just now, same gate files"},
		{"prose, which a run may read all the same", "NOTES.md", "more\n", "falsified 1 of 1, just now, same gate files (not built from NOTES.md, which changed)"},
		{"data", "golden/data.bin", "y\n", "falsified 1 of 1, but golden/data.bin changed since"},
		{"what it hardly reads", "tools/x.py", "y\n", "falsified 1 of 1, just now, same gate files (not built from tools/x.py, which changed)"},
		{"another target", "tests/other.rs", files["tests/other.rs"] + "// more\n", "falsified 1 of 1, just now, same gate files"},
		{"a source", "src/lib.rs", "// more\n" + files["src/lib.rs"], "falsified 1 of 1, but src/lib.rs changed since"},
		{"its own target", "tests/adds.rs", "// more\n" + files["tests/adds.rs"], "falsified 1 of 1, but tests/adds.rs changed since"},
		{"what it reads as it runs", "golden/exp.rs", "2, more\n", "falsified 1 of 1, but golden/exp.rs changed since"},
		{"how it is built", "Cargo.toml", files["Cargo.toml"] + "\n[profile.test]\nopt-level = 1\n", "falsified 1 of 1, but Cargo.toml changed since"},
		{"how another one is built", "more/Cargo.toml", "# none\n", "falsified 1 of 1, just now, same gate files (not built from more/Cargo.toml, which changed)"},
	})
}

// Of a gate whose compilers tell nothing, all but prose is its files; and prose is, too,
// where its commands name it, where a fault changes it, and among what tests read.
func TestFalsifiedSinceUntold(t *testing.T) {
	files := map[string]string{
		"README.md": "prose\n", "docs/LICENSE-MIT": "prose\n", "CMakeLists.txt": "O0\n", "requirements.txt": "torch==2.1\n", "a.c": "a\n", "doc/usage.rst": "2\n", "doc/other.rst": "2\n",
		"golden/tol.txt": "1\n", "golden/report.md": "1\n", "tests/README": "1\n", "spec/kept.md": "kept\n", "spec/patched.md": "kept\n",
		"faults/patched.patch": "--- a/spec/patched.md\n+++ b/spec/patched.md\n@@ -1 +1 @@\n-kept\n+other\n",
		"gpuci.toml": "[[gate]]\nname = \"g\"\nrun = \"grep -q 2 doc/usage.rst; grep -q kept spec/kept.md; grep -q kept spec/*d.md\"\nreader = \"none\"\n" +
			fault("spec", `replace = { file = "spec/kept.md", from = "kept", to = "other" }`, `must = "red"`) +
			fault("patch", `patch = "faults/patched.patch"`, `must = "red"`),
	}
	s := newStage(t, files)
	s.want(s.falsify(), "caught", "caught")
	var list []since
	for _, same := range []string{"README.md", "docs/LICENSE-MIT", "doc/other.rst"} {
		list = append(list, since{same, same, files[same] + "more\n", "falsified 2 of 2, just now, same gate files (not built from " + same + ", which changed)"})
	}
	for _, other := range []string{"CMakeLists.txt", "requirements.txt", "a.c", "golden/tol.txt", "golden/report.md", "tests/README", "doc/usage.rst", "spec/kept.md", "spec/patched.md"} {
		list = append(list, since{other, other, "more\n" + files[other], "falsified 2 of 2, but " + other + " changed since"})
	}
	for i := range list { // the patch is to fit as it is
		if list[i].path == "spec/patched.md" {
			list[i].text = files["spec/patched.md"] + "more\n"
		}
	}
	s.since(list)
}

// since is a file that changes, and what the gate then says of having been falsified.
type since struct{ name, path, text, want string }

// since changes one file after the other, and takes it back.
func (s *stage) since(list []since) {
	t := s.t
	t.Helper()
	for _, c := range list {
		if c.path != "" {
			s.write(c.path, c.text)
		}
		o := s.options()
		opt, _ := o.Prepare(o.Lane, o.Root)
		opt.Gate, opt.Root, opt.Lane = o.Gate, o.Root, o.Lane
		v := gates.Run(t.Context(), opt)
		if v.Outcome != gates.Green && v.Outcome != gates.Attention || v.Falsified == nil {
			t.Fatalf("%s: %s, %q", c.name, v.Outcome, v.Findings)
		}
		if got := v.Falsified.Text(v.Started); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if strings.Contains(c.want, "same") != v.Falsified.Same {
			t.Errorf("%s: %+v", c.name, v.Falsified)
		}
		s.git("checkout", "-q", "--", ".")
		s.git("clean", "-qfd")
	}
}
