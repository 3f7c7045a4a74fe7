package falsify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates"
	"gpuci/gates/history"
)

// run is falsify without the proof that the lane stays as it is: for commands that
// reach out of the scratch lane.
func (s *stage) run(only ...string) *Report {
	s.t.Helper()
	o := s.options()
	o.Only = only
	r, err := Run(s.t.Context(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// wrong prints as many as its program has wrong parts in it.
const wrong = `
build = ["make", "-s"]
run = "echo gpuci:metric name=rel value=$(grep -c WRONG prog || true)"
reader = "none"

  [[gate.bar]]
  metric = "rel"
  max = 1e-3
`

// What a fault adds is not there any more when the next one is judged, though make does
// not build anew what has lost one of its parts; and what it takes away is seen.
func TestPathsThatComeAndGo(t *testing.T) {
	needs(t, "make")
	const more = "--- /dev/null\n+++ b/more.c\n@@ -0,0 +1 @@\n+WRONG\n"
	s := newStage(t, map[string]string{
		".gitignore": "prog\n", "a.c": "a\n", "NOTES.x": "docs\n", "faults/more.patch": more, "b.c": "not WRONG\n", "c.c": "c\n",
		"Makefile": "prog: $(wildcard *.c)\n\t@grep -hv 'not WRONG' $^ > $@; [ -e b.c ] || echo WRONG >> $@\n",
		"gpuci.toml": "[[gate]]\nname = \"prog\"" + wrong +
			fault("more", `patch = "faults/more.patch"`, `must-move = "rel"`) +
			fault("docs", `replace = { file = "NOTES.x", from = "docs", to = "other" }`, `must-move = "rel"`) +
			fault("gone", `command = ["rm", "b.c"]`, `must-move = "rel"`) +
			fault("wrong", `replace = { file = "a.c", from = "a", to = "WRONG" }`, `must-move = "rel"`),
	})
	s.want(s.falsify(), "caught", "blind", "caught", "caught")
}

// A link that leads elsewhere is a change that no time tells.
func TestLinksAreSettled(t *testing.T) {
	needs(t, "make")
	s := newStage(t, map[string]string{
		".gitignore": "prog\n", "good.c": "good\n", "evil.c": "WRONG\n", "NOTES.x": "docs\n",
		"Makefile": "prog: cur.c\n\t@cp $< $@\n",
		"gpuci.toml": "[[gate]]\nname = \"prog\"" + wrong +
			fault("both", `command = "ln -sf evil.c cur.c; echo >> evil.c"`, `must-move = "rel"`) +
			fault("docs", `replace = { file = "NOTES.x", from = "docs", to = "other" }`, `must-move = "rel"`) +
			fault("link", `command = "ln -sf evil.c cur.c"`, `must-move = "rel"`),
	})
	if err := os.Symlink("good.c", filepath.Join(s.dir, "cur.c")); err != nil {
		t.Fatal(err)
	}
	s.git("add", "-A")
	s.git("commit", "-qm", "link")
	s.want(s.falsify(), "caught", "blind", "caught")
}

// stateful is red where its source is wrong, and ever after.
func stateful(faults string) map[string]string {
	return map[string]string{
		".gitignore": ".state/\n", "a.c": "a\n", "NOTES.x": "docs\n",
		"gpuci.toml": "[[gate]]\nname = \"state\"\nrun = \"if grep -q WRONG a.c || [ -e .state/red ]; then mkdir -p .state; touch .state/red; exit 1; fi\"\nreader = \"none\"\n" + faults,
	}
}

// What a run leaves for the next one, in a file that git ignores, makes no fault caught
// that is not; and what was caught is so all the same.
func TestStateIsTold(t *testing.T) {
	bad := fault("bad", `replace = { file = "a.c", from = "a", to = "WRONG" }`, `must = "red"`)
	worse := fault("worse", `replace = { file = "a.c", from = "a", to = "more WRONG" }`, `must = "red"`)
	docs := fault("docs", `replace = { file = "NOTES.x", from = "docs", to = "other" }`, `must = "red"`)
	s := newStage(t, stateful(bad+docs+worse))
	s.want(s.falsify(), "caught", "blind", "caught")
	s.want(s.falsify("docs"), "blind")
	s.want(s.falsify("bad", "worse"), "caught", "caught")
}

// chance is a gate that says once what a fault says of it, in its second run, and a
// fault that changes nothing but notes. outside counts its runs.
func chance(outside, bad, good, says, more string) map[string]string {
	return map[string]string{
		"NOTES.x": "docs\n",
		"gpuci.toml": "[[gate]]\nname = \"flaky\"\nrun = \"\"\"n=$(cat " + outside + " || echo 0); echo $((n + 1)) > " + outside + "; if [ $n = 1 ]; then " + bad + "; else " + good + "; fi\"\"\"\n" + more +
			fault("docs", `replace = { file = "NOTES.x", from = "docs", to = "other" }`, says),
	}
}

// A gate that is red now and then shows nothing, however a fault says that it is shown,
// and one that is red from now on for no reason of its source shows no more.
func TestChanceIsTold(t *testing.T) {
	const none, bar = "reader = \"none\"\n", "\n  [[gate.bar]]\n  metric = \"rel\"\n  max = 1e-5\n"
	const again = "goes by chance: it is red with it, and green when it is run again"
	outside := filepath.Join(t.TempDir(), "count")
	for name, c := range map[string]struct{ bad, good, says, more, why string }{
		"once": {"false", "true", `must = "red"`, none, again},
		"from now on": {"false", "[ $n = 0 ]", `must = "red"`, none,
			"not told from chance, or from what an earlier fault left outside of the lane: without a fault it is red"},
		"a metric": {"echo gpuci:metric name=rel value=1", "echo gpuci:metric name=rel value=1e-7", `must-move = "rel"`, none + bar, again},
		"a metric, by less": {"echo gpuci:metric name=rel value=1", "echo gpuci:metric name=rel value=$((n > 1))e-4", `must-move = "rel"`, none + bar,
			"goes by chance: it shows it, and when it is run again, the gate is red, and rel is 10 times its bar: 100 times is asked for"},
		"a witness": {"echo w=0", "echo w=1", `must = "witness:w == 1"`, none + "\n  [[gate.witness]]\n  pattern = 'w=(?P<w>\\d)'\n  holds = \"w == 1\"\n", again},
		"a test": {"echo 'running 1 test'; echo 'test a ... FAILED'; echo; echo 'test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'; exit 101",
			"echo 'running 1 test'; echo 'test a ... ok'; echo; echo 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'", `must = "test-failed:a"`, "reader = \"libtest\"\n", again},
		"a finding": {"exit 3", "true", `must = "finding:exit status 3"`, none, again},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(outside)
			s := newStage(t, chance(outside, c.bad, c.good, c.says, c.more))
			r := s.falsify()
			if s.want(r, "broken"); r.Exit != 102 || r.Caught != 0 || len(r.Planted) != 1 || !strings.Contains(r.Planted[0].Why, c.why) {
				t.Errorf("%d: %q: %+v", r.Exit, r.Broken, r.Planted)
			}
		})
	}
}

// A repeat whose runs are all red has shown it more than once; one with a single red
// run is judged again.
func TestRepeatsAreEnough(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "count")
	s := newStage(t, map[string]string{
		"a.c": "a\n", "NOTES.x": "docs\n",
		"gpuci.toml": "[[gate]]\nname = \"flaky\"\nrun = \"echo >> " + outside + "; ! grep -q WRONG a.c\"\nreader = \"none\"\nrepeat = 3\n" +
			fault("bad", `replace = { file = "a.c", from = "a", to = "WRONG" }`, `must = "red"`),
	})
	s.want(s.falsify(), "caught")
	if runs, err := os.ReadFile(outside); err != nil || len(runs) != 9 {
		t.Errorf("%d runs, want 3 without a fault, 3 with it, 3 without: %v", len(runs), err)
	}
	_ = os.Remove(outside)
	files := chance(outside, "false", "[ $n != 3 ]", `must = "red"`, "reader = \"none\"\nrepeat = 2\n")
	files["gpuci.toml"] = strings.Replace(files["gpuci.toml"], "[ $n = 1 ]", "false", 1)
	s = newStage(t, files)
	s.want(s.falsify(), "broken")
}

