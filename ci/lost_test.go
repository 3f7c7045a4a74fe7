package ci

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/history"
)

// fated is a cluster on which each gate has its fate. What is not named ends green.
type fated struct {
	*simulated
	losses  map[string]*executor.Loss
	refuses map[string]error // at once, when it is handed over
	blind   int              // looks that fail, at first
}

func (f *fated) Submit(ctx context.Context, task executor.Task) error {
	if err := f.refuses[task.Gate.Name]; err != nil {
		return err
	}
	return f.simulated.Submit(ctx, task)
}

func (f *fated) Look(ctx context.Context) ([]executor.Status, error) {
	if f.blind--; f.blind >= 0 {
		f.changed <- struct{}{}
		return nil, errors.New("nobody answers")
	}
	list, err := f.simulated.Look(ctx)
	for i, st := range list {
		if st.Verdict == nil {
			continue
		}
		if loss := f.losses[st.Verdict.Gate]; loss != nil {
			list[i].Verdict, list[i].Loss = nil, loss
		}
	}
	return list, err
}

const fatedGates = `
[[gate]]
name = "evicted"
run = ["true"]
reader = "none"

[[gate]]
name = "behind"
run = ["true"]
reader = "none"
after = ["evicted"]

[[gate]]
name = "hungry"
run = ["true"]
reader = "none"

[[gate]]
name = "well"
run = ["true"]
reader = "none"
`

// fatedNight spends a night of main on such a cluster.
func (s *laneStage) fatedNight(f *fated) (Report, *notes) {
	s.t.Helper()
	f.simulated = newSimulated(s.t, 50)
	o, said := s.options()
	o.On = "fate"
	o.Open = func(context.Context, string, string, string) (executor.Executor, error) { return f, nil }
	r, err := Run(context.Background(), o)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, said)
	}
	return r, said
}

