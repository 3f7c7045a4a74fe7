package ci

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
)

const slurmKillGates = `
[[gate]]
name = "one"
run = "echo one >> $LOG; sleep 0.3"
reader = "none"

[[gate]]
name = "two"
run = "echo two >> $LOG; test ! -e bad"
reader = "none"
after = ["one"]
`

// slurmKill: killed at every step that is written down, a night goes on by Resume: it finds
// its jobs by their names, and nothing is run twice or lost.
func slurmKill(s *slurmStage) {
	steps := filepath.Join(s.home, "steps")
	cmd := s.child(childSteps + "=" + steps)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("a night: %v\n%s", err, out)
	}
	data, err := os.ReadFile(steps)
	if err != nil {
		s.t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	which := s.steps(all)
	s.ran()
	for round, i := range which {
		s.commit("main", "round", fmt.Sprint(round)) // a content that nobody has tested
		s.commit("main", "bad", "")
		cmd := s.child(fmt.Sprintf("%s=%d", childKill, i+1))
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.Exited() {
			s.t.Errorf("not killed at %s: %s", all[i], out)
		}
		s.takenUp(all[i])
		if s.t.Failed() {
			s.t.Fatalf("killed at step %d of %d, %s", i+1, len(all), all[i])
		}
	}
	s.closed()
}

// steps picks some that differ, or all in the long form.
func (s *slurmStage) steps(all []string) (list []int) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	s.t.Logf("seed %d, steps %q", seed, all)
	for i, step := range all {
		first := slices.Index(all, step) == i
		if os.Getenv("GPUCI_SOAK") == "1" || first && (step == "after started" || step == "after submit") {
			list = append(list, i)
		}
	}
	if i := 1 + random.IntN(len(all)-1); !slices.Contains(list, i) {
		list = append(list, i)
	}
	return list
}

// takenUp goes on with the night, and holds what comes of it against what must.
func (s *slurmStage) takenUp(step string) {
	s.t.Helper()
	var out, said bytes.Buffer
	cmd := s.child(childResume + "=1")
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	if cmd.ProcessState.ExitCode() == gates.ExitNothing { // before it had a plan, or after its end
		if step != "before plan" && step != "after plan" && !strings.HasSuffix(step, "ended") {
			s.t.Errorf("killed at %s, there is nothing to resume: %s", step, &said)
		}
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
	if d := cmp.Diff([]string{"main one: green", "main two: red"}, outcomes(r)); d != "" {
		s.t.Errorf("-want +got\n%s%s", d, &said)
	}
	if ran := strings.Join(s.ran(), " "); ran != "one two" {
		s.t.Errorf("ran %q\n%s", ran, &said)
	}
}
