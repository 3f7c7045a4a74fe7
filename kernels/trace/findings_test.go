package trace

import (
	"strings"
	"testing"
	"time"
)

// TestLeakStandsOut: a step that keeps what it allocates is told of first, with where the
// memory came from; what the program keeps from its beginning is not.
func TestLeakStandsOut(t *testing.T) {
	r := trained(t, 20, func(f *forge, step int) {
		f.release(f.alloc(512))
		f.alloc(1 << 20)
	}).report(Counting{})
	p := r.Processes[0]
	if p.Findings[0].Kind != "kept" || !strings.Contains(p.Findings[0].Text, "step: 20 allocations of 1 MiB by cuMemAlloc_v2 in 20 steps were never released: 20 MiB") {
		t.Errorf("%+v", p.Findings)
	}
	if len(p.Kept) != 2 || p.Kept[0].Bytes != 1<<30 || p.Kept[0].Stage != Outside || p.Kept[1].Each != 1<<20 {
		t.Errorf("%+v", p.Kept)
	}
	if got := r.finding("allocation-in-step"); !strings.Contains(got, "step: 30 allocations by cuMemAlloc_v2 in 15 warm steps, 15.0 MiB together") {
		t.Errorf("%q", got)
	}
	if n := p.Whole[HighMark]; n != 1<<30+20<<20 && n != 1<<30+19<<20+512 {
		t.Errorf("at most %d bytes at one time", n)
	}
}

// TestNoFalseFindings: a program that does nothing odd has only what it is told of in any case.
func TestNoFalseFindings(t *testing.T) {
	f := newForge(t)
	a, b := f.kernel("a", 1), f.kernel("b", 1)
	for range 20 {
		f.push("iteration")
		f.launch(a)
		f.launch(b)
		f.launch(a)
		f.pop()
	}
	if got := f.report(Counting{}).Processes[0].Findings; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestUnevenSteps(t *testing.T) {
	r := trained(t, 20, func(f *forge, step int) {
		if step%4 == 3 {
			f.launch(f.kernel("now_and_then", 2))
		}
	}).report(Counting{})
	if got := r.finding("uneven"); !strings.Contains(got, "launches 11..12 (median 11)") || strings.Contains(got, "syncs") {
		t.Errorf("%q", got)
	}
}

func TestStalledLaunches(t *testing.T) {
	r := trained(t, 20, func(f *forge, step int) {
		if step == 12 {
			f.longer(5*time.Millisecond, func() { f.launch(f.kernel("_Z3addPfi", 8)) })
		}
	}).report(Counting{})
	if got := r.finding("launch-waited"); !strings.Contains(got, "step: 1 launch of 166 took 20 times the median") {
		t.Errorf("%q", got)
	}
}

// TestRecordingTroubles: what a recording lacks is said before all else.
func TestRecordingTroubles(t *testing.T) {
	for _, c := range []struct {
		kind, want string
		make       func(*forge)
	}{
		{"not-counted", "nothing was counted: another profiler is attached already", func(f *forge) {
			f.head.State, f.head.Error = uint32(Refused), 39
			copy(f.head.Why[:], "another profiler is attached already")
		}},
		{"dropped", "17 events found no room", func(f *forge) { f.head.Dropped = 17 }},
		{"killed", "ended by a signal or by _exit, or still ran", func(f *forge) { f.head.EndedAt = 0 }},
		{"not-counted", "while CUPTI was being attached", func(f *forge) { f.head.State = uint32(Made) }},
	} {
		f := trained(t, 3, nil)
		c.make(f)
		r := f.report(Counting{})
		if got := r.Processes[0].Findings; len(got) == 0 || got[0].Kind != c.kind || !strings.Contains(got[0].Text, c.want) {
			t.Errorf("%s: %+v", c.kind, got)
		}
		var b strings.Builder
		if err := r.Text(&b, Page{}); err != nil || !strings.Contains(b.String(), strings.Fields(c.want)[0]) {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}

// TestCallsThatWait: a copy that is not asynchronous is one, and no price reaches over it.
func TestCallsThatWait(t *testing.T) {
	for name, waits := range map[string]bool{
		"cuMemcpyDtoH_v2": true, "cuMemcpyHtoD_v2": true, "cuMemcpy2D_v2": true, "cuMemcpy": true, "cuMemcpyDtoHAsync_v2": false, "cuMemcpyDtoD_v2": false,
		"cuMemcpyBatchAsync": false, "cuMemsetD8_v2": false, "cuStreamSynchronize": true, "cuEventSynchronize_ptsz": true, "cuCtxSynchronize": true, "cuMemcpyPeerAsync": false,
	} {
		if got := callOf(name).waits; got != waits {
			t.Errorf("%s waits: %v", name, got)
		}
	}
	f := newForge(t)
	k := f.kernel("k", 1)
	for range 3 {
		f.push("s")
		f.launch(k)
		f.longer(time.Second, func() { f.copy("cuMemcpyDtoH_v2", 4) })
		f.launch(k)
		f.copy("cuMemcpyDtoHAsync_v2", 4)
		f.launch(k)
		f.pop()
	}
	s := f.report(Counting{}).stage(t, "s")
	if s.Price.Launch.N != 2 || s.Price.Launch.High > 3*time.Microsecond {
		t.Errorf("price %+v", s.Price.Launch)
	}
	if len(s.Waits) != 1 || s.Waits[0].N != 2 || s.Waits[0].Longest != time.Second {
		t.Errorf("%+v", s.Waits)
	}
}
