package slurm

import (
	"strings"
	"testing"
	"time"

	"gpuci/gates"
)

// Whatever Slurm does to a job is a loss that says which job, where it was, and what it
// was. BOOT_FAIL, DEADLINE, REVOKED and those of other versions are shown here alone: they
// take nodes that are started for a job, and clusters that know each other. All others are
// made by Slurm in TestStates and TestTimeLimit.
func TestLosses(t *testing.T) {
	ended := 0
	for state, means := range states {
		if means != taken && state != "FAILED" {
			continue
		}
		ended++
		l := Record{ID: "812", State: state, Node: "n7", Reason: "NonZeroExitCode", Signal: 9, End: time.Now()}.loss()
		if l.Outcome != gates.Refused && l.Outcome != gates.Broken || l.Kind == "" || !strings.Contains(l.Why, "job 812") || !strings.Contains(l.Why, "n7") {
			t.Errorf("%s: %+v", state, l)
		}
		if l.Outcome == gates.Refused && len(l.Next) == 0 {
			t.Errorf("%s does not say what to do", state)
		}
	}
	if ended < 10 {
		t.Errorf("looked at %d states", ended)
	}
	if l := (Record{ID: "8", State: "FAILED", Reason: "BadConstraints"}).loss(); l.Kind != kindRefused || !strings.Contains(l.Why, "BadConstraints") {
		t.Errorf("a job that Slurm made in order to refuse it: %+v", l)
	}
	if by := (Record{ID: "8", State: "CANCELLED", By: "4123456"}).loss().Why; !strings.Contains(by, "uid 4123456") {
		t.Errorf("by somebody without a name: %s", by)
	}
}

// A word of a newer Slurm's is no end of a job.
func TestUnknownState(t *testing.T) {
	if s, _ := parseState("TRANSCENDED"); s.ended() || states[s] == taken {
		t.Errorf("%s is an end", s)
	}
	for text, want := range map[string][2]string{"CANCELLED by 0": {"CANCELLED", "0"}, "CANCELLED+": {"CANCELLED", ""}, "CANCELLED by me": {"CANCELLED", ""}} {
		if s, by := parseState(text); string(s) != want[0] || by != want[1] {
			t.Errorf("%q is read as %q by %q", text, s, by)
		}
	}
}
