package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnswers: a failure that is taken for an answer, and what is no more than one.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		e          bool
		want       []string
	}{
		{"if not, and said", `if ! ./t/run; then echo "run failed"; fi`, true, []string{"if ./t/run"}},
		{"both ways said", "if ./t/run; then echo ok; else echo failed; fi", true, []string{"if ./t/run"}},
		{"a test command that only lets others run", "if cargo test; then ./deploy; fi", true, []string{"if cargo test"}},
		{"a function in the if", "f() { ./t/run; }; if ! f; then echo no; fi", true, []string{"if f"}},
		{"with exit 0", "if ! ./t/run; then echo no; exit 0; fi", true, []string{"if ./t/run"}},
		{"with a list", "if ./a && ./t/run; then echo ok; else echo no; fi", true, []string{"if ./t/run"}},
		{"a program of the machine, and a failure is said", "if ! nvcc x.cu; then echo 'build failed'; fi", true, []string{"if nvcc x.cu"}},
		{"a flag that nobody looks at", "if ! ./t/run; then bad=1; echo $bad; fi", true, []string{"if ./t/run"}},

		{"it fails", "if ! ./t/run; then echo no; exit 1; fi", true, nil},
		{"it fails in a function", "die() { echo no; exit 1; }; if ! ./t/run; then die; fi", true, nil},
		{"it fails in a function of another file", "if ! ./t/run; then die no; fi", true, nil},
		{"a flag", "bad=; if ! ./t/run; then bad=1; fi; [ -z \"$bad\" ]", true, nil},
		{"a count", "n=0; if ! ./t/run; then n=$((n+1)); fi; exit $n", true, nil},
		{"a count in arithmetic", "n=0; if ! ./t/run; then ((n++)); fi; ((n == 0))", true, nil},
		{"a count of successes", "n=0; if ./t/run; then n=1; else echo no; fi; test $n = 1", true, nil},
		{"a file that is looked at", "if ! ./t/run; then echo x > bad.txt; fi; test ! -e bad.txt", true, nil},
		{"success ends it", "if ./t/run; then exit 0; fi; exit 1", true, nil},
		{"success ends the tries", "for i in 1 2; do if ./t/run; then break; fi; done", true, nil},
		{"another way", "if ! ./fast; then ./slow; fi", true, nil},
		{"a choice", "if ./has_gpu; then ./gpu; fi", true, nil},
		{"a chain", "if ./a; then echo a; elif ./b; then ./c; else exit 1; fi", true, nil},
		{"command -v", "if command -v x; then echo x; else echo none; fi", true, nil},
		{"test", "if [ -e x ]; then echo x; else echo failed; fi", true, nil},
		{"grep", "if grep -q x y; then echo x; else echo failed; fi", true, nil},
		{"a program of the machine", "if systemctl is-active x; then echo on; else echo off; fi", true, nil},

		{"a comparison alone", "./run > log || exit 1; grep -q passed log; echo done", false, []string{"unread grep -q passed log"}},
		{"test alone", "test -s f; echo done", false, []string{"unread test -s f"}},
		{"[ alone", "[ -s f ]; echo done", false, []string{"unread [ -s f ]"}},
		{"[[ alone", "[[ -s f ]]; echo done", false, []string{"unread [[ -s f ]]"}},
		{"test under set -e", "test -s f; echo done", true, nil},
		{"test, last", "test -s f", false, nil},
		{"test and more", "[ -s f ] && echo x; [ -e y ] || echo y; echo done", false, nil},
		{"test, asked", "[ -s f ]; rc=$?; exit $rc", false, nil},
		{"grep that shows", "grep x y; echo done", false, nil},

		{"while", "while ./t/run; do echo again; done", true, []string{"while ./t/run"}},
		{"while not, and gives up", "while ! ./t/run; do break; done", true, []string{"while ./t/run"}},
		{"until, and gives up", "until ./t/run; do n=$((n+1)); [ $n = 3 ] && break; done", true, []string{"while ./t/run"}},
		{"until", "until ./t/run; do sleep 1; done", true, nil},
		{"until, and fails", "until ./t/run; do n=$((n+1)); if [ $n = 3 ]; then exit 1; fi; done", true, nil},
		{"until curl", "until curl -f x; do sleep 1; done", true, nil},
		{"while it is busy", "while ./busy; do sleep 1; done", true, nil},
		{"while read", "while read -r x; do echo $x; done < f", true, nil},
		{"while of the machine", "while pgrep x; do echo; done", true, nil},

		{"in an argument", `printf '%s\n' "$(./t/run)"`, true, []string{"substitution ./t/run"}},
		{"in a loop's words", "for t in $(./list); do echo $t; done", true, []string{"substitution ./list"}},
		{"into mapfile", "mapfile -t l < <(./list)", true, []string{"substitution ./list"}},
		{"compared", `[ "$(./t/run)" = ok ]`, true, nil},
		{"falls back", "x=$(./t/run) || x=none; echo $x", true, []string{"or-true ./t/run"}},
		{"kept beside", "x=$(./t/run) || rc=$?; exit $rc", true, nil},
		{"falls back, of the machine", "v=$(git describe) || v=none", true, nil},

		{"find", `find . -name '*.x' -exec ./run {} \;`, true, []string{"find-exec ./run {}"}},
		{"find with plus", `find . -exec ./run {} +`, true, nil},
		{"find that tidies", `find . -exec rm {} \; -exec chmod +x {} ';'`, true, nil},
		{"xargs", "ls | xargs -n 1 ./run || true", true, []string{"or-true xargs -n 1 ./run"}},
		{"xargs sh", "ls | xargs -I {} sh -c './run {} || true'", true, []string{"or-true ./run {}"}},
		{"eval", `eval "./t/run || true"`, true, []string{"or-true ./t/run"}},
		{"eval in single quotes", `eval './t/run; echo'`, false, []string{"unread ./t/run"}},
		{"eval under set -e", `eval './t/run; echo'`, true, nil},
		{"eval sets", "eval 'set -e'; ./t/run; echo", false, nil},
		{"bash -c", "bash -c './t/run | tee log'", true, []string{"pipe ./t/run"}},
		{"bash -c with pipefail", "bash -o pipefail -c './t/run | tee log'", true, nil},
		{"bash -c itself", "bash -c './t/run' || true", true, []string{"or-true ./t/run"}},
		{"bash, from a text", "bash <<X\n./t/run || true\nX", true, []string{"or-true ./t/run"}},
	} {
		got, _, err := found(t, tt.text, tt.e, tt.e)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, d)
		}
	}
}

