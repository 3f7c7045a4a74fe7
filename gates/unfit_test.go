package gates

import (
	"strings"
	"testing"

	"gpuci/gates/config"
)

// A command that ends with 69 and says why makes no gate red. Neither does it alone: what
// others end with 69 for is their own, and words without the status are only words.
func TestUnfit(t *testing.T) {
	const says = "echo 'gpuci:unfit there is no compiler' >&2; "
	for name, c := range map[string]struct {
		gate config.Gate
		want Outcome
	}{
		"build":            {config.Gate{Build: shell(says + "exit 69"), Run: shell("true")}, Refused},
		"run":              {config.Gate{Run: shell(says + "exit 69")}, Refused},
		"run of tests":     {config.Gate{Reader: "gotest", Run: shell(says + "exit 69")}, Refused},
		"each of several":  {config.Gate{Run: shell(says + "exit 69"), Repeat: &config.Repeat{Times: 2}}, Refused},
		"behind others":    {config.Gate{Run: shell(says + "echo a\necho b; exit 69")}, Refused},
		"status alone":     {config.Gate{Run: shell("exit 69")}, Red},
		"status of build":  {config.Gate{Build: shell("exit 69"), Run: shell("true")}, BuildFailed},
		"no words":         {config.Gate{Run: shell("echo gpuci:unfit; exit 69")}, Red},
		"another word":     {config.Gate{Run: shell("echo gpuci:unfitness is none; exit 69")}, Red},
		"in a sentence":    {config.Gate{Run: shell("echo I print gpuci:unfit TEXT; exit 69")}, Red},
		"another status":   {config.Gate{Run: shell(says + "exit 1")}, Red},
		"no failure":       {config.Gate{Run: shell(says)}, Green},
		"of another":       {config.Gate{Run: append(shell(says+"true"), shell("exit 69")...)}, Red},
		"of the last":      {config.Gate{Run: append(shell("true"), shell(says+"exit 69")...)}, Refused},
		"a failed test":    {config.Gate{Reader: "libtest", Run: shell("echo 'running 1 test'; echo 'test a ... FAILED'; " + says + "exit 69")}, Red},
		"a crossed limit":  {config.Gate{Bars: []config.Bar{atMostOne()}, Run: append(shell("echo gpuci:metric name=rel value=2"), shell(says+"exit 69")...)}, Red},
		"nothing crossed":  {config.Gate{Bars: []config.Bar{atMostOne()}, Run: append(shell("echo gpuci:metric name=rel value=1"), shell(says+"exit 69")...)}, Refused},
		"red in one of it": {config.Gate{Run: shell(`n=$(ls -a | wc -l); touch "$n"; if test "$n" -lt 3; then exit 1; fi; ` + says + "exit 69"), Repeat: &config.Repeat{Times: 2}}, Red},
	} {
		t.Run(name, func(t *testing.T) {
			v := runGate(t, c.gate, "")
			if v.Outcome != c.want || v.Exit != c.want.ExitCode() {
				t.Errorf("%s, exit %d: %v", v.Outcome, v.Exit, v.Findings)
			}
			if c.want == Refused && (len(v.Findings) != 1 || !strings.HasPrefix(v.Findings[0].Text, cannot+"there is no compiler") || len(v.Next) == 0) {
				t.Errorf("%v, next %v", v.Findings, v.Next)
			}
		})
	}
}

func atMostOne() config.Bar {
	one := 1.0
	return config.Bar{Metric: "rel", Max: &one}
}
