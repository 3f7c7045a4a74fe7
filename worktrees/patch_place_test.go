package worktrees

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// twins are two functions with the same loop, as an edit leaves them or not.
func twins(forward, between string) string {
	return "import math\n\ndef forward(x):\n    s = 0\n" + forward + "    return s\n\n" + between + "def helper(x):\n    s = 0\n    for v in x:\n        s += v\n    return s\n"
}

const loop = "    for v in x:\n        s += v\n"

// A patch that git would apply is held against the function it was made in: the same
// lines further down may be of another one.
func TestPatchPlace(t *testing.T) {
	r := newRepo(t)
	patch := "--- a/twins.py\n+++ b/twins.py\n@@ -4,4 +4,4 @@ def forward(x):\n     s = 0\n     for v in x:\n-        s += v\n+        s -= v\n     return s\n"
	if strings.Count(twins(loop, ""), "s += v") != 2 {
		t.Fatal("they are no twins")
	}
	for name, c := range map[string]struct{ text, moved, rotted string }{
		"as it was":                     {twins(loop, ""), "", ""},
		"pushed down":                   {"import sys\nimport os\n" + twins(loop, ""), "hunk 1 of twins.py goes 2 lines further down", ""},
		"pushed up":                     {strings.TrimPrefix(twins(loop, ""), "import math\n"), "goes 1 line further up", ""},
		"rewritten":                     {twins("    s = sum(x)\n", ""), "", `stands 5 lines further down, in "def helper(x):"`},
		"another before":                {"def early(a):\n    return a\n" + twins(loop, ""), "goes 2 lines further down", ""},
		"called otherwise now":          {strings.Replace("import os\n"+twins(loop, ""), "forward(x)", "onward(x)", 1), "", `in "def onward(x):"`},
		"called otherwise and in place": {strings.Replace(twins(loop, ""), "forward(x)", "onward(x)", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r.write("twins.py", c.text)
			fit, err := CheckPatch(t.Context(), r.lane(), []byte(patch))
			if c.rotted != "" {
				if !errors.Is(err, ErrNotApply) || !strings.Contains(err.Error(), c.rotted) {
					t.Errorf("%+v, %v, want %q", fit, err, c.rotted)
				}
				return
			}
			if moved := strings.Join(fit.Moved, "; "); err != nil || !strings.Contains(moved, c.moved) || (moved == "") != (c.moved == "") {
				t.Errorf("%q, %v, want %q", fit.Moved, err, c.moved)
			}
		})
	}
}

// What git makes of an edit is made in the function that git names, wherever the
// function is: also where headings are indented, by the rules of a language.
func TestPatchPlaceOfGit(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "*.rs diff=rust\n")
	body := func(name, op string) string {
		return "    fn " + name + "(&self) -> f64 {\n        let mut s = 0.0;\n        let one = 1.0;\n        let two = 2.0;\n        let three = one + two;\n        s " + op + "= three;\n        s\n    }\n\n"
	}
	file := func(first, op string) string {
		return "impl Scan {\n" + first + body("forward", op) + body("helper", "+") + "}\n"
	}
	r.write("scan.rs", file("", "+"))
	r.git("add", "-A")
	r.git("commit", "-qm", "begin")
	r.write("scan.rs", file("", "-"))
	cmd := exec.Command("git", "diff", "-U2")
	cmd.Dir = r.dir
	patch, err := cmd.Output()
	if err != nil || !strings.Contains(string(patch), "@@ fn forward(&self) -> f64 {") {
		t.Fatalf("%v: %s", err, patch)
	}
	for name, c := range map[string]struct {
		text string
		fits bool
	}{
		"moved":     {file("    // more\n    // to read\n", "+"), true},
		"rewritten": {file("", "*"), false},
	} {
		r.write("scan.rs", c.text)
		fit, err := CheckPatch(t.Context(), r.lane(), patch)
		if c.fits && (err != nil || len(fit.Moved) != 1) || !c.fits && !errors.Is(err, ErrNotApply) {
			t.Errorf("%s: %+v, %v", name, fit, err)
		}
	}
}