// What was not held against a run without a fault is on no record.
func TestKeepIsNotRecorded(t *testing.T) {
	s := newStage(t, shellFiles(fault("good", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`)))
	o := s.options()
	o.Keep = true
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.want(r, "caught")
	if len(r.Marks) != 1 || !strings.Contains(r.Marks[0], "not recorded") || r.Kept == "" {
		t.Errorf("%q, kept %q", r.Marks, r.Kept)
	}
	store, err := s.past().Store()
	if err != nil {
		t.Fatal(err)
	}
	if list, err := store.Falsifications(t.Context(), history.Query{Partial: true}); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A build that does not know of a header leaves what there was: no fault is judged by
// that, neither the one in the header nor those that come after it.
func TestHeaderThatMakeDoesNotKnow(t *testing.T) {
	needs(t, "gcc")
	needs(t, "make")
	docs := func(name, from string) string {
		return fault(name, `replace = { file = "NOTES.x", from = "`+from+`", to = "other" }`, `must-move = "rel"`)
	}
	header := fault("header", `replace = { file = "k.h", from = "1e-7", to = "1e3" }`, `must-move = "rel"`)
	files := map[string]string{
		".gitignore": "prog\nprog.d\n", "NOTES.x": "one two\n", "k.h": "#define K 1e-7\n",
		"good.c":   "#include <stdio.h>\n#include \"k.h\"\nint main(void) { printf(\"gpuci:metric name=rel value=%g\\n\", K); return 0; }\n",
		"Makefile": "prog: good.c\n\tgcc -MMD -o $@ good.c\n",
		"gpuci.toml": "[[gate]]\nname = \"g\"\nbuild = [\"make\", \"-s\"]\nrun = [\"./prog\"]\nreader = \"none\"\n\n  [[gate.bar]]\n  metric = \"rel\"\n  max = 1e-5\n" +
			docs("docs1", "one") + header + docs("docs2", "two"),
	}
	s := newStage(t, files)
	s.want(s.falsify(), "blind", "caught", "blind")
	s.want(s.falsify("header"), "caught")
}

// A command that writes to the lane spoils what comes after it: the gate may read it.
func TestCommandReachesTheLane(t *testing.T) {
	files := shellFiles("")
	s := newStage(t, files)
	s.write("gpuci.toml", files["gpuci.toml"]+
		fault("first", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`)+
		fault("out", `command = "echo rel=5 >> `+filepath.Join(s.dir, "values")+`; echo >> values"`, `must = "red"`)+
		fault("last", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`))
	r := s.run()
	s.want(r, "caught", "broken", "broken")
	if r.Exit != 102 || !strings.Contains(r.Planted[2].Why, "lane main changed while the command of fault out ran") {
		t.Errorf("%d, %q", r.Exit, r.Planted[2].Why)
	}
}

// A command may do to git's books what it likes, and it is said.
func TestCommandAndGit(t *testing.T) {
	s := newStage(t, shellFiles(strings.Join([]string{
		fault("first", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`),
		fault("commits", `command = "sed -i s/rel=1e-9/rel=1/ values; git commit -qam mine"`, `must-move = "worst-rel"`),
		fault("unlinks", `command = "sed -i s/rel=1e-9/rel=1/ values; rm .git"`, `must-move = "worst-rel"`),
		fault("stashes", `command = "echo >> sum.sh; git stash -q; sed -i s/rel=1e-9/rel=1/ values"`, `must-move = "worst-rel"`),
		fault("last", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`),
	}, "")))
	r := s.run()
	s.want(r, "caught", "does not apply", "broken", "caught", "caught")
	if why := r.Planted[1].Why; !strings.Contains(why, "its command commits") {
		t.Errorf("%q", why)
	}
	if len(r.Marks) != 1 || !strings.Contains(r.Marks[0], "fault stashes ran") || !strings.Contains(r.Marks[0], "refs/stash") {
		t.Errorf("%q", r.Marks)
	}
}

// A red that is agreed upon is a red with a fault, of a gate that is green meanwhile;
// and settings are not planted.
func TestAgreedRedAndSettings(t *testing.T) {
	files := shellFiles(strings.Join([]string{
		fault("good", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`),
		fault("settings", `replace = { file = "gpuci.toml", from = "max = 1e-6", to = "max = 1e-12", count = 3 }`, `must = "red"`),
		fault("both", `command = "sed -i 's/max = 1e-6/max = 1e-12/' gpuci.toml; sed -i s/free=2.5/free=2.6/ values"`, `must = "red"`),
	}, ""))
	files["gpuci.toml"] = strings.Replace(files["gpuci.toml"], `reader = "none"`, "reader = \"none\"\nexpect = \"red\"\nowner = \"kernels\"\nuntil = \"2099-01-01\"", 1)
	s := newStage(t, files)
	r := s.falsify()
	s.want(r, "caught", "does not apply", "blind")
	if p := r.Planted[1]; !strings.Contains(p.Why, "settings are not planted") || !strings.Contains(p.Next[0], "in what the gate builds") {
		t.Errorf("%q, %q", p.Why, p.Next)
	}
	if next := strings.Join(r.Planted[2].Next, "; "); !strings.Contains(next, "settings are not planted") {
		t.Errorf("%q", next)
	}
}

// What is held against earlier greens cannot be, before there is one.
func TestNoGreenYet(t *testing.T) {
	files := shellFiles(fault("slow", swap("free=2.5", "free=25"), `must-move = "unbarred"; margin = 2`))
	files["gpuci.toml"] = strings.Replace(files["gpuci.toml"], "  [[gate.witness]]", "  [[gate.bar]]\n  metric = \"unbarred\"\n  within = \"50%\"\n  better = \"lower\"\n\n  [[gate.witness]]", 1)
	s := newStage(t, files)
	r := s.falsify()
	if r.Exit != 102 || !strings.Contains(r.Broken, "unbarred is held against earlier greens, and there is none yet") || !strings.Contains(r.Next[0], "gpuci gate sum on main first") {
		t.Errorf("%d, %q, %q", r.Exit, r.Broken, r.Next)
	}
	o := s.options()
	opt, _ := o.Prepare(o.Lane, o.Root)
	opt.Gate, opt.Root, opt.Lane = o.Gate, o.Root, o.Lane
	if v := gates.Run(t.Context(), opt); v.Outcome != gates.Green {
		t.Fatalf("%s: %q", v.Outcome, v.Findings)
	}
	s.want(s.falsify(), "caught")
}
