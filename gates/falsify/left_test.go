package falsify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates"
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

// A gate that is red now and then shows nothing, and one that is red from now on for
// no reason of its source shows no more.
func TestChanceIsTold(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "count")
	for name, c := range map[string]struct{ test, outcome, why string }{
		"every second run": {"[ $((n % 2)) = 0 ]", "broken", "goes by chance: it is red with it, and green when it is run again"},
		"from now on":      {"[ $n = 0 ]", "broken", "not told from chance, or from what an earlier fault left outside of the lane: without a fault it is red"},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(outside)
			s := newStage(t, map[string]string{
				"NOTES.x":    "docs\n",
				"gpuci.toml": "[[gate]]\nname = \"flaky\"\nrun = \"n=$(cat " + outside + " || echo 0); echo $((n + 1)) > " + outside + "; " + c.test + "\"\nreader = \"none\"\n" + fault("docs", `replace = { file = "NOTES.x", from = "docs", to = "other" }`, `must = "red"`),
			})
			r := s.falsify()
			if s.want(r, c.outcome); r.Exit != 102 || r.Caught != 0 || !strings.Contains(r.Planted[0].Why, c.why) {
				t.Errorf("%d: %q", r.Exit, r.Planted[0].Why)
			}
		})
	}
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
