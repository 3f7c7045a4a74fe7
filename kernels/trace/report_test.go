package trace

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// trained forges a program as most are: it sets up, and then does the same step n times,
// each 24 us a launch and 300 us of waiting at the end.
func trained(t testing.TB, n int, each func(f *forge, step int)) *forge {
	f := newForge(t)
	f.name("D", "1\t0\tGPU-1\tNVIDIA H200")
	gemm, add := f.kernel("_Z4gemmPf", 64), f.kernel("_Z3addPfi", 8)
	f.alloc(1 << 30)
	f.launch(f.kernel("_Z4initv", 1))
	for step := range n {
		f.push("step " + string(rune('0'+step%10)))
		f.copy("cuMemcpyHtoDAsync_v2", 4096)
		for range 10 {
			f.launch(gemm)
			f.wait(23 * time.Microsecond)
		}
		f.launch(add)
		if each != nil {
			each(f, step)
		}
		f.sync(300 * time.Microsecond)
		f.pop()
		f.wait(50 * time.Microsecond)
	}
	return f
}

func TestStepsAndPrice(t *testing.T) {
	r := trained(t, 20, nil).report(Counting{})
	s := r.stage(t, "step")
	if s.Steps != 20 || s.Apart != 5 || s.Warm() != 15 {
		t.Errorf("%d steps, %d apart", s.Steps, s.Apart)
	}
	if e := s.Counts[Launches]; !e.Same() || e.Low != 11 || e.N != 15 || e.Total != 165 {
		t.Errorf("launches %+v", e)
	}
	// The price is of the ten gaps of a step; a hundredth is what it is right to.
	if p := s.Price; p.Launch.N != 150 || p.Launch.Median < 23900 || p.Launch.Median > 24300 || p.InCall.N != 165 {
		t.Errorf("price %+v", p)
	}
	// 1 us for the copy, 10 x 24 us, 1 us, 300 us.
	if s.Took.Median != 542*time.Microsecond || s.Took.Low != s.Took.High {
		t.Errorf("a step took %+v", s.Took)
	}
	if p := s.Price; p.Rest != s.Took.Median-p.Predicted.Median || p.Predicted.Median != 11*p.Launch.Median || p.Share < 0.48 || p.Share > 0.5 {
		t.Errorf("predicted %+v, the rest %s, share %f", p.Predicted, p.Rest, p.Share)
	}
	if k := s.Kernels; len(k) != 2 || k[0].Name != "gemm" || k[0].Launches != 150 || k[0].Cost != 10*s.Price.Launch.Median || k[0].Shapes[0].Grid != [3]int{64, 1, 1} {
		t.Errorf("kernels %+v", k)
	}
	out := r.stage(t, Outside)
	if out.Steps != 1 || out.Counts[Launches].Total != 1 || out.Counts[AllocBytes].Total != 1<<30 || out.Took.N != 0 {
		t.Errorf("outside of steps: %+v", out)
	}
	if n := r.Processes[0].Whole; n[Launches] != 221 || n[HighMark] != 1<<30 || n[Syncs] != 20 {
		t.Errorf("the whole: %v", n)
	}
	if got := r.finding("chain"); !strings.Contains(got, "comes 10 times in a row") || !strings.Contains(got, "gemm") {
		t.Errorf("chain: %q", got)
	}
	if got := r.finding("wait-in-step"); !strings.Contains(got, "step: cuStreamSynchronize waits for the card, once a step: 300 us a step") {
		t.Errorf("wait: %q", got)
	}
}

func TestWarmSteps(t *testing.T) {
	for _, c := range []struct{ steps, warm, apart, launches int }{
		{1, 0, 0, 11}, {2, 0, 1, 11}, {10, 0, 1, 99}, {11, 0, 5, 66}, {11, 3, 3, 88}, {11, -1, 0, 121}, {3, 3, 0, 33}, {11, 7, 7, 44},
	} {
		s := trained(t, c.steps, nil).report(Counting{Warm: c.warm}).stage(t, "step")
		if p, n := s.Price, int64(c.steps-c.apart); p.Launch.N != 10*n || p.InCall.N != 11*n || s.Took.N != n || s.Kernels[0].Launches != 10*n {
			t.Errorf("%d steps, warm %d: %d gaps, %d calls, %d times, %+v", c.steps, c.warm, p.Launch.N, p.InCall.N, s.Took.N, s.Kernels)
		}
		if s.Apart != c.apart || s.Counts[Launches].Total != int64(c.launches) || s.Counts[Launches].N != int64(c.steps-c.apart) || s.Total[Launches] != int64(11*c.steps) {
			t.Errorf("%d steps, warm %d: %d apart, %+v, all steps %d", c.steps, c.warm, s.Apart, s.Counts[Launches], s.Total[Launches])
		}
	}
}

