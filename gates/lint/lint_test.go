package lint

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
	"gpuci/gates/lint/crates"
)

// found walks a script and gives each finding as "kind command".
func found(t testing.TB, text string, e, p bool) (list []string, r *Report, err error) {
	t.Helper()
	r = &Report{}
	none := newSpaces(t.Context())
	none.ask = func(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("no cargo here") }
	u := &unit{look: &look{report: r, root: "/nowhere", gate: config.Gate{Name: "g"}, seen: make(map[string]bool), spaces: none}, dir: "/nowhere", path: "x.sh", text: text, whole: text}
	err = u.walkShell(e, p)
	for _, f := range r.Findings {
		list = append(list, string(f.Kind)+" "+f.Command)
	}
	return list, r, err
}

func TestShell(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		e, p       bool
		want       []string
	}{
		{"last", "check", false, false, nil},
		{"not last", "check; echo done", false, false, []string{"unread check"}},
		{"not last, under set -e", "check; echo done", true, false, nil},
		{"exit 0", "check; exit 0", false, false, []string{"unread check"}},
		{"exit $?", "check; exit $?", false, false, nil},
		{"status kept", "check; rc=$?; echo; exit $rc", false, false, nil},
		{"status tested", "check\nif [ $? -ne 0 ]; then exit 1; fi\ntrue", false, false, nil},
		{"or exit", "check || exit 1; echo done", false, false, nil},
		{"or exit without a number", "check || exit; echo done", false, false, nil},
		{"or exit 0", "check || exit 0", true, true, []string{"or-true check"}},
		{"or a block that ends it", "check || { echo no; exit 3; }", true, true, nil},
		{"or a block that does not", "check || { echo no; rm x; echo; }", true, true, []string{"or-true check"}},
		{"or fail", "fail=0; check || fail=1; exit $fail", true, true, nil},
		{"or fail, in arithmetic", "fail=0; check || fail=1; exit $((fail))", true, true, nil},
		{"or fail, and nobody asks", "check || fail=1; true", true, true, []string{"or-true check"}},
		{"harmless", "rm -f x || true; mkdir y || :; nvidia-smi | head; rustc --version | tee v", true, false, nil},
		{"tee", "check | tee log", true, false, []string{"pipe check"}},
		{"tee under pipefail", "set -o pipefail; check | tee log", true, false, nil},
		{"PIPESTATUS", "check | tee log; exit ${PIPESTATUS[0]}", true, false, nil},
		{"grep decides", "echo x | check", false, false, nil},
		{"both of a pipe", "a | b | c", false, false, []string{"pipe a", "pipe b"}},
		{"set +e", "set +e; check; echo", true, false, []string{"set+e check"}},
		{"set +e and back", "set +e; check; rc=$?; set -e; other; exit $rc", true, false, nil},
		{"subshell keeps its own", "(set +e; echo); check; echo", true, false, nil},
		{"function in a condition", "f() { check; echo; }; if f; then true; fi", true, false, []string{"condition check"}},
		{"function, as a command", "f() { check; echo; }; f", true, false, nil},
		{"function lost", "f() { check; }; f || true", true, false, []string{"or-true f"}},
		{"function, both ways", "f() { check; echo; }; f; f && true", true, false, []string{"condition check"}},
		{"function that calls itself", "f() { check; f; }; f", true, false, nil},
		{"and", "a && b; echo", true, false, []string{"and a"}},
		{"and break", "while :; do a && break; done; echo", true, false, nil},
		{"and, last", "a && b", true, false, nil},
		{"if", "if check; then echo ok; else exit 1; fi", true, false, nil},
		{"loop", "for i in 1 2; do check; done", false, false, []string{"loop check"}},
		{"loop under set -e", "for i in 1 2; do check; done", true, false, nil},
		{"while read", "ls | while read x; do check $x; done", true, false, nil},
		{"local", "f() { local x=$(check); }; f", true, false, []string{"declared check"}},
		{"export", "export X=\"$(check)\"", true, false, []string{"declared check"}},
		{"assigned", "x=$(check); echo $x", true, false, nil},
		{"assigned, lost", "x=$(check); echo $x", false, false, []string{"unread check"}},
		{"argument", `echo "$(pytest -q)"`, true, false, []string{"substitution pytest -q"}},
		{"argument that says nothing", `echo "$(figlet x)"`, true, false, nil},
		{"process", "diff <(go test ./...) want", true, true, []string{"substitution go test ./..."}},
		{"background", "check & wait", true, false, []string{"background check"}},
		{"background, waited for", "check & wait $!", true, false, nil},
		{"negated", "! check; echo", true, false, []string{"negated check"}},
		{"negated, last", "! check", true, false, nil},
		{"trap", "trap 'rm x; exit 0' EXIT; check", true, false, []string{"trap check"}},
		{"trap that keeps it", "trap 'rm x' EXIT; check", true, false, nil},
		{"wrapped", "env A=b timeout -k 5 30 cargo test || true", true, true, []string{"or-true env A=b timeout -k 5 30 cargo test"}},
		{"heredoc", "cat <<EOF\ncheck || true\nEOF\ncheck", true, true, nil},
		{"case", "case $1 in a) check || true ;; *) other ;; esac", true, true, []string{"or-true check"}},
		{"array with words", "declare -A p=([ld.lld]=lld)\ncheck || true", true, true, []string{"or-true check"}},
		{"time", "time check | tee x", true, false, []string{"pipe check"}},
	} {
		got, _, err := found(t, tt.text, tt.e, tt.p)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, d)
		}
	}
}

