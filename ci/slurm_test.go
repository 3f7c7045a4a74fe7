package ci

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/ci/executor"
	"gpuci/ci/slurm/slurmtest"
	"gpuci/gates"
)

// TestSlurm runs nights on one real Slurm of two nodes, without accounting.
func TestSlurm(t *testing.T) {
	rig := slurmtest.Start(t, slurmtest.Options{})
	gpuci := program(t)
	for name, test := range map[string]func(*slurmStage){
		"night": slurmNight, "kill": slurmKill, "stop": slurmStop, "cancel": slurmCancel, "many": slurmMany, "hand": slurmHand,
	} {
		toml := map[string]string{"kill": slurmKillGates, "stop": slurmLong, "cancel": slurmLong, "many": slurmMore(), "night": slurmGates, "hand": slurmGates}[name]
		t.Run(name, func(t *testing.T) { test(newSlurmStage(t, rig, gpuci, toml)) })
	}
}

const slurmGates = `
[[gate]]
name = "unit"
run = "echo unit >> $LOG; test ! -e bad"
reader = "none"

[[gate]]
name = "after-unit"
run = "echo after-unit >> $LOG"
reader = "none"
after = ["unit"]

[[gate]]
name = "numbers"
run = "echo numbers >> $LOG; echo 'gpuci:metric name=answer value=42'"
reader = "none"

  [[gate.bar]]
  metric = "answer"
  max = 41
`

