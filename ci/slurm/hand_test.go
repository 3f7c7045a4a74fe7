package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// Jobs that are handed over by halves, by processes that are killed, to a slurmctld that is
// away; and what is cancelled meanwhile. Nothing is run twice, and nothing is left.
func TestHandOver(t *testing.T) {
	t.Parallel()
	rig := slurmtest.Start(t, slurmtest.Options{MinJobAge: 2 * time.Second})
	t.Run("beside each other", func(t *testing.T) {
		for name, test := range map[string]func(*stage){
			"taken and not said": takenNotSaid, "try again": tryAgain, "killed meanwhile": killedMeanwhile, "cancelled meanwhile": cancelledMeanwhile, "cancelled too late": cancelledTooLate,
			"adopted": adopted, "forgotten": forgotten, "strange": strange,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(newStage(t, rig))
			})
		}
	})
	t.Run("away", func(t *testing.T) { // what the others need is away
		controllerAway(newStage(t, rig))
		rig.MustBeEmpty(t)
	})
}

// wrapped puts a script in the place of sbatch, which is $SBATCH in it.
func (s *stage) wrapped(script string) {
	s.t.Helper()
	real, err := exec.LookPath("sbatch")
	if err != nil {
		s.t.Fatal(err)
	}
	bin := s.t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte("#!/bin/sh\nSBATCH="+real+"\ndir='"+bin+"'\n"+script), 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.e.client.Env = append(slices.Clone(s.e.client.Env), "PATH="+bin+":"+os.Getenv("PATH"))
	s.e.client.Env = slices.DeleteFunc(s.e.client.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") && !strings.HasPrefix(v, "PATH="+bin) })
}

// count is how many jobs ever had the name of a task, as far as slurmctld knows.
func (s *stage) count(t executor.Task) int {
	s.t.Helper()
	return len(strings.Fields(s.slurm("squeue", "-h", "--states=all", "--name="+t.Cookie, "-o", "%i")))
}

// An sbatch that fails after slurmctld has taken the job.
func takenNotSaid(s *stage) {
	s.wrapped(`"$SBATCH" "$@" >/dev/null; echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1`)
	t := s.submit(`ends 0`)
	s.wantVerdict(t, 0, 0)
	if n := s.count(t); n != 1 {
		s.t.Errorf("%d jobs of one task", n)
	}
}

// An sbatch that slurmctld has no time for.
func tryAgain(s *stage) {
	s.wrapped(`if [ ! -e "$dir/once" ]; then : >"$dir/once"; echo 'sbatch: error: Batch job submission failed: Resource temporarily unavailable' >&2; exit 1; fi
exec "$SBATCH" "$@"`)
	t := s.submit(`ends 0`)
	s.until(t, func(st executor.Status) bool {
		return st.Phase == executor.Pending && strings.Contains(st.Why, "Resource temporarily unavailable")
	})
	s.wantVerdict(t, 0, 0)
}

// submitCut submits with a context that ends in the middle of it.
func (s *stage) submitCut(t executor.Task) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := s.e.Submit(ctx, t); err != nil {
		s.t.Fatal(err)
	}
	if id := s.e.jobs[t.Cookie].id; id != "" {
		s.t.Fatalf("sbatch has given %s before it was cut", id)
	}
}

// The sbatch of a process that is killed goes on; the next process waits for it.
func killedMeanwhile(s *stage) {
	s.wrapped(`sleep 1; exec "$SBATCH" "$@"`)
	t := s.task(`ends 0`)
	s.submitCut(t)
	s.e = s.open()
	never, err := s.e.Adopt(s.t.Context(), []executor.Task{t})
	if err != nil || len(never) > 0 {
		s.t.Fatalf("adopt: %v, %v", never, err)
	}
	s.wantVerdict(t, 0, 0)
	if n := s.count(t); n != 1 {
		s.t.Errorf("%d jobs of one task", n)
	}
}

// Cancel waits for an sbatch that is under way, and ends what comes of it.
func cancelledMeanwhile(s *stage) {
	s.wrapped(`sleep 0.7; exec "$SBATCH" "$@"`)
	t := s.task(`stay`)
	s.submitCut(t)
	if err := s.open().Cancel(s.t.Context(), []string{t.Cookie}); err != nil {
		s.t.Fatal(err)
	}
	if n := s.count(t); n > 1 {
		s.t.Errorf("%d jobs of one task", n)
	}
}