// TestAsked: a status that is only printed has no consequence; and what has one.
func TestAsked(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		e          bool
		want       []string
	}{
		{"printed", `check; echo "status $?"`, false, []string{"unread check"}},
		{"kept and printed", "check; rc=$?; echo $rc", false, []string{"unread check"}},
		{"a flag that is printed", "check || bad=1; echo $bad", true, []string{"or-true check"}},
		{"both values printed", "check && rc=0 || rc=$?; echo $rc", true, []string{"or-true check"}},
		{"a function that says so", `note_it() { echo "$1"; }; check || note_it x`, true, []string{"or-true check"}},
		{"a function that ends it", `quit() { echo "$1"; exit 1; }; check || quit x`, true, nil},
		{"printed into a file", "check; echo $? > status", false, nil},
		{"printed for another", "f() { check; rc=$?; echo $rc; }; x=$(f)", false, nil},
		{"printed into a pipe", "check || bad=1; echo $bad | grep -q 1 && exit 1", true, nil},
		{"given to the environment", "check || bad=1; export bad; ./other", true, nil},
		{"in a trap", "check || bad=1; trap 'exit $bad' EXIT", true, nil},

		{"trap in double quotes", `trap "rm -rf $tmp; exit 0" EXIT; check`, true, []string{"trap check"}},
		{"trap of a function", "finish() { rm x; exit 0; }; trap finish EXIT; check", true, []string{"trap check"}},
		{"trap of a function that keeps it", "finish() { rc=$?; exit $rc; }; trap finish EXIT; check", true, nil},

		{"a wait for another", "check & sleep 1 & wait $!", true, []string{"background check"}},
		{"each waited for", "check & a=$!; other & b=$!; wait $a; wait $b", true, nil},
		{"waited for by number", "check & wait %1", true, nil},
		{"waited for, all that are kept", `for i in 1 2; do check & p="$p $!"; done; for x in $p; do wait $x; done`, true, nil},
		{"a server", "server & s=$!; trap 'kill $s' EXIT; check", true, nil},

		{"functions that set options", "init() { set -euo pipefail; }; init; check | tee log; echo", false, nil},
		{"a function that ends the script itself", "f() { check || exit 1; other || die no; }; f; echo", false, nil},
		{"a function that does for one", "f() { check; other || exit 1; }; f; echo", false, []string{"unread check"}},
		{"a function that clears away", "clean_up() { svn_rm x; }; clean_up; echo", false, nil},
		{"looked for", "perf list | grep -q x || exit 2; if ! nm x | grep y; then exit 1; fi", false, nil},
		{"looked for, and its own", "./list | grep -q x || exit 2", false, []string{"pipe ./list"}},
		{"functions that ask for each other", "a() { local x=1; b \"$x\"; }; b() { local y=2; a \"$y\"; echo $x; }; check || a; echo", true, nil},
		{"known by a variable", `T="cargo test"; $T || true`, true, []string{"or-true $T"}},
		{"known by its arguments", `run() { "$@" || true; }; run ./t/run`, true, []string{`or-true "$@"`}},
		{"another encoding", "# caf\xe9\ncheck || true", true, []string{"or-true check"}},
	} {
		got, _, err := found(t, tt.text, tt.e, tt.e)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, d)
		}
	}
}

