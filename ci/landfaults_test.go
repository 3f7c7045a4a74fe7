package ci

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
	"gpuci/gates/metric"
)

// TestFaults: a red is the same as another only where all of it has a name.
func TestFaults(t *testing.T) {
	red := func(texts ...string) (out []gates.Finding) {
		for _, text := range texts {
			out = append(out, gates.Finding{Outcome: gates.Red, Text: text})
		}
		return out
	}
	tests := func(failed int, names ...string) *gates.Tests { return &gates.Tests{Failed: failed, Names: names} }
	for name, c := range map[string]struct {
		v       gates.Verdict
		named   []string
		unnamed string
	}{
		"tests":     {gates.Verdict{Tests: tests(2, "a", "a"), Command: &gates.Ended{Exit: 101}, Findings: red("2 failed")}, []string{"test a", "test a", "exit status 101"}, ""},
		"swallowed": {gates.Verdict{Tests: tests(1, "a"), Command: &gates.Ended{}, Findings: red("swallowed")}, []string{"test a"}, ""},
		"cut off": {gates.Verdict{Tests: tests(3, "a", "b"), Command: &gates.Ended{Exit: 1}, Findings: red("3 failed")},
			[]string{"test a", "test b", "exit status 1"}, "1 of 3 failed tests are not named"},
		"no names":   {gates.Verdict{Tests: tests(1), Command: &gates.Ended{}, Findings: red("1 failed")}, nil, "1 of 1 failed test are not named"},
		"no reader":  {gates.Verdict{Command: &gates.Ended{Exit: 3}, Findings: red("the command failed")}, nil, "the command failed (exit status 3), which says not in what"},
		"crash":      {gates.Verdict{Tests: tests(1, "a"), Command: &gates.Ended{Signal: "SIGSEGV"}, Findings: red("1 failed")}, []string{"test a"}, "the command was ended by SIGSEGV"},
		"bar":        {gates.Verdict{Command: &gates.Ended{}, Bars: []metric.Result{{Metric: "m", State: metric.Crossed}}, Findings: red("m: 9")}, []string{"bar m"}, ""},
		"bar, exit":  {gates.Verdict{Command: &gates.Ended{Exit: 1}, Bars: []metric.Result{{Metric: "m", State: metric.Crossed}}, Findings: red("failed", "m: 9")}, []string{"bar m"}, "the command failed (exit status 1), which says not in what"},
		"witness":    {gates.Verdict{Command: &gates.Ended{}, Witnesses: []gates.WitnessResult{{Name: "w", State: metric.Crossed}}, Findings: red("w")}, []string{"witness w"}, ""},
		"contradict": {gates.Verdict{Tests: tests(1, "a"), Command: &gates.Ended{Exit: 1}, Findings: red("1 failed", "its counts do not add up")}, []string{"test a", "exit status 1"}, "its counts do not add up"},
		"broken too": {gates.Verdict{Tests: tests(1, "a"), Command: &gates.Ended{Exit: 1}, Findings: append(red("1 failed"), gates.Finding{Outcome: gates.Broken, Text: "a number is gone"})}, []string{"test a", "exit status 1"}, "a number is gone"},
		"nothing":    {gates.Verdict{}, nil, "nothing says for what"},
	} {
		f := faultsOf(c.v)
		if d := cmp.Diff(c.named, f.named); d != "" || f.unnamed != c.unnamed {
			t.Errorf("%s: -want +got\n%s%q", name, d, f.unnamed)
		}
	}
	twice, once := faults{named: []string{"test a", "test a"}}, faults{named: []string{"test b", "test a"}}
	if d := cmp.Diff([]string{"test a"}, twice.beyond(once)); d != "" {
		t.Errorf("one name, two tests: -want +got\n%s", d)
	}
	if got := once.beyond(faults{named: []string{"test a", "bar m", "test b"}}); got != nil {
		t.Errorf("less is more: %q", got)
	}
}
