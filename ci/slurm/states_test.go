package slurm

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/slurm/slurmtest"
	"gpuci/gates"
	"gpuci/gates/config"
)

// Every state that a job can be in, made by a real Slurm: with accounting, and without.
func TestStates(t *testing.T) {
	for name, accounting := range map[string]bool{"accounting": true, "bare": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rig := slurmtest.Start(t, slurmtest.Options{Accounting: accounting, Cgroups: slurmtest.Memory(), Conf: map[bool]string{true: "AccountingStorageEnforce=limits,qos"}[accounting]})
			t.Cleanup(func() { rig.MustBeEmpty(t) })
			t.Run("beside each other", func(t *testing.T) {
				for name, test := range map[string]func(*stage){
					"verdicts": verdicts, "without a result": withoutResult, "cancelled": cancelledByHand, "requeued": requeued, "requeued too often": requeuedTooOften,
					"memory": memory, "waits": waitsTooLong, "refused": refusedByCluster, "claimed": claimedByAnother, "no shared directory": noShared,
					"requeued after its end": requeuedAfterItsEnd, "renamed": renamedByHand, "place removed": placeRemoved,
					"place hangs": placeHangs, "not recorded": notRecorded, "task unread": taskUnread,
				} {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						test(newStage(t, rig))
					})
				}
			})
			t.Run("preempted", func(t *testing.T) { preempted(newStage(t, rig)) }) // these take whole nodes
			t.Run("node", func(t *testing.T) { nodeFails(newStage(t, rig)) })
			if accounting {
				t.Run("limit", func(t *testing.T) { submitLimit(newStage(t, rig)) })
				t.Run("accounting away", func(t *testing.T) { accountingAway(newStage(t, rig)) })
			}
		})
	}
}

// A result counts whatever it says, and only with the exit code that Slurm has seen.
func verdicts(s *stage) {
	green, red := s.submit(`ends 0`), s.submit(`ends 100`, func(g *config.Gate) { g.Card.Count = 2 })
	lies, stopped := s.submit(`result 0; exit 100`), s.submit(`echo one; stay`)
	if st := s.wantVerdict(green, 0, 0); st.Where != s.rig.Nodes[0] && st.Where != s.rig.Nodes[1] || st.Attempt != 1 || st.ID == "" {
		s.t.Errorf("a green task: %+v", st)
	}
	s.wantVerdict(red, 100, 0)
	s.wantLoss(lies, gates.Broken, kindLost, "exit code 100", "its result says 0")
	if slices.Contains(s.place.taken, lies.Cookie) || !slices.Contains(s.place.taken, red.Cookie) {
		s.t.Errorf("recorded: %q", s.place.taken)
	}
	st := s.until(stopped, working)
	data, err := os.ReadFile(st.Log)
	for end := time.Now().Add(patience); err == nil && !strings.Contains(string(data), "one") && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		data, err = os.ReadFile(st.Log)
	}
	if err != nil || !strings.Contains(string(data), "one") {
		s.t.Errorf("the log of a running job: %q, %v", data, err)
	}
	if err := s.e.Cancel(s.t.Context(), []string{stopped.Cookie}); err != nil {
		s.t.Fatal(err)
	}
	s.wantLoss(stopped, gates.Refused, kindCancelled, "gpuci")
}

// What ends by itself and leaves nothing is broken, with its last words.
func withoutResult(s *stage) {
	green, red := s.submit(`echo nothing-here`), s.submit(`echo out-of-luck; exit 7`)
	killed := s.submit(`echo shot; kill -9 $$`)
	s.wantLoss(green, gates.Broken, kindLost, "exit code 0", "nothing-here")
	s.wantLoss(red, gates.Broken, kindLost, "exit code 7", "out-of-luck")
	s.wantLoss(killed, gates.Broken, kindLost, "signal 9", "shot")
}

// A node that does not see the shared directory cannot even begin.
func noShared(s *stage) {
	s.place.output = filepath.Join(s.place.dir, "nowhere")
	s.wantLoss(s.submit(`ends 0`), gates.Broken, kindLost, "could not open the job's output", s.rig.Shared)
}

// Who cancels a job is said where Slurm says it.
func cancelledByHand(s *stage) {
	running := s.submit(`stay`)
	held := s.submit(`ends 0`, func(g *config.Gate) { g.Slurm = &config.GateSlurm{Options: []string{"--hold"}} })
	late := s.submit(`trap '' TERM; result 0; sleep 600`) // a result that was there before
	for _, t := range []executor.Task{running, late} {
		st := s.until(t, working)
		if t.Cookie == late.Cookie {
			for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				if found, _ := s.place.Results(); len(found) > 0 {
					break
				}
			}
		}
		s.slurm("scancel", st.ID)
	}
	s.slurm("scancel", s.until(held, pending).ID)
	who := "by somebody"
	if s.e.cluster.Accounting != "" {
		u, err := user.Current()
		if err != nil {
			s.t.Fatal(err)
		}
		who = "by " + u.Username
	}
	for _, t := range []executor.Task{running, late, held} {
		s.wantLoss(t, gates.Refused, kindCancelled, who)
	}
}

// A job that is put back begins again, and the result of its first attempt is none.
func requeued(s *stage) {
	t := s.submit(`test "$restart" = 1 && ends 100; result 0; stay`)
	first := s.until(t, working)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if found, _ := s.place.Results(); len(found) > 0 {
			break
		}
	}
	s.slurm("scontrol", "requeue", first.ID)
	st := s.wantVerdict(t, 100, 1)
	if st.Attempt != 2 || st.ID != first.ID || st.Log == first.Log {
		s.t.Errorf("first %+v, then %+v", first, st)
	}
}

