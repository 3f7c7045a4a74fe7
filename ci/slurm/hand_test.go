package slurm

import (
	"context"
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
)

// Jobs that are handed over by halves, by processes that are killed, to a slurmctld that is
// away; and what is cancelled meanwhile. Nothing is run twice, and nothing is left.
func TestHandOver(t *testing.T) {
	t.Parallel()
	rig := slurmtest.Start(t, slurmtest.Options{MinJobAge: 2 * time.Second})
	t.Run("beside each other", func(t *testing.T) {
		for name, test := range map[string]func(*stage){
			"taken and not said": takenNotSaid, "try again": tryAgain, "killed meanwhile": killedMeanwhile, "cancelled meanwhile": cancelledMeanwhile, "cancelled too late": cancelledTooLate,
			"adopted": adopted, "forgotten": forgotten, "put back and forgotten": backAndForgotten, "strange": strange,
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
	s.bin = bin
	if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte("#!/bin/sh\nSBATCH="+real+"\ndir='"+bin+"'\necho >>\"$dir/calls\"\n"+script), 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.e.client.Env = append(slices.Clone(s.e.client.Env), "PATH="+bin+":"+os.Getenv("PATH"))
	s.e.client.Env = slices.DeleteFunc(s.e.client.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") && !strings.HasPrefix(v, "PATH="+bin) })
}

// once fails where sbatch was run more than once: how many jobs there were slurmctld knows
// only for a while.
func (s *stage) once() {
	s.t.Helper()
	if calls, err := os.ReadFile(filepath.Join(s.bin, "calls")); err != nil || len(calls) != 1 {
		s.t.Errorf("%d jobs of one task, %v", len(calls), err)
	}
}

// count is how many jobs ever had the name of a task, as far as slurmctld knows.
func (s *stage) count(t executor.Task) int {
	s.t.Helper()
	return len(strings.Fields(s.slurm("squeue", "-h", "--states=all", "--name="+t.Cookie, "-o", "%i")))
}

// An sbatch that fails after slurmctld has taken the job.
func takenNotSaid(s *stage) {
	s.wrapped(`"$SBATCH" "$@" >/dev/null; echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1`)
	s.wantVerdict(s.submit(`ends 0`), 0, 0)
	s.once()
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
	env := s.e.client.Env
	s.e = s.open()
	s.e.client.Env = env
	never, err := s.e.Adopt(s.t.Context(), []executor.Task{t})
	if err != nil || len(never) > 0 {
		s.t.Fatalf("adopt: %v, %v", never, err)
	}
	s.wantVerdict(t, 0, 0)
	s.once()
}

// Cancel waits for an sbatch that is under way, and ends what comes of it; where the machine
// is so busy that it does not end in time, that is said, and its job runs nothing.
func cancelledMeanwhile(s *stage) {
	s.wrapped(`sleep 0.5; exec "$SBATCH" "$@"`)
	t := s.task(`stay`)
	s.submitCut(t)
	if err := s.open().Cancel(s.t.Context(), []string{t.Cookie}); err != nil {
		if !strings.Contains(err.Error(), "runs nothing") {
			s.t.Fatal(err)
		}
		s.t.Log(err)
	}
	s.once()
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

// A job that was put back after it had left a result, and that slurmctld has forgotten
// before it began again: that result is not its last attempt's.
func backAndForgotten(s *stage) {
	t := s.submit(`result 0; stay`)
	id := s.until(t, working).ID
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if found, _ := s.place.Results(); len(found) > 0 {
			break
		}
	}
	s.slurm("scontrol", "requeuehold", id)
	s.until(t, func(st executor.Status) bool { return st.Phase == executor.Pending && st.Attempt == 1 })
	s.slurm("scancel", id)
	for end := time.Now().Add(patience); s.count(t) > 0 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	s.wantLoss(t, gates.Broken, kindLost, "forgotten", "attempt 2")
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
