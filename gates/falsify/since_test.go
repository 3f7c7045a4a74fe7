package falsify

import (
	"strings"
	"testing"

	"gpuci/gates"
)

// What a gate was falsified with is the same as long as that stands which it is built
// from; other files are named where they change, since the run may read them.
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
	for _, c := range []struct{ name, path, text, want string }{
		{"nothing", "", "", "falsified 1 of 1, just now, same gate files"},
		{"prose, which a run may read all the same", "NOTES.md", "more\n", "falsified 1 of 1, just now, same gate files (not built from NOTES.md, which changed)"},
		{"data", "golden/data.bin", "y\n", "falsified 1 of 1, just now, same gate files (not built from golden/data.bin, which changed)"},
		{"another target", "tests/other.rs", files["tests/other.rs"] + "// more\n", "falsified 1 of 1, just now, same gate files"},
		{"a source", "src/lib.rs", "// more\n" + files["src/lib.rs"], "falsified 1 of 1, but src/lib.rs changed since"},
		{"its own target", "tests/adds.rs", "// more\n" + files["tests/adds.rs"], "falsified 1 of 1, but tests/adds.rs changed since"},
		{"what it reads as it runs", "golden/exp.rs", "2, more\n", "falsified 1 of 1, just now, same gate files (not built from golden/exp.rs, which changed)"},
	} {
		if c.path != "" {
			s.write(c.path, c.text)
		}
		o := s.options()
		opt, _ := o.Prepare(o.Lane, o.Root)
		opt.Gate, opt.Root, opt.Lane = o.Gate, o.Root, o.Lane
		v := gates.Run(t.Context(), opt)
		if v.Outcome != gates.Green || v.Falsified == nil {
			t.Fatalf("%s: %s, %q", c.name, v.Outcome, v.Findings)
		}
		if got := v.Falsified.Text(v.Started); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if strings.Contains(c.want, "same") != v.Falsified.Same {
			t.Errorf("%s: %+v", c.name, v.Falsified)
		}
		s.git("checkout", "-q", "--", ".")
	}
}