// TestShellIsRight holds the walk against bash: where a command is reported, the script
// ends with 0 though it fails; where nothing is, it does not.
func TestShellIsRight(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs bash")
		}
		t.Skip("needs bash")
	}
	scripts := []string{
		"check; echo", "check | cat", "check || true", "check || { echo; false; }", "f() { check; echo; }; f", "f() { check; echo; }; f || exit 3",
		"f() { check; echo; }; if f; then :; else exit 4; fi", "x=$(check); echo $x", "f() { local x=$(check); echo; }; f", "export X=$(check)", "check && true; echo", "check && true",
		"for i in 1 2; do check; done", "for i in 1 2; do check || exit 5; done", "(check; echo)", "{ check; echo; } | cat", "check & wait", "check & wait $!",
		"set +e; check; echo", "set +e; check; rc=$?; exit $rc", "case a in a) check;; esac; echo", "while :; do check; break; done", "time check; echo",
		"check || rc=$?; exit $rc", "trap 'exit 0' EXIT; check", "check; exit 0", "exec check", "check\nexit $?", "if true; then check; fi; echo", "set -o pipefail; check | cat; echo",
		"x=\"$(check; echo)\"; echo", "f() { set +e; check; }; f; echo",
		"check; echo $?", "check; rc=$?; echo $rc", "check || bad=1; echo $bad", "n() { echo \"$1\"; }; check || n x", "q() { exit 1; }; check || q",
		"eval 'check || true'", "eval 'check; echo'", "bash -c 'check | cat'", "bash -ec 'check; echo'", "bash <<X\ncheck || true\nX",
		"trap \"echo $0; exit 0\" EXIT; check", "f() { exit 0; }; trap f EXIT; check", "check & sleep 0 & wait $!", "check & a=$!; sleep 0 & wait $a",
		"i() { set -euo pipefail; }; i; check | cat; echo", "run() { \"$@\" || true; }; run check", "check || bad=1; exit ${bad:-0}",
	}
	seen := 0
	for _, script := range scripts {
		for _, options := range []string{"-c", "-ec", "-euo pipefail -c"} {
			fails := "false"
			if strings.HasPrefix(script, "for i") { // in the first turn only, as a proof has it
				fails = "[ $i = 2 ]"
			}
			words := append(strings.Fields(options), strings.ReplaceAll(script, "check", fails))
			lost := exec.Command(bash, words...).Run() == nil
			list, _, err := found(t, script, strings.Contains(options, "e"), strings.Contains(options, "pipefail"))
			if err != nil {
				t.Fatal(err)
			}
			if lost != (len(list) > 0) {
				t.Errorf("bash %s %q: the failure is lost: %v; found %q", options, script, lost, list)
			}
			seen++
		}
	}
	if seen < 140 {
		t.Fatalf("only %d scripts were run", seen)
	}
}

