package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/gates/config"
)

// looked looks through a workspace of some files, and gives what is said of it.
func looked(t *testing.T, files map[string]string) *Report {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(config.Sources{Workspace: filepath.Join(dir, config.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Look(t.Context(), Options{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const swallows = "#!/bin/bash\n./s/step || true\n"

// TestFollows: whatever way a script of the workspace is called in, it is read, or it is
// said that something was not.
func TestFollows(t *testing.T) {
	for name, tt := range map[string]struct {
		run   string // of the gate, in TOML
		files map[string]string
		found string // FILE:LINE of the finding, or
		says  string // a piece of what was not read
	}{
		"numactl":                      {run: `"numactl -N 0 ./s/a.sh"`, found: "s/a.sh:2"},
		"nsys":                         {run: `"nsys profile -o x ./s/a.sh"`, found: "s/a.sh:2"},
		"gpuci build":                  {run: `"gpuci build -- ./s/a.sh"`, found: "s/a.sh:2"},
		"arguments":                    {run: `["./wrap.sh", "./s/a.sh"]`, files: map[string]string{"wrap.sh": "#!/bin/bash\nset -e\n\"$@\"\n"}, found: "s/a.sh:2"},
		"array":                        {run: `["./x.sh"]`, files: map[string]string{"x.sh": "#!/bin/bash\nset -e\ncmd=(./s/a.sh)\n\"${cmd[@]}\"\n"}, found: "s/a.sh:2"},
		"array that grows":             {run: `["./x.sh"]`, files: map[string]string{"x.sh": "#!/bin/bash\nset -e\ncmd=()\ncmd+=(./s/a.sh)\n\"${cmd[@]}\"\n"}, says: "x.sh:5: what it runs is not known"},
		"glob":                         {run: `["./x.sh"]`, files: map[string]string{"x.sh": "#!/bin/bash\nset -e\nfor f in s/a*.sh; do bash \"$f\"; done\n"}, found: "s/a.sh:2"},
		"second of a list":             {run: `["./x.sh"]`, files: map[string]string{"x.sh": "#!/bin/bash\nset -e\nfor f in b a; do bash s/$f.sh; done\n", "s/b.sh": "true\n"}, found: "s/a.sh:2"},
		"unknown list":                 {run: `["./x.sh"]`, files: map[string]string{"x.sh": "#!/bin/bash\nset -e\nfor f in $LIST; do bash \"$f\"; done\n"}, says: "x.sh:3: what it runs is not known"},
		"python -m":                    {run: `["python3", "-m", "tools.x"]`, files: map[string]string{"tools/x.py": "import subprocess\nsubprocess.run(['./s/step'])\n"}, found: "tools/x.py:2"},
		"python -c":                    {run: `["python3", "-c", "import subprocess; subprocess.run('./s/step')\nsubprocess.run('./s/step')"]`, found: "gpuci.toml:4"},
		"include":                      {run: `["make"]`, files: map[string]string{"Makefile": "all: inc2\ninclude ci.mk\n", "ci.mk": "inc2:\n\t-./s/step\n"}, found: "ci.mk:2"},
		"wildcard":                     {run: `["make"]`, files: map[string]string{"Makefile": "all: inc2\ninclude $(wildcard mk/*.mk)\n", "mk/ci.mk": "inc2:\n\t-./s/step\n"}, found: "mk/ci.mk:2"},
		"include of what is not known": {run: `["make"]`, files: map[string]string{"Makefile": "all:\n\ttrue\ninclude $(X)/ci.mk\n"}, says: "Makefile includes $(X)/ci.mk"},
		"a dash of a variable":         {run: `["make"]`, files: map[string]string{"Makefile": "RUN = -\nall:\n\t$(RUN) ./s/step\n"}, found: "Makefile:3"},
		"define":                       {run: `["make"]`, files: map[string]string{"Makefile": "define go\n./s/step || true\nendef\nall:\n\t$(go)\n"}, says: "`define go`"},
		"pattern":                      {run: `["make", "a.t"]`, files: map[string]string{"Makefile": "%.t:\n\t-./s/step\n"}, found: "Makefile:2"},
	} {
		files := map[string]string{"s/a.sh": swallows, "s/step": "#!/bin/sh\n", "gpuci.toml": "[[gate]]\nname = \"g\"\nreader = \"none\"\nrun = " + strings.ReplaceAll(tt.run, "\n", `\n`) + "\n"}
		for at, text := range tt.files {
			files[at] = text
		}
		r := looked(t, files)
		isThere := func(f Finding) bool { return fmt.Sprintf("%s:%d", f.File, f.Line) == tt.found }
		if tt.found != "" && !slices.ContainsFunc(r.Findings, isThere) {
			t.Errorf("%s: want a finding at %s: %+v, beyond %q, unread %q", name, tt.found, r.Findings, r.Beyond, r.Unread)
		}
		if said := strings.Join(append(r.Beyond, r.Unread...), "\n"); !strings.Contains(said, tt.says) {
			t.Errorf("%s: want %q: %s", name, tt.says, said)
		}
	}
}

// TestWorkflow: a step that loses what gpuci ends with is found, in whatever way it runs
// gpuci; the shell that one job names is not that of another.
func TestWorkflow(t *testing.T) {
	job := func(name, defaults, run string) string {
		return "  " + name + ":\n" + defaults + "    steps:\n      - run: " + run + "\n"
	}
	const bash = "    defaults:\n      run:\n        shell: bash\n"
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"another job's shell":  {"jobs:\n" + job("a", "", "gpuci gate g | tee log") + job("b", bash, "true"), 1},
		"another job's, first": {"jobs:\n" + job("b", bash, "true") + job("a", "", "gpuci gate g | tee log"), 1},
		"its own shell":        {"jobs:\n" + job("a", bash, "gpuci gate g | tee log"), 0},
		"the file's shell":     {"defaults:\n  run:\n    shell: bash\njobs:\n" + job("a", "", "gpuci gate g | tee log"), 0},
		"the file's, behind":   {"jobs:\n" + job("a", "", "gpuci gate g | tee log") + "defaults:\n  run:\n    shell: bash\n", 0},
		"falsify":              {"jobs:\n" + job("a", "", "gpuci falsify || true"), 1},
		"fixtures":             {"jobs:\n" + job("a", "", "gpuci fixtures verify || true"), 1},
		"what does not judge":  {"jobs:\n" + job("a", "", "gpuci status || true"), 0},
		"go run":               {"jobs:\n" + job("a", "", "go run ./cmd/gpuci gate g || true"), 1},
		"a script":             {"jobs:\n" + job("a", "", "./ci.sh | tee log"), 1},
		"a script, by bash":    {"jobs:\n" + job("a", "", "bash ./ci.sh || true"), 1},
		"another script":       {"jobs:\n" + job("a", "", "./other.sh | tee log"), 0},
	} {
		r := looked(t, map[string]string{
			"gpuci.toml": "[[gate]]\nname = \"g\"\nreader = \"none\"\nrun = \"true\"\n", ".github/workflows/a.yml": "on: push\n" + tt.text,
			"ci.sh": "#!/bin/bash\nset -e\ngpuci gate g\n", "other.sh": "#!/bin/sh\ntrue\n",
		})
		if len(r.Findings) != tt.want {
			t.Errorf("%s: got %d findings, want %d: %+v", name, len(r.Findings), tt.want, r.Findings)
		}
	}
}

const skipped = "import pytest\n@pytest.mark.skip\ndef test_a():\n    assert 1\n"

// TestPytestSettings: options of pytest's configuration and of the environment count as if
// they were written, a shell's globs are expanded, and what pytest does not collect is no test.
func TestPytestSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		gate  string
		files map[string]string
		want  int
	}{
		"glob":            {"run = \"pytest t/test_*.py\"", nil, 2},
		"addopts":         {"run = \"pytest\"", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\naddopts = \"--ignore=t/ig\"\n"}, 2},
		"addopts, a list": {"run = \"pytest\"", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\naddopts = [\"-q\", \"--ignore=t/ig\"]\n"}, 2},
		"addopts of ini":  {"run = \"pytest\"", map[string]string{"pytest.ini": "[pytest]\naddopts =\n    -q\n    --ignore t/ig\n"}, 2},
		"environment":     {"run = \"pytest\"\nenv = { PYTEST_ADDOPTS = \"--ignore=t/ig\" }", nil, 2},
		"all":             {"run = \"pytest\"", nil, 3},
		"-c":              {"run = \"pytest -c other.ini\"", map[string]string{"other.ini": "[pytest]\npython_files = test_a.py\n"}, 1},
		"-o":              {"run = \"pytest -o python_files=test_b.py\"", nil, 1},
		"no test class":   {"run = \"pytest t/test_a.py\"", map[string]string{"t/test_a.py": "import pytest\nclass Other:\n    @pytest.mark.skip\n    def test_a(self):\n        assert 1\n"}, 0},
		"a test case":     {"run = \"pytest t/test_a.py\"", map[string]string{"t/test_a.py": "import pytest, unittest\nclass Other(unittest.TestCase):\n    @pytest.mark.skip\n    def test_a(self):\n        assert 1\n"}, 1},
	} {
		files := map[string]string{"t/test_a.py": skipped, "t/test_b.py": skipped, "t/ig/test_c.py": skipped, "gpuci.toml": "[[gate]]\nname = \"g\"\nreader = \"none\"\n" + tt.gate + "\n"}
		for at, text := range tt.files {
			files[at] = text
		}
		if r := looked(t, files); len(r.Findings) != tt.want || len(r.Unread) > 0 {
			t.Errorf("%s: got %d findings, want %d: %+v, unread %q", name, len(r.Findings), tt.want, r.Findings, r.Unread)
		}
	}
}

// TestGoWorkspace: packages of another module of the workspace, go -C, and what the gate's
// environment says of which files are built.
func TestGoWorkspace(t *testing.T) {
	const hollow = "package p\nimport \"testing\"\nfunc TestA(t *testing.T) { return }\n"
	for gate, want := range map[string]string{
		`run = ["go", "test", "ex.com/m2/..."]`:                                 "m2/p/a_test.go",
		"run = [\"go\", \"test\", \"ex.com/m2/p\"]\ndir = \"m1\"":               "m2/p/a_test.go",
		`run = ["go", "-C", "m1", "test", "./p"]`:                               "m1/p/a_test.go",
		"run = [\"go\", \"test\", \"./m3\"]\nenv = { GOFLAGS = \"-tags=gpu\" }": "m3/gpu_test.go",
		"run = [\"go\", \"test\", \"./m3\"]\nenv = { GOOS = \"plan9\" }":        "m3/a_plan9_test.go",
	} {
		r := looked(t, map[string]string{
			"go.work": "go 1.24\n\nuse (\n\t./m1 // one\n\t./m2\n)\nuse ./m3\n", "m1/go.mod": "module ex.com/m1\n", "m2/go.mod": "module ex.com/m2\n", "m3/go.mod": "module ex.com/m3\n",
			"m1/p/a_test.go": hollow, "m2/p/a_test.go": hollow, "m3/gpu_test.go": "//go:build gpu\n\n" + hollow, "m3/a_plan9_test.go": hollow,
			"gpuci.toml": "[[gate]]\nname = \"g\"\nreader = \"none\"\n" + gate + "\n",
		})
		if len(r.Findings) != 1 || r.Findings[0].File != want || len(r.Unread) > 0 {
			t.Errorf("%s: want one in %s: %+v, unread %q", gate, want, r.Findings, r.Unread)
		}
	}
}

// TestRustFeatures: a module that is not compiled has no test that is run.
func TestRustFeatures(t *testing.T) {
	const ignored = "#[test]\n#[ignore]\nfn a() { assert!(true); }\n"
	for words, want := range map[string]string{
		`"--lib"`: "src/cpu.rs", `"--lib", "--features", "gpu"`: "src/gp.rs", `"--lib", "--all-features"`: "src/gp.rs", `"--lib", "--features", "most"`: "src/gp.rs",
	} {
		r := looked(t, map[string]string{
			"Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[features]\ngpu = []\nmost = [\"gpu\"]\n",
			"src/lib.rs": "#[cfg(feature = \"gpu\")]\nmod gp;\n#[cfg(not(feature = \"gpu\"))]\nmod cpu;\n", "src/gp.rs": ignored, "src/cpu.rs": ignored,
			"gpuci.toml": "[[gate]]\nname = \"g\"\nreader = \"none\"\nrun = [\"cargo\", \"test\", " + words + "]\n",
		})
		if len(r.Findings) != 1 || r.Findings[0].File != want {
			t.Errorf("%s: want one in %s: %+v, unread %q", words, want, r.Findings, r.Unread)
		}
	}
}
