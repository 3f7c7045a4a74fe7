package slurm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// ended waits until Slurm says that a job has ended by itself, without looking.
func (s *stage) ended(id string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if out := s.slurm("scontrol", "show", "job", id); strings.Contains(out, "JobState=COMPLETED") || strings.Contains(out, "JobState=FAILED") {
			return
		}
	}
	s.t.Fatalf("job %s does not end", id)
}

// A job that had ended well, with a result, and was put back before anybody looked: it ends
// in the same way once more, and what it said then counts.
func requeuedAfterItsEnd(s *stage) {
	t := s.submit(`ends 0`)
	id := s.e.jobs[t.Cookie].id
	s.ended(id)
	s.slurm("scontrol", "requeue", id)
	if st := s.wantVerdict(t, 0, 1); st.ID != id || st.Attempt != 2 {
		s.t.Errorf("%+v", st)
	}
}

// A job that somebody gives another name is still the one that it was.
func renamedByHand(s *stage) {
	t := s.submit(`until test -e "$dir/go.$cookie"; do sleep 0.1; done; ends 100`)
	st := s.until(t, working)
	s.slurm("scontrol", "update", "jobid="+st.ID, "jobname=other")
	for range 10 { // more than the three seconds after which what has no result is lost
		time.Sleep(lookEvery)
		all, err := s.e.Look(s.t.Context())
		if err != nil { // of this look alone
			s.t.Log(err)
		}
		for _, u := range all {
			s.told[u.Cookie] = append(s.told[u.Cookie], u)
		}
	}
	if err := os.WriteFile(s.place.dir+"/go."+t.Cookie, nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.wantVerdict(t, 100, 0)
}

// A shared directory that is away for a moment loses nothing. From one that does not come
// back nothing can be read, and the night does not wait for it for ever.
func placeRemoved(s *stage) {
	first, second := s.submit(`ends 100`), s.submit(`ends 0`)
	s.ended(s.e.jobs[first.Cookie].id)
	s.ended(s.e.jobs[second.Cookie].id)
	away := s.place.dir + " away"
	if err := os.Rename(s.place.dir, away); err != nil {
		s.t.Fatal(err)
	}
	if all, err := s.e.Look(s.t.Context()); err == nil || len(all) > 0 {
		s.t.Errorf("without a place it says %+v, %v", all, err)
	}
	if err := os.Rename(away, s.place.dir); err != nil {
		s.t.Fatal(err)
	}
	s.wantVerdict(first, 100, 0)
	s.wantVerdict(second, 0, 0)

	third := s.submit(`ends 0`)
	s.ended(s.e.jobs[third.Cookie].id)
	if err := os.RemoveAll(s.place.dir); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(patience); len(s.told[third.Cookie]) == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		all, err := s.e.Look(s.t.Context())
		if err == nil && len(all) == 0 && len(s.e.jobs) > 0 {
			s.t.Fatal("that the place is gone is not said")
		}
		for _, u := range all {
			if u.Phase == executor.Done {
				s.told[u.Cookie] = append(s.told[u.Cookie], u)
			}
		}
	}
	s.wantLoss(third, gates.Broken, kindLost, "exit code 0", "cannot be read")
}

// While the place hangs gpuci can be told to end, and ends its jobs; what hung goes on.
func placeHangs(s *stage) {
	t := s.submit(`stay`)
	s.until(t, working)
	end := s.place.hang(s.t)
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(s.t.Context(), 100*time.Millisecond)
		s.t.Cleanup(cancel)
		return ctx
	}
	if _, err := s.e.Look(soon()); !errors.Is(err, errHangs) {
		s.t.Errorf("a look that is cut: %v", err)
	}
	if _, err := s.e.Look(s.t.Context()); !errors.Is(err, errHangs) {
		s.t.Errorf("a look beside it: %v", err)
	}
	if err := s.e.Submit(soon(), s.task(`ends 0`)); !errors.Is(err, errHangs) {
		s.t.Errorf("submitted: %v", err)
	}
	if err := s.e.Cancel(s.t.Context(), []string{t.Cookie}); err != nil {
		s.t.Error(err)
	}
	if queue := s.slurm("squeue", "-h", "--states=running,pending", "--name="+t.Cookie); queue != "" {
		s.t.Errorf("cancelled, and there is still %s", queue)
	}
	end()
	for range 100 { // until what hung was answered
		if _, err := s.e.place.Results(); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.wantLoss(t, gates.Refused, kindCancelled)
}

// A result that cannot be recorded here is kept for later, and that is said once.
func notRecorded(s *stage) {
	var notes []string
	s.e.o.Note = func(text string) { notes = append(notes, text) }
	s.place.full = 3
	s.wantVerdict(s.submit(`ends 100`), 100, 0)
	if len(notes) != 1 || !strings.Contains(notes[0], "no space left") {
		s.t.Errorf("noted: %q", notes)
	}
}

// A task of which nobody can tell what has begun is not waited for for ever.
func taskUnread(s *stage) {
	s.place.torn = fs.ErrNotExist
	s.wantLoss(s.submit(`ends 0`), gates.Broken, kindLost, "exit code 0", "cannot be read")
}

// Accounting that is behind speaks of an earlier attempt, which may have ended in the same
// way as the one that the queue shows.
func TestAgrees(t *testing.T) {
	first, second := time.Unix(100, 0), time.Unix(200, 0)
	u := &update{row: &Row{State: "COMPLETED", Submit: second}}
	for _, tt := range []struct {
		r    Record
		want bool
	}{
		{Record{State: "COMPLETED", Submit: second}, true},
		{Record{State: "COMPLETED", Submit: first}, false},
		{Record{State: "FAILED", Submit: second}, false},
	} {
		if got := u.agrees(tt.r); got != tt.want {
			t.Errorf("%+v: %v", tt.r, got)
		}
	}
	if !(&update{}).agrees(Record{State: "COMPLETED", Submit: first}) {
		t.Error("a job that the queue has forgotten is not accounting's to know")
	}
}