// One that takes longer is said, and its job runs nothing.
func cancelledTooLate(s *stage) {
	s.wrapped(`sleep 3; exec "$SBATCH" "$@"`)
	t := s.task(`stay`)
	s.submitCut(t)
	began := time.Now()
	if err := s.e.Cancel(s.t.Context(), []string{t.Cookie}); err == nil || !strings.Contains(err.Error(), "runs nothing") {
		s.t.Errorf("cancel: %v", err)
	}
	s.t.Logf("cancelled in %s", time.Since(began))
	for end := time.Now().Add(patience); s.count(t) == 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	for end := time.Now().Add(patience); s.count(t) > 0 && time.Now().Before(end); { // until slurmctld has forgotten it
		time.Sleep(100 * time.Millisecond)
	}
	if begun, err := s.place.Begun(t.Cookie); err != nil || len(begun) > 0 {
		s.t.Errorf("it has begun: %v, %v", begun, err)
	}
}

// Jobs of a process before us, in every way that they can be by then, and a task that was
// never handed over.
func adopted(s *stage) {
	runs, ended, back := s.submit(`stay`), s.submit(`ends 100`), s.submit(`test "$restart" = 1 && ends 0; stay`)
	s.until(runs, working)
	s.slurm("scontrol", "requeue", s.until(back, working).ID)
	for end := time.Now().Add(patience); s.count(ended) > 0 && time.Now().Before(end); { // until slurmctld has forgotten it
		time.Sleep(100 * time.Millisecond)
	}
	if n := s.count(ended); n > 0 {
		s.t.Fatal("slurmctld does not forget")
	}
	s.e = s.open()
	tasks := []executor.Task{runs, ended, back, s.task(`ends 0`)}
	never, err := s.e.Adopt(s.t.Context(), tasks)
	if err != nil || len(never) != 1 || never[0].Cookie != tasks[3].Cookie {
		s.t.Fatalf("adopt: %v, %v", never, err)
	}
	s.wantVerdict(ended, 100, 0)
	s.wantVerdict(back, 0, 1)
	if err := s.open().Cancel(s.t.Context(), []string{runs.Cookie}); err != nil {
		s.t.Fatal(err)
	}
	s.wantLoss(runs, gates.Refused, kindCancelled)
}

// A job that slurmctld has forgotten, with its last attempt without a result.
func forgotten(s *stage) {
	t := s.submit(`echo last-words`)
	for end := time.Now().Add(patience); s.count(t) > 0 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	s.wantLoss(t, gates.Broken, kindLost, "forgotten", "last-words")
}

