package ci

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
)

// killGates take a while each, so that a kill finds the night at different work.
const killGates = `
[[gate]]
name = "one"
run = "sleep 0.03; test ! -e bad"
reader = "none"

[[gate]]
name = "two"
run = "sleep 0.01; echo built > product"
reader = "none"

[[gate]]
name = "three"
run = "sleep 0.02"
reader = "none"
after = ["two"]
`

// TestKill: a night that is killed at any moment goes on by Resume, with the same
// commits, does nothing twice that it had written down, and leaves nothing behind.
func TestKill(t *testing.T) {
	kills := 5
	if os.Getenv("GPUCI_SOAK") == "1" {
		kills = 100
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	s := newStage(t, killGates)
	s.lane("kda")
	s.lane("moe")
	s.commit("moe", "bad", "")
	whole := s.timed()
	hits := 0
	for i := range kills {
		for _, lane := range []string{"main", "kda", "moe"} { // contents that were never run
			s.commit(lane, "round", fmt.Sprint(lane, i))
		}
		heads := []string{s.head("main"), s.head("kda"), s.head("moe")}
		if s.killed(time.Duration(random.Int64N(int64(whole)))) {
			hits++
		}
		s.commit("kda", "meanwhile", fmt.Sprint(i)) // the night goes on with what it began with
		s.resumed(heads)
		if t.Failed() {
			t.Fatalf("round %d", i)
		}
	}
	if hits == 0 {
		t.Error("no night was killed: the test has tested nothing")
	}
}

func (s *laneStage) head(lane string) string { return s.git(s.root(lane), "rev-parse", "HEAD") }

// timed is how long a whole night takes here.
func (s *laneStage) timed() time.Duration {
	s.t.Helper()
	began := time.Now()
	if out, err := s.child().Output(); len(out) == 0 {
		s.t.Fatalf("no night: %v", err)
	}
	return time.Since(began)
}

// killed begins a night and kills it, and says whether that came before its end.
func (s *laneStage) killed(after time.Duration) bool {
	s.t.Helper()
	cmd := s.child()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return !cmd.ProcessState.Exited()
}

// resumed goes on with the night, or spends one where none had begun, and holds
// what comes of it against what must.
func (s *laneStage) resumed(heads []string) {
	s.t.Helper()
	kept := books{s.dir + "/.git/gpuci/ci"}
	var out, said bytes.Buffer
	cmd := s.child(childResume + "=1")
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	anew := cmd.ProcessState.ExitCode() == gates.ExitNothing
	if anew { // killed before it had a plan, or after its end
		out.Reset()
		cmd = s.child()
		cmd.Stdout, cmd.Stderr = &out, &said
		_ = cmd.Run()
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		s.t.Errorf("no report: %v\n%s", err, &said)
		return
	}
	for i, l := range r.Lanes {
		if !anew && l.Commit != heads[i] {
			s.t.Errorf("%s was tested at %s, the plan has %s", l.Lane, l.Commit, heads[i])
		}
	}
	want := []string{
		"kda one: green", "kda three: green", "kda two: green", "main one: green", "main three: green", "main two: green",
		"moe one: red", "moe three: green", "moe two: green",
	}
	if d := cmp.Diff(want, outcomes(r)); d != "" {
		s.t.Errorf("-want +got\n%s%s", d, &said)
	}
	lines, _, err := readJournal(kept.night(r.Night))
	if err != nil {
		s.t.Error(err)
	}
	s.noneTwice(lines)
	s.clean()
}

// outcomes are those of a report, however the night came to them.
func outcomes(r Report) (list []string) {
	for _, l := range r.Lanes {
		for _, c := range l.Cells {
			list = append(list, fmt.Sprintf("%s %s: %s", l.Lane, c.Gate, c.word()))
		}
	}
	slices.Sort(list)
	return list
}

// noneTwice says what was begun again after it was written down as done.
func (s *laneStage) noneTwice(lines []line) {
	s.t.Helper()
	was := make(map[string]bool)
	for _, l := range lines {
		switch {
		case l.Type == started && was[l.Lane+" "+l.Gate]:
			s.t.Errorf("%s of %s was done and is begun again", l.Gate, l.Lane)
		case l.Type == done:
			for _, c := range l.Cells {
				was[l.Lane+" "+c.Gate] = c.State != NotRun
			}
		}
	}
}