func TestMakefile(t *testing.T) {
	m := parseMakefile(strings.Join([]string{
		"SHELL := bash", ".SHELLFLAGS := -euo pipefail -c", "X = a:b", "all: one two | three", "\t@echo $(X) $$HOME \\", "\t  more", "one: ; -check", "two three:", "\t-+@ $(MAKE) -C sub $@", "# end", ".PHONY: all", "last :: x",
	}, "\n"))
	if !m.e || !m.p || m.first != "all" {
		t.Errorf("got e %v, p %v, first %q", m.e, m.p, m.first)
	}
	if d := cmp.Diff([]string{"one", "two", "three"}, m.rules["all"].needs); d != "" {
		t.Error(d)
	}
	if r := m.rules["one"].recipes; len(r) != 1 || !r[0].dash || r[0].text != "check" {
		t.Errorf("one has %+v", r)
	}
	if r := m.rules["three"].recipes; len(r) != 1 || !r[0].dash || r[0].text != "make    -C sub vv" {
		t.Errorf("three has %+v", r)
	}
}

// FuzzShell: whatever is written, each finding is a piece of it that a shell can read
// with another command in its place.
func FuzzShell(f *testing.F) {
	for _, s := range []string{"a | b || true; $(c)", "f() { x=$(y) & }; ! f; trap 'exit 0' EXIT", "for i in `a`; do b <(c) && d; done", "cat <<E\n$(a)\nE\n", "set +e\nlocal x=\"$(go test)\"", "case x in (a) b;; esac | c", "a\\\nb || :", "f(){ f;};f"} {
		f.Add(s, true, false)
	}
	f.Fuzz(func(t *testing.T, text string, e, p bool) {
		_, r, err := found(t, text, e, p)
		if err != nil {
			return
		}
		for _, x := range r.Findings {
			if len(x.edits) == 0 { // nothing can be planted: a wait for several, Python in quotes
				continue
			}
			if len(x.edits) != 1 || x.edits[0].from < 0 || x.edits[0].to > len(text) || x.edits[0].from >= x.edits[0].to {
				t.Fatalf("%s %q is at %+v of %d bytes", x.Kind, x.Command, x.edits, len(text))
			}
			if x.Line < 1 || x.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%s %q is on line %d", x.Kind, x.Command, x.Line)
			}
		}
	})
}

// FuzzMakefile: every recipe is as long as what stands in the file in its place.
func FuzzMakefile(f *testing.F) {
	f.Add("a: b\n\t-echo $(X) $$y \\\n\t z\nb: ; @c\n")
	f.Add(".IGNORE:\n%.o: %.c\n\t${CC} $")
	f.Add("a:\n\t$(")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range parseMakefile(text).rules {
			for _, line := range r.recipes {
				if line.at < 0 || line.at+len(line.text) > len(text) {
					t.Fatalf("%q is at %d of %d bytes", line.text, line.at, len(text))
				}
			}
		}
	})
}

// FuzzTests: files of tests, whatever is in them, give findings on their own lines.
func FuzzTests(f *testing.F) {
	f.Add("#[test]\nfn a() {\n  return;\n}")
	f.Add("import os\ndef test_a(x='('):\n  if 'A' in os.environ: return\n")
	f.Add("package a\nfunc TestA(t *testing.T) { return }")
	f.Add("subprocess.run([\"a\",\n'b'])\nos.system(")
	f.Fuzz(func(t *testing.T, text string) {
		r := &Report{}
		at := func(name string) *unit {
			return &unit{look: &look{report: r, seen: make(map[string]bool)}, path: name, text: text, whole: text}
		}
		at("a.rs").rust(crates.Choice{}, "")
		at("a_test.go").golang(goChoice{})
		at("test_a.py").pytest(func(pyCase) bool { return true })
		at("test_a.py").programs()
		at("test_a.py").caught()
		for _, x := range r.Findings {
			if !slices.Contains([]string{"a.rs", "test_a.py", "a_test.go"}, x.File) || x.Line < 1 || x.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%+v is nowhere", x)
			}
		}
	})
}