// TestLostOtherwise: what second looks found, each of which ends with 0 though ./s/step
// fails, and beside each what is none.
func TestLostOtherwise(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"./s/step & p=$!; wait $p || true", []string{"or-true wait $p"}},
		{`./s/step & pids="$!"; for p in $pids; do wait "$p" || echo failed; done`, []string{`or-true wait "$p"`}},
		{"./s/step & p=$!; if wait $p; then echo ok; else echo bad; fi", []string{"if wait $p"}},
		{"./s/step & p=$!; ./s/b & q=$!; wait $p $q", []string{"background wait $p $q"}},
		{"./s/server & p=$!; ./s/step; kill $p; wait $p || true", nil},
		{"./s/step & p=$!; wait $p", nil},
		{`rc=0; ./s/step || rc=$?; if [ $rc -ne 0 ]; then echo "failed: $rc" >&2; fi`, []string{"or-true ./s/step"}},
		{"rc=0; ./s/step || rc=$?; [ $rc -eq 0 ] || echo FAILED", []string{"or-true ./s/step"}},
		{"rc=0; ./s/step || rc=$?; [ $rc -eq 0 ] && echo fine || echo bad", []string{"or-true ./s/step"}},
		{"rc=0; ./s/step || rc=$?; if [ $rc -ne 0 ]; then echo no; exit $rc; fi", nil},
		{"rc=0; ./s/step || rc=$?; [ $rc -eq 0 ]", nil},
		{"rc=0; ./s/step || rc=$?; [ $rc -eq 0 ] || exit 1", nil},
		{"retry() { for i in 1 2 3; do \"$@\" && return 0; done; echo 'gave up'; }; retry ./s/step", []string{`tries "$@"`}},
		{"retry() { for i in 1 2 3; do \"$@\" && return 0; done; echo 'gave up'; return 1; }; retry ./s/step", nil},
		{"./s/step >log || tail log", []string{"or-true ./s/step"}},
		{"if ./s/step || ls x; then exit 1; fi", nil},
		{"exec > log; ./s/step", nil},
		{"./s/step || sleep 1", []string{"or-true ./s/step"}},
		{"python3 - <<X\nimport subprocess\nsubprocess.run(['./s/step'])\nX", []string{"unread subprocess.run(['./s/step'])"}},
		{"python3 -c \"import subprocess\nsubprocess.run(['./s/step'])\"", []string{"unread subprocess.run(['./s/step'])"}},
		{"python3 -c 'import subprocess\nsubprocess.run([\"./s/step\"], check=True)'", nil},
		{"(exec ./s/step) || true", []string{"or-true exec ./s/step"}},
		{"(exec ./s/step)", nil},
		{"exec ./s/step", nil},
		{"bash <<< './s/step; true'", []string{"unread ./s/step"}},
		{"bash <<< './s/step'", nil},
		{"case $(./s/step) in x) echo;; esac", []string{"substitution ./s/step"}},
		{`[ -n "$(./s/step)" ]`, []string{"substitution ./s/step"}},
		{`[ "$(./s/step)" = x ]`, nil},
		{"cat <<X\n$(./s/step)\nX", []string{"substitution ./s/step"}},
		{"cat <<'X'\n$(./s/step)\nX", nil},
		{"ldd ./s/step || true", nil},
		{"./s/step; diff a b || true", nil},
		{"./s/step; diff a b || echo differ", []string{"or-true diff a b"}},
	} {
		got, _, err := found(t, tt.text, true, true)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", tt.text, d)
		}
	}
	if got, _, _ := found(t, "exec ./s/step | cat", true, false); !cmp.Equal(got, []string{"pipe exec ./s/step"}) {
		t.Errorf("exec in a pipe: %q", got)
	}
}
