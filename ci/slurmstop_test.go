package ci

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"gpuci/gates"
)

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

[[gate]]
name = "quick"
run = ["true"]
reader = "none"
nightly = false
`

// running waits until gates have begun.
func (s *slurmStage) running(names ...string) {
	s.t.Helper()
	var ran []string
	for range 3600 { // three minutes, on a machine that does much else
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
	s.left(&said)
	s.noneRuns()
	s.closed()
	s.ran()

	cmd = s.child(childKill + "=after stopping")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running("long", "longer")
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	queue, err := s.rig.Queue()
	if cmd.ProcessState.Exited() || err != nil || len(queue) != 2 {
		s.t.Fatalf("not killed in the middle of it: %v, in the queue %q, %v", cmd.ProcessState, queue, err)
	}
	s.ran()
	r := s.night(func(o *Options) { o.Lanes, o.Gates = []string{"main"}, []string{"quick"} })
	if c := mustCell(s.t, r, "main", "quick"); c.Outcome != gates.Green {
		s.t.Errorf("the next one: %s: %s", c.word(), c.Why)
	}
	s.noneRuns()
	s.closed()
}

// left ends what gpuci says that it has left, since Slurm did not answer in the two seconds
// that it has: on a machine that does much else.
func (s *slurmStage) left(said fmt.Stringer) {
	s.t.Helper()
	if strings.Contains(said.String(), "ends what is left") {
		s.t.Log("not ended in two seconds: ", said)
		s.cancel()
	}
}

// cancel is gpuci ci cancel, until Slurm answers in time.
func (s *slurmStage) cancel() (list []Cancelled) {
	s.t.Helper()
	o, said := s.options()
	o.onSlurm(s.program)
	var err error
	for range 360 {
		list, err = Cancel(context.Background(), CancelOptions{State: o.State, Open: o.Open, Note: o.Note})
		if err == nil {
			return list
		}
		time.Sleep(500 * time.Millisecond)
	}
	s.t.Fatalf("cancel: %v\n%s", err, said)
	return nil
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
	cmd := s.child()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running("long", "longer")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	s.ran()
	if list := s.cancel(); len(list) != 1 || list[0].Jobs != 2 || list[0].Live {
		s.t.Errorf("of one that was killed: %+v", list)
	}
	s.rig.MustBeEmpty(s.t)
	s.closed()

	cmd = s.child()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running("long", "longer")
	if list := s.cancel(); len(list) != 1 || list[0].Jobs != 2 || !list[0].Live {
		s.t.Errorf("of one that lives: %+v", list)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != gates.ExitTerminated {
		s.t.Errorf("the one that lived: exit %d, want %d", code, gates.ExitTerminated)
	}
	s.noneRuns()
	s.closed()
	o, _ := s.options()
	if _, err := Cancel(context.Background(), CancelOptions{State: o.State, Open: o.Open}); err == nil {
		s.t.Error("there was something more to cancel")
	}
}

// slurmDown: where Slurm does not answer a signal ends gpuci all the same, which says what
// may be left; that is ended once Slurm is back.
func slurmDown(s *slurmStage) {
	var said bytes.Buffer
	cmd := s.child()
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running("long", "longer")
	s.rig.StopController()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	if err := s.rig.StartController(); err != nil {
		s.t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != gates.ExitTerminated || !strings.Contains(said.String(), "gpuci ci cancel") {
		s.t.Errorf("exit %d, and it says: %s", code, &said)
	}
	if list := s.cancel(); len(list) != 1 || list[0].Jobs != 2 {
		s.t.Errorf("cancelled %+v", list)
	}
	s.rig.MustBeEmpty(s.t)
	s.closed()
}
