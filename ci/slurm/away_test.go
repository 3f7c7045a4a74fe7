package slurm

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/slurm/slurmtest"
	"gpuci/gates"
	"gpuci/gates/config"
)

// While slurmctld is away, what runs goes on, what is submitted waits, and looks say so.
func controllerAway(s *stage) {
	runs := s.submit(`while [ ! -e "$dir/go" ]; do sleep 0.1; done; ends 0`)
	s.until(runs, working)
	s.rig.StopController()
	waits := s.task(`ends 100`)
	if err := s.e.Submit(s.t.Context(), waits); err != nil {
		s.t.Fatal(err)
	}
	second := s.submit(`ends 0`)
	if n := s.e.jobs[second.Cookie].try.n; n > 0 {
		s.t.Errorf("a second task asks slurmctld %d times, which does not answer", n)
	}
	var failed *CommandError
	var err error
	for end := time.Now().Add(patience); err == nil && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		_, err = s.e.Look(s.t.Context())
	}
	if !errors.As(err, &failed) || failed.Name != "squeue" || !strings.Contains(failed.Said, "controller") {
		s.t.Errorf("a look without slurmctld: %v", err)
	}
	if err := os.WriteFile(filepath.Join(s.place.dir, "go"), nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := s.rig.StartController(); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err := exec.Command("env", append(s.rig.Env(), "scontrol", "ping")...).Run(); err == nil {
			break
		}
	}
	s.wantVerdict(waits, 100, 0)
	s.wantVerdict(second, 0, 0)
	s.wantVerdict(runs, 0, 0)
}

// While slurmdbd is away slurmctld is asked, and that is said once.
func accountingAway(s *stage) {
	var notes []string
	s.e.o.Note = func(text string) { notes = append(notes, text) }
	s.rig.StopAccounting()
	s.wantVerdict(s.submit(`ends 0`), 0, 0)
	s.wantVerdict(s.submit(`ends 100`), 100, 0)
	if len(notes) != 1 || !strings.Contains(notes[0], "accounting does not answer") {
		s.t.Errorf("noted: %q", notes)
	}
	if err := s.rig.StartAccounting(); err != nil {
		s.t.Fatal(err)
	}
}

// Slurm ends a job that runs over its limit, a minute at least; it looks every half of one.
// Meanwhile other tests run.
func TestTimeLimit(t *testing.T) {
	if os.Getenv("GPUCI_SOAK") != "1" {
		t.Skip("in the long form (GPUCI_SOAK=1): Slurm looks at time limits once a minute")
	}
	rig := slurmtest.Start(t, slurmtest.Options{})
	s := newStage(t, rig)
	task := s.submit(`result 0; stay`, func(g *config.Gate) { g.Timeout = time.Second })
	s.until(task, working)
	t.Parallel()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		if strings.Contains(s.slurm("squeue", "-h", "--states=all", "--name="+task.Cookie, "-o", "%T"), "TIMEOUT") {
			break
		}
	}
	s.wantLoss(task, gates.Broken, kindTime, "time limit")
	rig.MustBeEmpty(t)
}

// Where a user may have no more jobs, a task waits until one of ours has ended; with none
// of ours there it is refused.
func submitLimit(s *stage) {
	defer s.slurm("sacctmgr", "--immediate", "modify", "qos", "normal", "set", "MaxSubmitJobsPerUser=-1")
	s.slurm("sacctmgr", "--immediate", "modify", "qos", "normal", "set", "MaxSubmitJobsPerUser=1")
	first := s.submit(`while [ ! -e "$dir/go" ]; do sleep 0.1; done; ends 0`)
	said := ""
	for end := time.Now().Add(patience); !strings.Contains(said, "MaxSubmitJobsPU=1("); said = s.slurm("scontrol", "show", "assoc_mgr", "flags=qos") {
		if time.Now().After(end) {
			s.t.Fatalf("slurmctld does not hear of the limit:\n%s", said)
		}
		time.Sleep(50 * time.Millisecond)
	}
	second := s.submit(`ends 100`)
	s.until(second, func(st executor.Status) bool {
		return st.Phase == executor.Pending && strings.Contains(st.Why, "no more jobs of this user") && strings.Contains(st.Why, "submit limit")
	})
	if l := newStage(s.t, s.rig).mustFail(s.task(`ends 0`)); l.Kind != kindRefused || !strings.Contains(l.Why, "submit limit") {
		s.t.Errorf("a first task: %+v", l)
	}
	if err := os.WriteFile(filepath.Join(s.place.dir, "go"), nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.wantVerdict(first, 0, 0)
	s.wantVerdict(second, 100, 0)
}
