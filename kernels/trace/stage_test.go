package trace

import (
	"strings"
	"testing"
	"time"
)

// TestOneStepInTwoRanges: ranges with one number, one after the other, are one step, which
// took as long as both, and not what is between.
func TestOneStepInTwoRanges(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	for _, name := range []string{"step 1", "step 1", "step 2", "step 2", "step 1"} {
		f.push(name)
		f.launch(k)
		f.wait(9 * time.Microsecond)
		f.pop()
		f.wait(time.Second)
	}
	s := f.report(Counting{Warm: -1}).stage(t, "step")
	if e := s.Counts[Launches]; s.Steps != 3 || e.Low != 1 || e.High != 2 || e.Total != 5 {
		t.Errorf("%d steps, %+v", s.Steps, e)
	}
	if s.Took.Median != 20*time.Microsecond || s.Took.Low != 10*time.Microsecond {
		t.Errorf("%+v", s.Took)
	}
}

// TestRangeWithoutName: one is a stage all the same, and not what is outside of all.
func TestRangeWithoutName(t *testing.T) {
	f := newForge(t)
	for range 3 {
		f.event(Push, 0, 0, 0, 0)
		f.launch(f.kernel("k", 1))
		f.pop()
	}
	if s := f.report(Counting{}).stage(t, Unnamed); s.Steps != 3 || s.Total[Launches] != 3 {
		t.Errorf("%+v", s)
	}
}

// TestLineAtTheMoment: a call that enters as the line comes is of the next step.
func TestLineAtTheMoment(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	f.launch(k)
	lines := []Line{{At: forgeBegan.Add(-time.Second), Step: 0}, {At: forgeBegan.Add(f.now), Step: 1}, {At: forgeBegan.Add(time.Second), Step: 2}}
	f.launch(k)
	f.launch(k)
	f.launch(k)
	s := f.report(Counting{Lines: lines, Warm: -1}).stage(t, LineStep)
	if e := s.Counts[Launches]; s.Steps != 2 || e.Low != 1 || e.High != 3 {
		t.Errorf("%d steps, %+v: the first line is from before the process", s.Steps, e)
	}
	if s.Took.Low != time.Microsecond || s.Took.High != time.Second-time.Microsecond {
		t.Errorf("%+v", s.Took)
	}
}

// TestManyRanges: a program that puts a key of its data into its ranges.
func TestManyRanges(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	for i := range 1000 {
		f.push("key-" + strings.Repeat("x", i))
		f.launch(k)
		f.pop()
	}
	r := f.report(Counting{})
	if n := len(r.Processes[0].Stages); n > stagesMax+1 {
		t.Errorf("%d stages", n)
	}
	if s := r.stage(t, Further); s.Total[Launches] < 700 {
		t.Errorf("%+v", s.Total)
	}
	if n := r.Processes[0].Whole[Launches]; n != 1000 {
		t.Errorf("%d launches", n)
	}
}

// TestChainsEndAtWaits: what the host waits for in between is no chain.
func TestChainsEndAtWaits(t *testing.T) {
	for name, c := range map[string]struct {
		between func(f *forge)
		chain   bool
	}{
		"nothing": {func(*forge) {}, true}, "a wait": {func(f *forge) { f.sync(time.Microsecond) }, false}, "a copy": {func(f *forge) { f.copy("cuMemcpyDtoHAsync_v2", 4) }, false},
		"a memset": {func(f *forge) { f.event(Set, 0, f.call("cuMemsetD8Async"), 4, 1) }, true}, "an allocation": {func(f *forge) { f.release(f.alloc(4)) }, true},
		"a graph": {func(f *forge) { f.event(GraphLaunch, 0, f.graph(2), 7, 1) }, false},
	} {
		f := newForge(t)
		for range 3 {
			f.push("s")
			for range 10 {
				f.launch(f.kernel("k", 1))
				c.between(f)
			}
			f.pop()
		}
		if got := f.report(Counting{}).stage(t, "s").Chains; (len(got) == 1) != c.chain {
			t.Errorf("%s between: %+v", name, got)
		}
	}
}

// TestKernelLoadedTwice: two functions of one symbol are one kernel, also in a chain.
func TestKernelLoadedTwice(t *testing.T) {
	f := newForge(t)
	a, b := f.name("K", "0xa\t1,1,1\t32,1,1\t0\tk"), f.name("K", "0xb\t1,1,1\t32,1,1\t0\tk")
	for range 5 {
		f.launch(a)
		f.launch(b)
	}
	s := f.report(Counting{}).stage(t, Outside)
	if len(s.Kernels) != 1 || len(s.Kernels[0].Shapes) != 1 || s.Kernels[0].Launches != 10 || len(s.Chains) != 1 || len(s.Chains[0].Links) != 1 || s.Chains[0].Repeats != 10 {
		t.Errorf("%+v, %+v", s.Kernels, s.Chains)
	}
	if !s.Whole || s.Label() != "(whole process)" {
		t.Errorf("%q", s.Label())
	}
}

// TestUnlike: each of what is said of a count makes it another one.
func TestUnlike(t *testing.T) {
	a := Each{N: 10, Low: 1, Median: 2, High: 3, Total: 20}
	for _, b := range []Each{{10, 0, 2, 3, 20, false}, {10, 1, 1, 3, 20, false}, {10, 1, 2, 4, 20, false}, {10, 1, 2, 3, 21, false}} {
		if !unlike(a, b) || !unlike(b, a) {
			t.Errorf("%+v is as %+v", a, b)
		}
	}
	for _, b := range []Each{a, {20, 1, 2, 3, 40, false}, {20, 1, 2, 3, 41, false}} {
		if unlike(a, b) {
			t.Errorf("%+v is not as %+v", a, b)
		}
	}
}
