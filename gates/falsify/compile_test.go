package falsify

import (
	"strings"
	"testing"
)

// A source that is none shows nothing, where any red would do: by the words of each
// harness, though other tests ran, and by those of a shell.
func TestUncompiled(t *testing.T) {
	for name, c := range map[string]struct {
		tool, why string
		files     map[string]string
	}{
		"go": {"go", "FAIL\tm/b [build failed]", map[string]string{
			"go.mod": "module m\n\ngo 1.21\n", "a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
			"b/b.go":      "package b\n\nfunc B() int { return 1 }\n",
			"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {\n\tif B() != 1 {\n\t\tt.Fatal(\"not 1\")\n\t}\n}\n",
			"gpuci.toml": "[[gate]]\nname = \"go\"\nrun = [\"go\", \"test\", \"./...\"]\nreader = \"gotest\"\n" +
				fault("none", `replace = { file = "b/b.go", from = "return 1", to = "return nosuch" }`, `must = "red"`) +
				fault("wrong", `replace = { file = "b/b.go", from = "return 1", to = "return 2" }`, `must = "red"`),
		}},
		"pytest": {"pytest", "ERROR collecting test_b.py", map[string]string{
			".gitignore": "__pycache__/\n.pytest_cache/\n",
			"test_a.py":  "def test_a():\n    pass\n", "test_b.py": "def test_b():\n    assert 1 == 1\n",
			"gpuci.toml": "[[gate]]\nname = \"py\"\nrun = [\"pytest\", \"--continue-on-collection-errors\"]\nreader = \"pytest\"\n" +
				fault("none", `replace = { file = "test_b.py", from = "1 == 1", to = "1 ==" }`, `must = "red"`) +
				fault("wrong", `replace = { file = "test_b.py", from = "1 == 1", to = "1 == 2" }`, `must = "red"`),
		}},
		"cargo": {"cargo", "could not compile `two`", func() map[string]string {
			files := crates("")
			files["gpuci.toml"] = "[[gate]]\nname = \"both\"\nrun = \"cargo test --offline -p one; cargo test --offline -p two\"\nreader = \"libtest\"\n" +
				fault("none", `replace = { file = "two/src/lib.rs", from = "x + 1", to = "x +" }`, `must = "red"`) +
				fault("wrong", `replace = { file = "two/src/lib.rs", from = "x + 1", to = "x + 2" }`, `must = "red"`)
			return files
		}()},
		"bash": {"bash", "syntax error", map[string]string{
			"sum.sh": "true\necho fine\n",
			"gpuci.toml": "[[gate]]\nname = \"sum\"\nrun = [\"bash\", \"sum.sh\"]\nreader = \"none\"\n" +
				fault("none", `replace = { file = "sum.sh", from = "true", to = "if (" }`, `must = "red"`) +
				fault("wrong", `replace = { file = "sum.sh", from = "true", to = "exit 1" }`, `must = "red"`),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			needs(t, c.tool)
			s := newStage(t, c.files)
			r := s.falsify()
			s.want(r, "does not build", "caught")
			if !strings.Contains(r.Planted[0].Why, c.why) {
				t.Errorf("%q, want %q", r.Planted[0].Why, c.why)
			}
			if marked := len(r.Marks) > 0; marked != (name == "bash") || marked && !strings.Contains(r.Marks[0], "an exit status: wrong.") {
				t.Errorf("%q", r.Marks)
			}
		})
	}
}

// Where the gate is there to refuse such a source, the fault says how.
func TestRefusesSource(t *testing.T) {
	s := newStage(t, map[string]string{
		"sum.sh":     "true\n",
		"gpuci.toml": "[[gate]]\nname = \"sum\"\nrun = [\"bash\", \"-n\", \"sum.sh\"]\nreader = \"none\"\n" + fault("none", `replace = { file = "sum.sh", from = "true", to = "if (" }`, `must = "finding:exit status 2"`),
	})
	s.want(s.falsify(), "caught")
}