// TestLinesEndSteps: what is before a line is its step's.
func TestLinesEndSteps(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	var lines []Line
	for step := range 4 {
		for range 3 + step {
			f.launch(k)
			f.wait(9 * time.Microsecond)
		}
		lines = append(lines, Line{At: forgeBegan.Add(f.now), Step: step})
		f.wait(time.Microsecond)
	}
	f.launch(k)
	r := f.report(Counting{Lines: lines})
	s := r.stage(t, LineStep)
	if e := s.Counts[Launches]; s.Steps != 4 || s.Apart != 1 || e.Low != 4 || e.Median != 5 || e.High != 6 {
		t.Errorf("%d steps, %+v", s.Steps, e)
	}
	if after := r.stage(t, AfterLast); after.Total[Launches] != 1 || r.Processes[0].By != "line" {
		t.Errorf("%+v", after)
	}
	if got := r.finding("uneven"); !strings.Contains(got, "launches 4..6 (median 5)") || !strings.Contains(got, "line of output") {
		t.Errorf("uneven: %q", got)
	}
}

// TestBackwardThread: a thread without a range of its own is in that of the first.
func TestBackwardThread(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	for step := range 3 {
		f.push("iteration")
		f.launch(k)
		f.thread = 2
		f.launch(k)
		f.wait(5 * time.Microsecond)
		f.launch(k)
		f.thread = 1
		f.pop()
		_ = step
	}
	r := f.report(Counting{})
	s := r.stage(t, "iteration")
	if e := s.Counts[Launches]; s.Steps != 3 || !e.Same() || e.Low != 3 {
		t.Errorf("%d steps, %+v", s.Steps, e)
	}
	if s.Price.Launch.N != 2 { // of thread 2 alone, in each of two warm steps
		t.Errorf("gaps %+v", s.Price.Launch)
	}
	if p := r.Processes[0]; p.Threads != 2 || p.Launcher != 2 {
		t.Errorf("%d threads, %d launch", p.Threads, p.Launcher)
	}
}

func TestNestedRange(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	f.push("train")
	for _, name := range []string{"batch 1", "batch 2", "batch 3"} {
		f.push(name)
		f.push("forward")
		f.launch(k)
		f.pop()
		f.pop()
	}
	f.pop()
	r := f.report(Counting{})
	if s := r.stage(t, "train"); s.Steps != 1 || s.Total[Launches] != 3 {
		t.Errorf("%+v", s)
	}
	if got := r.finding("nested-range"); !strings.Contains(got, `"batch"`) || !strings.Contains(got, "3 times") {
		t.Errorf("nested: %q", got)
	}
	dir := t.TempDir()
	f.write(dir)
	if s := reportIn(t, dir, Counting{Range: "batch"}).stage(t, "batch"); s.Steps != 3 || s.Total[Launches] != 3 {
		t.Errorf("%+v", s)
	}
}

// TestOpenRanges: one that a process opens holds for all threads, and one in it too.
func TestOpenRanges(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	f.event(Open, 0, f.name("T", "epoch"), 1, 0)
	f.launch(k)
	f.event(Open, 0, f.name("T", "eval"), 2, 0)
	f.launch(k)
	f.launch(k)
	f.event(Close, 0, 0, 2, 0)
	f.launch(k)
	f.event(Close, 0, 0, 1, 0)
	f.launch(k)
	r := f.report(Counting{})
	got := map[string]int64{}
	for _, s := range r.Processes[0].Stages {
		got[s.Name] = s.Total[Launches]
	}
	if diff := cmp.Diff(map[string]int64{"epoch": 2, "eval": 2, Outside: 1}, got); diff != "" {
		t.Error(diff)
	}
}

// TestFailedCalls: they are counted as that alone.
func TestFailedCalls(t *testing.T) {
	f := newForge(t)
	f.event(Launch, Failed, f.kernel("k", 1), 0, 0)
	f.event(Alloc, Failed, f.call("cuMemAlloc_v2"), 1<<40, 0)
	r := f.report(Counting{})
	n := r.Processes[0].Whole
	if n[Failures] != 2 || n[Launches] != 0 || n[Allocs] != 0 || n[HighMark] != 0 {
		t.Errorf("%v", n)
	}
	if got := r.finding("failed-calls"); !strings.Contains(got, "2 calls gave an error") {
		t.Errorf("%q", got)
	}
}

// TestReportIsJSON: what is written is read as it was.
func TestReportIsJSON(t *testing.T) {
	r := trained(t, 12, func(f *forge, _ int) { f.event(GraphLaunch, 0, f.graph(55), 0, 0) }).report(Counting{})
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"type":"trace-report"`, `"launches":{"n":7,"low":11,"median":11,"high":11,"total":77}`, `"graph-kernels"`, `"median-ns"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in %s", want, b)
		}
	}
	var again Report
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if d := Diff(r, again); !d.Same || len(d.Processes) != 1 || len(d.Processes[0].Stages) != 2 {
		t.Errorf("%+v", d)
	}
}
