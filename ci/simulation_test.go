package ci

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// simulated is a cluster of a thousand nodes in this process: each look sees a share of what
// is there begin and end. It counts what is asked of it.
type simulated struct {
	t       testing.TB
	limit   int
	changed chan struct{}
	waiting []executor.Task
	runs    []executor.Task
	seen    map[string]bool
	done    map[string]bool // by content and gate
	most    int
	looks   int
	drops   int
}

func newSimulated(t testing.TB, inFlight int) *simulated {
	s := &simulated{t: t, limit: inFlight, changed: make(chan struct{}, 1), seen: make(map[string]bool), done: make(map[string]bool)}
	s.changed <- struct{}{}
	return s
}

func (s *simulated) Submit(_ context.Context, task executor.Task) error {
	if s.seen[task.Cookie] || len(task.Cookie) > 64 {
		s.t.Errorf("cookie %s is used twice, or too long", task.Cookie)
	}
	s.seen[task.Cookie] = true
	for _, before := range task.Gate.After {
		if !s.done[task.Head.Tree+before] {
			s.t.Errorf("%s was handed over, and %s is not done", task.Gate.Name, before)
		}
	}
	s.waiting = append(s.waiting, task)
	s.most = max(s.most, len(s.waiting)+len(s.runs))
	return nil
}

func (s *simulated) Look(context.Context) (list []executor.Status, err error) {
	s.looks++
	ends := (len(s.runs) + 3) / 4
	for i, task := range s.runs {
		if i >= ends {
			break
		}
		now := time.Now()
		s.done[task.Head.Tree+task.Gate.Name] = true
		list = append(list, executor.Status{Cookie: task.Cookie, Phase: executor.Done, ID: task.Cookie, Since: now, Attempt: 1, Verdict: &gates.Verdict{
			Type: "verdict", Run: gates.NewID(now), Gate: task.Gate.Name, Outcome: gates.Green, Started: now, Seconds: 1,
			Bound: gates.Bound{Lane: task.Head.Lane, Commit: task.Head.Commit, Tree: task.Head.Tree},
		}})
	}
	s.runs = s.runs[min(ends, len(s.runs)):]
	for _, task := range s.waiting {
		list = append(list, executor.Status{Cookie: task.Cookie, Phase: executor.Running, ID: task.Cookie, Where: "n1", Since: time.Now(), Attempt: 1})
	}
	s.runs, s.waiting = append(s.runs, s.waiting...), nil
	select {
	case s.changed <- struct{}{}: // the time of a cluster is not waited for
	default:
	}
	return list, nil
}

func (s *simulated) Adopt(_ context.Context, tasks []executor.Task) ([]executor.Task, error) {
	return tasks, nil
}
func (s *simulated) Cancel(context.Context, []string) error { return nil }
func (s *simulated) Drop(string) error                      { s.drops++; return nil }
func (s *simulated) Close() error                           { return nil }
func (s *simulated) Limits() executor.Limits {
	return executor.Limits{InFlight: s.limit, Every: time.Second, Changed: s.changed}
}

// wide are gates of which every fifth comes after the one before it.
func wide(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[gate]]\nname = \"g%03d\"\nrun = [\"true\"]\nreader = \"none\"\n", i)
		if i%5 == 4 {
			fmt.Fprintf(&b, "after = [\"g%03d\"]\n", i-1)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// simulate spends a night of contents by gates on a simulated cluster.
func simulate(t testing.TB, contents, perContent, inFlight int) (s *simulated, r Report, took time.Duration) {
	stage := newStage(t, wide(perContent))
	var branches []string
	for i := range contents {
		stage.commit("main", "round", fmt.Sprint(i))
		branches = append(branches, fmt.Sprintf("b%03d", i))
		stage.git(stage.dir, "branch", branches[i])
	}
	o, _ := stage.options()
	s = newSimulated(t, inFlight)
	o.Branches, o.On = branches, "simulation"
	o.Open = func(context.Context, string, string, string) (executor.Executor, error) { return s, nil }
	began := time.Now()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, r, time.Since(began)
}

// TestSimulation: of many gates each is handed over once, behind what it comes after, never
// more at once than the executor takes, and asked for all together.
func TestSimulation(t *testing.T) {
	const contents, perContent, inFlight = 10, 30, 50
	s, r, _ := simulate(t, contents, perContent, inFlight)
	all, ran, _, _ := r.Sums()
	if all != contents*perContent || ran != all || len(s.seen) != all || s.drops != all || r.Exit != 0 {
		t.Errorf("of %d gates %d ran, %d were handed over, %d dropped; exit %d", all, ran, len(s.seen), s.drops, r.Exit)
	}
	if s.most != inFlight {
		t.Errorf("%d were there at once, want %d", s.most, inFlight)
	}
	if s.looks > all/4 {
		t.Errorf("%d looks for %d gates: it is not asked for all together", s.looks, all)
	}
}