func requeuedTooOften(s *stage) {
	s.conf.Attempts = 1
	s.e = s.open()
	t := s.submit(`stay`, func(g *config.Gate) { g.Slurm = &config.GateSlurm{Options: []string{"--requeue"}} })
	s.slurm("scontrol", "requeue", s.until(t, working).ID)
	s.wantLoss(t, gates.Refused, kindRequeued, "attempts is 1")
}

// Jobs that go before ours end them, or put them back.
func preempted(s *stage) {
	gone := s.submit(`stay`, inPartition("cheap", "--exclusive", "--nodelist="+s.rig.Nodes[0]))
	back := s.submit(`test "$restart" = 1 && ends 0; stay`, inPartition("main", "--exclusive", "--nodelist="+s.rig.Nodes[1]))
	s.until(gone, working)
	s.until(back, working)
	for _, n := range s.rig.Nodes {
		s.slurm("sbatch", "--partition=urgent", "--exclusive", "--nodelist="+n, "--output=/dev/null", "--wrap=true")
	}
	s.wantLoss(gone, gates.Refused, kindPreempted, "preempted")
	s.wantVerdict(back, 0, 1)
}

func inPartition(name string, options ...string) func(*config.Gate) {
	return func(g *config.Gate) { g.Slurm = &config.GateSlurm{Partition: name, Options: options} }
}

// A job over its memory is ended by the kernel, whatever it has left.
func memory(s *stage) {
	if !slurmtest.Memory() {
		s.t.Skip("no memory cgroups of the first version here")
	}
	t := s.submit(`result 0; exec python3 -c 'x = bytearray(400 << 20)'`, func(g *config.Gate) { g.Slurm = &config.GateSlurm{Memory: 50 << 20} })
	s.wantLoss(t, gates.Broken, kindMemory, "over its memory")
}

// A job that does not begin is cancelled, and what Slurm says of it is said.
func waitsTooLong(s *stage) {
	s.conf.Wait = 2 * time.Second
	s.e = s.open()
	held := s.submit(`ends 0`, inPartition("", "--hold"))
	later := s.submit(`ends 0`, inPartition("", "--begin=now+1hour"))
	if st := s.until(held, pending); st.Why != "JobHeldUser" {
		s.t.Errorf("a held job waits because of %q", st.Why)
	}
	s.wantLoss(held, gates.Refused, kindHeld, "JobHeldUser", "2s")
	s.wantLoss(later, gates.Refused, kindHeld, "BeginTime")
	forever := s.submit(`ends 0`, inPartition("", "--time=7-0"))
	s.wantLoss(forever, gates.Refused, kindHeld, "PartitionTimeLimit")
}

// What the cluster does not have is refused at once, in sbatch's words, and the options of
// a gate are options, whatever is in them.
func refusedByCluster(s *stage) {
	for _, tt := range []struct {
		change func(*config.Gate)
		want   string
	}{
		{inPartition("nope"), "Invalid partition name"},
		{inPartition("main", "--constraint=nope"), "Invalid feature"},
		{func(g *config.Gate) { g.Card.Count = 9 }, "node configuration is not available"},
		{func(g *config.Gate) { g.Slurm = &config.GateSlurm{Memory: 1 << 50} }, "Memory specification"},
		{inPartition("main", "--nonesuch"), "unrecognized option"},
		{inPartition("x; touch pwned"), "invalid partition specified: x; touch pwned"},
	} {
		l := s.mustFail(s.task(`ends 0`, tt.change))
		if l.Outcome != gates.Refused || l.Kind != kindRefused || !strings.Contains(l.Why, tt.want) || len(l.Next) == 0 {
			s.t.Errorf("got %+v, want it refused with %q", l, tt.want)
		}
	}
	if len(s.e.jobs) != 0 {
		s.t.Errorf("%d refused tasks are still waited for", len(s.e.jobs))
	}
}

// A second job of one name finds the claim of the first, runs nothing, and does not count.
func claimedByAnother(s *stage) {
	t := s.task(`ends 0`)
	h, _ := s.place.Hand(s.t.Context(), t, "")
	text, script := script, filepath.Join(s.dir, "first")
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
	first := strings.TrimSpace(s.slurm("sbatch", append([]string{"--parsable", "--job-name=" + t.Cookie, "--output=" + h.Output, script}, h.Argv...)...))
	for end := time.Now().Add(patience); !strings.Contains(s.slurm("scontrol", "show", "job", first), "JobState=COMPLETED") && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	if err := s.e.Submit(s.t.Context(), t); err != nil {
		s.t.Fatal(err)
	}
	if st := s.wantVerdict(t, 0, 0); st.ID != first {
		s.t.Errorf("the verdict is of job %s, want the first, %s", st.ID, first)
	}
}

// A node that is lost puts its jobs back, or ends those that may not begin again. What they
// left there does not count.
func nodeFails(s *stage) {
	lost := s.rig.Nodes[1]
	ends := s.submit(`result 0; stay`, inPartition("main", "--nodelist="+lost))
	back := s.submit(`test "$restart" = 1 && ends 0; result 0; stay`, inPartition("main", "--nodelist="+lost))
	s.until(ends, working)
	s.until(back, working)
	s.slurm("scontrol", "update", "jobid="+s.e.jobs[ends.Cookie].id, "requeue=0")
	s.rig.StopNode(lost)
	s.wantLoss(ends, gates.Refused, kindNodeFail, "lost its node", lost)
	if err := s.rig.StartNode(lost); err != nil {
		s.t.Fatal(err)
	}
	if st := s.wantVerdict(back, 0, 1); st.Attempt != 2 {
		s.t.Errorf("%+v", st)
	}
}