// slurmNight: what comes of gates on nodes is in the history and the report as what comes
// of them here is, and stands the next night.
func slurmNight(s *slurmStage) {
	const dir, odd = "odd $(touch no) 'q\" name", "odd-$(touch-no)-'q\"-name" // as git calls it
	s.git(s.dir, "worktree", "add", "-q", "-b", "odd", s.root(dir))
	s.commit(dir, "bad", "")
	r := s.night()
	want := []string{
		"main after-unit: ran green", "main numbers: ran red", "main unit: ran green",
		odd + " after-unit: not run", odd + " numbers: ran red", odd + " unit: ran red",
	}
	if d := cmp.Diff(want, cells(r)); d != "" {
		s.t.Errorf("-want +got\n%s", d)
	}
	if c := mustCell(s.t, r, odd, "after-unit"); c.Why != "after unit, which is red" {
		s.t.Errorf("after a red: %q", c.Why)
	}
	s.isKept("main", "unit", gates.Green)
	s.isKept("main", "numbers", gates.Red)
	if ran := s.ran(); len(ran) != 5 {
		s.t.Errorf("ran %q", ran)
	}
	r = s.night()
	if got := cells(r); !slices.Contains(got, "main unit: stands green") || !slices.Contains(got, odd+" unit: stands red") {
		s.t.Errorf("the second night: %q", got)
	}
	if ran := s.ran(); len(ran) > 0 {
		s.t.Errorf("ran again: %q", ran)
	}
	s.closed()
}

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
	for _, i := range which {
		s.commit("main", "round", fmt.Sprint(i))
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
	if os.Getenv("GPUCI_SOAK") != "1" {
		list = append(list, 1+random.IntN(len(all)-1))
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

const slurmLong = `
[[gate]]
name = "long"
run = "echo long >> $LOG; sleep 300"
reader = "none"
timeout = "10m"

[[gate]]
name = "longer"
run = "echo longer >> $LOG; sleep 300"
reader = "none"
timeout = "10m"
`

// running waits until gates have begun.
func (s *slurmStage) running(names ...string) {
	s.t.Helper()
	var ran []string
	for range 600 {
		data, _ := os.ReadFile(os.Getenv("LOG"))
		if ran = strings.Fields(string(data)); len(ran) >= len(names) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("only %q ran", ran)
}

// slurmStop: a signal ends all jobs before gpuci itself ends; the night can be resumed.
// A gpuci that is killed between the signal and that leaves them to the next.
func slurmStop(s *slurmStage) {
	var said bytes.Buffer
	cmd := s.child()
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running("long", "longer")
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != gates.ExitTerminated {
		s.t.Errorf("exit %d, want %d: %s", code, gates.ExitTerminated, &said)
	}
	s.noneRuns()
	s.closed()
}

// noneRuns fails where a job runs that nobody has told to end.
func (s *slurmStage) noneRuns() {
	s.t.Helper()
	queue, err := s.rig.Queue()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, job := range queue {
		if !strings.Contains(job, "COMPLETING") {
			s.t.Errorf("it ended, and there is still %s", job)
		}
	}
}

// slurmCancel: gpuci ci cancel ends what a killed gpuci has left, and what one that lives
// has; the next night ends what the one before it left.
func slurmCancel(s *slurmStage) {
	o, said := s.options()
	o.onSlurm(s.program)
	c := CancelOptions{State: o.State, Open: o.Open, Note: o.Note}
	cmd := s.child()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running("long", "longer")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	s.ran()
	list, err := Cancel(context.Background(), c)
	if err != nil || len(list) != 1 || list[0].Jobs != 2 || list[0].Live {
		s.t.Errorf("of one that was killed: %+v, %v\n%s", list, err, said)
	}
	s.rig.MustBeEmpty(s.t)
	s.closed()

	cmd = s.child()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running("long", "longer")
	if list, err = Cancel(context.Background(), c); err != nil || len(list) != 1 || list[0].Jobs != 2 || !list[0].Live {
		s.t.Errorf("of one that lives: %+v, %v\n%s", list, err, said)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != gates.ExitTerminated {
		s.t.Errorf("the one that lived: exit %d, want %d", code, gates.ExitTerminated)
	}
	s.noneRuns()
	s.closed()
	if _, err := Cancel(context.Background(), c); err == nil {
		s.t.Error("there was something more to cancel")
	}
}

// slurmMore are 40 gates, each of which takes a moment.
func slurmMore() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "[[gate]]\nname = \"g%02d\"\nrun = \"echo g%02d >> $LOG; sleep 0.5\"\nreader = \"none\"\n\n", i, i)
	}
	return b.String()
}

// slurmMany: of 40 gates over two nodes one node goes down in the middle, and somebody ends
// one job. What ran on that node is run again by Slurm, or refused; nothing is red, and
// nothing is green that did not run to its end.
func slurmMany(s *slurmStage) {
	down, ended := false, ""
	r := s.night(func(o *Options) {
		o.Watch = func(e Event) {
			switch st := e.Status; {
			case st.Phase != executor.Running:
			case ended == "":
				ended = st.ID
				if out, err := s.rig.Command(context.Background(), "scancel", st.ID).CombinedOutput(); err != nil {
					s.t.Errorf("scancel: %v: %s", err, out)
				}
			case !down && st.Where == s.rig.Nodes[1]:
				down = true
				s.rig.StopNode(s.rig.Nodes[1])
			}
		}
	})
	if err := s.rig.StartNode(s.rig.Nodes[1]); err != nil {
		s.t.Error(err)
	}
	if !down || ended == "" {
		s.t.Errorf("a node went down: %v; a job was ended: %q", down, ended)
	}
	count := make(map[string]int)
	for _, c := range mustLane(s.t, r, "main").Cells {
		count[c.word()]++
		if c.Outcome != gates.Green && (c.Outcome != gates.Refused || c.Why == "") {
			s.t.Errorf("%s: %s: %s", c.Gate, c.word(), c.Why)
		}
	}
	if len(r.Lanes[0].Cells) != 40 || count["refused"] == 0 || count["green"] < 30 {
		s.t.Errorf("came to %v", count)
	}
	s.t.Logf("came to %v", count)
	s.closed()
}

// slurmHand: a lane as it is, with what is not committed, and each gate's output as it
// comes; without KeepGoing the first that is not green ends the rest.
func slurmHand(s *slurmStage) {
	s.write("main", "bad", "not committed")
	s.write("main", "name\nwith 'all' $(touch no)", "the same")
	o, said := s.options()
	o.onSlurm(s.program)
	h := HandOptions{
		Lane: o.Here, Config: o.Config, State: o.State, Past: o.Past, On: o.On, Open: o.Open, KeepGoing: true, Note: o.Note, Version: "test", Gates: o.Config.Gates,
	}
	came := make(map[string]gates.Verdict)
	h.Outcome = func(v gates.Verdict) { came[v.Gate] = v }
	notRun, err := Hand(context.Background(), h)
	if err != nil || len(notRun) > 0 {
		s.t.Fatalf("by hand: %v, not run: %q\n%s", err, notRun, said)
	}
	if v := came["unit"]; v.Outcome != gates.Red || v.Bound.Changes == "" || len(v.Bound.Changed) != 2 {
		s.t.Errorf("with what is not committed: %s, bound to %+v\n%s", v.Outcome, v.Bound, said)
	}
	if v := came["after-unit"]; v.Outcome != gates.Green {
		s.t.Errorf("by hand each gate is run: %s", v.Outcome)
	}
	s.closed()
}