// TestLost: what a scheduler does to a task is refused or broken, with the reason and what
// to do, in the report and in the history, and what comes after it is not run. That nobody
// answers for a while changes nothing.
func TestLost(t *testing.T) {
	s := newStage(t, fatedGates)
	r, said := s.fatedNight(&fated{blind: 2, losses: map[string]*executor.Loss{
		"evicted": {Outcome: gates.Refused, Kind: "preempted", Why: "it was preempted three times", Next: []string{"try it at night"}},
		"hungry":  {Outcome: gates.Broken, Kind: "out-of-memory", Why: "it was out of memory"},
	}})
	want := []string{"main behind: not run", "main evicted: ran refused", "main hungry: ran broken", "main well: ran green"}
	if d := cmp.Diff(want, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	c := mustCell(t, r, "main", "evicted")
	if c.Why != "it was preempted three times" || len(c.Next) != 1 || c.Run == "" {
		t.Errorf("the report says %+v", c)
	}
	if c := mustCell(t, r, "main", "behind"); c.Why != "after evicted, which was refused" {
		t.Errorf("behind it: %q", c.Why)
	}
	if r.Exit != gates.Broken.ExitCode() {
		t.Errorf("exit %d", r.Exit)
	}
	if n := strings.Count(said.String(), "nobody answers"); n != 1 {
		t.Errorf("that nobody answers is said %d times:\n%s", n, said)
	}
	o, _ := s.options()
	store, err := o.Past.Store()
	if err != nil {
		t.Fatal(err)
	}
	for gate, outcome := range map[string]gates.Outcome{"evicted": gates.Refused, "hungry": gates.Broken} {
		found := 0
		for kept, err := range store.Results(context.Background(), history.Query{Gate: gate}) {
			if err != nil {
				t.Fatal(err)
			}
			if found++; kept.Outcome != string(outcome) || kept.Lane != "main" || len(kept.Findings) != 1 || kept.Tree != s.git(s.dir, "rev-parse", "main^{tree}") {
				t.Errorf("the history has of %s: %+v", gate, kept)
			}
		}
		if found != 1 {
			t.Errorf("the history has %d results of %s, want 1", found, gate)
		}
	}
	s.fatedNight(&fated{}) // what was lost is run again, and nothing else
	if r, _ := s.fatedNight(&fated{}); r.Exit != 0 {
		t.Errorf("and then: exit %d, %q", r.Exit, cells(r))
	}
}

// TestLostContent: a content that cannot be had there keeps all its gates from running, and
// is the lane's own trouble.
func TestLostContent(t *testing.T) {
	s := newStage(t, fatedGates)
	gone := &executor.Loss{Outcome: gates.Broken, Kind: executor.KindContent, Why: "its bundle is torn"}
	r, _ := s.fatedNight(&fated{losses: map[string]*executor.Loss{"evicted": gone, "hungry": gone, "well": gone}})
	for _, c := range mustLane(t, r, "main").Cells {
		if c.State != NotRun || c.Why != gone.Why {
			t.Errorf("%s: %s: %s", c.Gate, c.word(), c.Why)
		}
	}
	if l := mustLane(t, r, "main"); l.Why != gone.Why || r.Exit != gates.Broken.ExitCode() {
		t.Errorf("the lane: %q, exit %d", l.Why, r.Exit)
	}
}

// TestHandedOver: a task that is refused is lost alone; when the executor itself fails,
// nothing more is handed over, and the night says so.
func TestHandedOver(t *testing.T) {
	s := newStage(t, fatedGates)
	r, _ := s.fatedNight(&fated{refuses: map[string]error{"evicted": &executor.Loss{Outcome: gates.Refused, Kind: "refused", Why: "no such partition"}}})
	if d := cmp.Diff([]string{"main behind: not run", "main evicted: ran refused", "main hungry: ran green", "main well: ran green"}, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	s.commit("main", "another", "")
	r, _ = s.fatedNight(&fated{refuses: map[string]error{"evicted": errors.New("no space is left")}})
	for _, c := range mustLane(t, r, "main").Cells {
		if c.Outcome == gates.Green || !strings.Contains(c.Why, "no space is left") && c.Gate != "behind" {
			t.Errorf("%s: %s: %s", c.Gate, c.word(), c.Why)
		}
	}
	if r.Exit != gates.Refused.ExitCode() {
		t.Errorf("exit %d", r.Exit)
	}
}

// TestUnwritten: what cannot be written down before is not handed over.
func TestUnwritten(t *testing.T) {
	s := newStage(t, oneGate)
	f := newSimulated(t, 50)
	o, _ := s.options()
	o.On = "fate"
	o.Open = func(context.Context, string, string, string) (executor.Executor, error) {
		return f, nil
	}
	o.step = func(step string) {
		if step == "before started" { // a file can be no longer from now on
			limit(t, 1)
		}
		if step == "after started" {
			limit(t, unix.RLIM_INFINITY)
		}
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c := mustCell(t, r, "main", "unit"); c.Outcome != gates.Refused || !strings.Contains(c.Why, "cannot be written") {
		t.Errorf("%s: %s", c.word(), c.Why)
	}
	if len(f.seen) > 0 {
		t.Errorf("%d were handed over", len(f.seen))
	}
}

// limit bounds how long a file of this process may become.
func limit(t *testing.T, most uint64) {
	t.Helper()
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	now.Cur = most
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
}

// TestNightOverAway: the end of the night ends what runs elsewhere.
func TestNightOverAway(t *testing.T) {
	s := newStage(t, oneGate)
	f := &endless{simulated: newSimulated(t, 50)}
	o, _ := s.options()
	now := time.Now()
	o.Clock.Wall = func() time.Time { // the night ends once the gate is there
		if f.there.Load() {
			return now.Add(2 * time.Hour)
		}
		return now
	}
	o.On, o.Until = "fate", now.Add(time.Hour).Format("15:04")
	o.Open = func(context.Context, string, string, string) (executor.Executor, error) { return f, nil }
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c := mustCell(t, r, "main", "unit"); c.State != NotRun || !strings.HasPrefix(c.Why, "the night ended at") || r.Exit != gates.Refused.ExitCode() {
		t.Errorf("%s: %s, exit %d", c.word(), c.Why, r.Exit)
	}
	if len(f.cancelled) != 1 {
		t.Errorf("cancelled: %q", f.cancelled)
	}
}

// endless is a cluster on which nothing comes to an end.
type endless struct {
	*simulated
	there     atomic.Bool
	cancelled []string
}

func (e *endless) Submit(ctx context.Context, task executor.Task) error {
	defer e.there.Store(true)
	return e.simulated.Submit(ctx, task)
}

func (e *endless) Look(context.Context) ([]executor.Status, error) { return nil, nil }

func (e *endless) Cancel(_ context.Context, cookies []string) error {
	e.cancelled = append(e.cancelled, cookies...)
	return nil
}
