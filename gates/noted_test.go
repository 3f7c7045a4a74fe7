package gates

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/notes"
)

// TestNotesUnknown: notes that could not be looked at in their time make a green
// need attention, and leave a red red.
func TestNotesUnknown(t *testing.T) {
	for was, want := range map[Outcome]Outcome{Green: Attention, KnownRed: Attention, Red: Red, Broken: Broken} {
		f := &flow{v: &Verdict{Outcome: was}, looked: func() noteLook { return noteLook{err: context.DeadlineExceeded} }}
		f.noted()
		if f.v.Outcome != want || len(f.v.Findings) != 1 || len(f.v.Next) != 1 {
			t.Errorf("%s became %s: %+v", was, f.v.Outcome, f.v)
		}
	}
}

// TestNotesEndInTime: the look ends with its context, whatever it waits for.
func TestNotesEndInTime(t *testing.T) {
	f := &flow{v: &Verdict{Outcome: Green}, opt: Options{Workspace: &config.Config{}, State: t.TempDir()}}
	ctx, cancel := context.WithCancelCause(context.Background())
	f.lookForNotes(ctx)
	if l := f.looked(); l.err != nil {
		t.Fatalf("nothing to look at: %v", l.err)
	}
	cancel(context.Canceled)
	s := noteSite{cfg: &config.Config{}, now: time.Now()}
	if l := s.look(ctx); l.err == nil {
		t.Error("what was cut short is taken for whole")
	}
}

// TestPredicted: a prediction is held against a run that ended by itself and well,
// and against no other.
func TestPredicted(t *testing.T) {
	note := func() *notes.Standing {
		return &notes.Standing{Note: notes.Note{Note: config.Note{Expects: "a-ms < 3"}}, Awaits: true}
	}
	var m MetricSummary
	m.Metric, m.Low.Value, m.High.Value = "a-ms", 1, 2
	f := &flow{v: &Verdict{Metrics: []MetricSummary{m}}, run: &ended{}}
	s := note()
	if f.predicted(s); s.Awaits || !s.Proven || s.Stale() {
		t.Errorf("%+v", s)
	}
	f.v.Metrics[0].High.Value = 4
	s = note()
	if f.predicted(s); s.Proven || len(s.Fell) != 1 || !strings.Contains(s.Fell[0].Why, "from 1 to 4") {
		t.Errorf("%+v", s)
	}
	f.v.Metrics = nil
	s = note()
	if f.predicted(s); len(s.Fell) != 1 || !s.Fell[0].Unknown {
		t.Errorf("a number that was not printed: %+v", s)
	}
	f.run.Exit = 1
	s = note()
	if f.predicted(s); !s.Awaits || s.Stale() {
		t.Errorf("a run that failed: %+v", s)
	}
}
