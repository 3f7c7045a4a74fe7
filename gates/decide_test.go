package gates

import (
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/worktrees"
)

// A known red is one that came to its own end, and gave what the gate is judged by.
func TestKnownRedIsTheOneThatIsKnown(t *testing.T) {
	end := func(exit int, signal string) *ended {
		return &ended{Ended: Ended{Step: "run", Argv: []string{"bash", "a.sh"}, Exit: exit, Signal: signal}}
	}
	bars := func(matches int) []metric.Result { return []metric.Result{{Metric: "worst-rel", Matches: matches}} }
	for _, c := range []struct {
		name  string
		run   *ended
		bars  []metric.Result
		tests *Tests
		why   string // "" where it is known
	}{
		{"failed", end(1, ""), bars(1), nil, ""},
		{"failed, and no bar", end(3, ""), nil, nil, ""},
		{"over its bar", end(0, ""), bars(4), nil, ""},
		{"not found", end(127, ""), nil, nil, "a command was not found"},
		{"not to be run", end(126, ""), nil, nil, "exit status 126"},
		{"crashed", end(-1, "SIGSEGV"), bars(1), nil, "killed by SIGSEGV"},
		{"crashed below a shell", end(139, ""), bars(1), nil, "signal 11"},
		{"a status of its own", end(255, ""), bars(1), nil, ""},
		{"before its bar's metric", end(1, ""), bars(0), nil, "worst-rel was not printed"},
		{"tests", end(101, ""), bars(0), &Tests{Failed: 1}, ""},
		{"no test", end(101, ""), bars(1), &Tests{}, "no test ran"},
	} {
		g := config.Gate{Expect: "red", Owner: "kernels", Until: time.Now().AddDate(0, 1, 0)}
		f := &flow{gate: g, run: c.run, v: &Verdict{Outcome: Red, Bars: c.bars, Tests: c.tests}}
		f.expect(time.Now())
		if c.why == "" {
			if f.v.Outcome != KnownRed {
				t.Errorf("%s: %s, %q", c.name, f.v.Outcome, f.v.Findings)
			}
			continue
		}
		if f.v.Outcome != Red || len(f.v.Findings) != 1 || !strings.Contains(f.v.Findings[0].Text, c.why) || !strings.Contains(f.v.Findings[0].Text, "not the red that is known") {
			t.Errorf("%s: %s, %q", c.name, f.v.Outcome, f.v.Findings)
		}
	}
}

// A gate is above itself in whatever lane of its repository it is called, and in no
// other workspace.
func TestRecursionAcrossLanes(t *testing.T) {
	at := func(common, lane, root, gate string) *flow {
		return &flow{gate: config.Gate{Name: gate}, opt: Options{Root: root, Lane: worktrees.Lane{Root: lane, CommonDir: common}}}
	}
	mine := at("/r/.git", "/r", "/r/sub", "rec")
	t.Setenv(envWithin, "0123456789abcdef:"+mine.key())
	for name, c := range map[string]struct {
		f    *flow
		want bool
	}{
		"itself": {mine, true}, "in a scratch lane": {at("/r/.git", "/cache/scratch-1", "/cache/scratch-1/sub", "rec"), true},
		"another gate": {at("/r/.git", "/r", "/r/sub", "other"), false}, "another workspace": {at("/r/.git", "/r", "/r/more", "rec"), false},
		"another repository": {at("/s/.git", "/s", "/s/sub", "rec"), false}, "outside of git": {at("", "", "/r/sub", "rec"), false},
	} {
		if got := c.f.recursion(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