// Whatever is in a name reaches the node as it is, and nothing of it is a command.
func strange(s *stage) {
	name := "a b'\"\\ $(touch pwned) `touch pwned` %j\n#SBATCH --bad\n;é"
	s.place.dir = filepath.Join(s.place.dir, name)
	if err := os.Mkdir(s.place.dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	t := s.submit(`printf '%s' "$dir" >"$dir/seen"; pwd >>"$dir/seen"; ends 0`, inPartition("main", "--comment="+name))
	s.wantVerdict(t, 0, 0)
	if got, err := os.ReadFile(filepath.Join(s.place.dir, "seen")); err != nil || string(got) != s.place.dir+"/\n" {
		s.t.Errorf("the node has seen %q, %v", got, err)
	}
	for _, dir := range []string{"/", s.dir, s.place.dir, s.rig.Shared} {
		if found, _ := filepath.Glob(filepath.Join(dir, "pwned")); len(found) > 0 {
			s.t.Errorf("a name was run: %q", found)
		}
	}
}

// While slurmctld is away, what runs goes on, what is submitted waits, and looks say so.
func controllerAway(s *stage) {
	runs := s.submit(`while [ ! -e "$dir/go" ]; do sleep 0.1; done; ends 0`)
	s.until(runs, working)
	s.rig.StopController()
	waits := s.task(`ends 100`)
	if err := s.e.Submit(s.t.Context(), waits); err != nil {
		s.t.Fatal(err)
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
	s.wantVerdict(runs, 0, 0)
}

// While slurmdbd is away slurmctld is asked, and that is said once.
func TestAccountingAway(t *testing.T) {
	t.Parallel()
	rig := slurmtest.Start(t, slurmtest.Options{Accounting: true})
	s := newStage(t, rig)
	var notes []string
	s.e.o.Note = func(text string) { notes = append(notes, text) }
	rig.StopAccounting()
	s.wantVerdict(s.submit(`ends 0`), 0, 0)
	s.wantVerdict(s.submit(`ends 100`), 100, 0)
	if len(notes) != 1 || !strings.Contains(notes[0], "accounting does not answer") {
		t.Errorf("noted: %q", notes)
	}
	if err := rig.StartAccounting(); err != nil {
		t.Fatal(err)
	}
	rig.MustBeEmpty(t)
}

// Slurm ends a job that runs over its limit, a minute at least; it looks every half of one.
// Meanwhile other tests run.
func TestTimeLimit(t *testing.T) {
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

// What a gate asks for, as sbatch has it.
func TestOptions(t *testing.T) {
	c := config.Slurm{Partition: "p", Account: "a", QOS: "q", Constraint: "c", GRES: "gpu:h200:{cards}", Margin: 30 * time.Second, Attempts: 1, Options: []string{"--reservation=r"}}
	task := executor.Task{Cookie: "gpuci-1"}
	task.Gate = config.Gate{
		Timeout: 10 * time.Minute, BuildTimeout: time.Hour, Grace: 5 * time.Second, Build: []config.Command{{Shell: "make"}}, Repeat: &config.Repeat{Times: 3},
		Card: config.CardNeed{Count: 2}, Slurm: &config.GateSlurm{Partition: "own", Options: []string{"--exclusive"}, Memory: 3<<20 + 1, CPUs: 8},
	}
	got := strings.Join(options(c, task, "/out"), " ")
	want := "--parsable --job-name=gpuci-1 --output=/out --open-mode=append --export=ALL --chdir=/ --nodes=1 --ntasks=1 --time=91 --no-requeue --partition=own --account=a --qos=q --constraint=c --gres=gpu:h200:2 --mem=3073K --cpus-per-task=8 --reservation=r --exclusive"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A job's environment is the user's, without what is of this machine and of Slurm.
func TestJobEnv(t *testing.T) {
	c := Client{Env: []string{"PATH=/bin", "SLURM_CONF=/c", "SBATCH_PARTITION=x", "SLURM_JOB_ID=1", "GPUCI_LOCK_DIR=/l", "CUDA_VISIBLE_DEVICES=3", "TMPDIR=/t", "CUDA_HOME=/cuda", "SSH_AUTH_SOCK=/s", "LD_LIBRARY_PATH=a=b"}}
	if got, want := fmt.Sprint(c.jobEnv()), "[PATH=/bin SLURM_CONF=/c CUDA_HOME=/cuda LD_LIBRARY_PATH=a=b]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Where a user may have no more jobs, a task waits until one of ours has ended; with none
// of ours there it is refused.
func TestSubmitLimit(t *testing.T) {
	t.Parallel()
	rig := slurmtest.Start(t, slurmtest.Options{Accounting: true, Conf: "AccountingStorageEnforce=limits,qos"})
	s := newStage(t, rig)
	s.slurm("sacctmgr", "--immediate", "modify", "qos", "normal", "set", "MaxSubmitJobsPerUser=1")
	first := s.submit(`while [ ! -e "$dir/go" ]; do sleep 0.1; done; ends 0`)
	said := ""
	for end := time.Now().Add(patience); !strings.Contains(said, "MaxSubmitJobsPU=1("); said = s.slurm("scontrol", "show", "assoc_mgr", "flags=qos") {
		if time.Now().After(end) {
			t.Fatalf("slurmctld does not hear of the limit:\n%s", said)
		}
		time.Sleep(50 * time.Millisecond)
	}
	second := s.submit(`ends 100`)
	s.until(second, func(st executor.Status) bool {
		return st.Phase == executor.Pending && strings.Contains(st.Why, "no more jobs of this user") && strings.Contains(st.Why, "submit limit")
	})
	if l := newStage(t, rig).mustFail(s.task(`ends 0`)); l.Kind != kindRefused || !strings.Contains(l.Why, "submit limit") {
		t.Errorf("a first task: %+v", l)
	}
	if err := os.WriteFile(filepath.Join(s.place.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.wantVerdict(first, 0, 0)
	s.wantVerdict(second, 100, 0)
	rig.MustBeEmpty(t)
}

// However long slurmctld takes, it is at work for us a twentieth of the time at most, or a
// fifth where something has come.
func TestPolls(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		took  time.Duration
		hot   bool
		every time.Duration
	}{
		{time.Millisecond, false, time.Second}, {time.Millisecond, true, 500 * time.Millisecond}, {time.Second, false, 20 * time.Second},
		{time.Second, true, 5 * time.Second}, {10 * time.Second, false, 30 * time.Second}, {10 * time.Second, true, 30 * time.Second},
	} {
		p := polls{hot: tt.hot}
		if !p.due(now) {
			t.Errorf("%+v: the first question has to wait", tt)
		}
		p.asked(now.Add(-tt.took), now)
		p.last = now
		if p.due(now.Add(tt.every-lookEvery/4)) || !p.due(now.Add(tt.every)) {
			t.Errorf("%+v: due after %s: %v, after %s: %v", tt, tt.every-lookEvery/4, p.due(now.Add(tt.every-lookEvery/4)), tt.every, p.due(now.Add(tt.every)))
		}
	}
}
