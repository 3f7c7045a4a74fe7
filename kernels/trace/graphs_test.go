package trace

import (
	"strings"
	"testing"
	"time"
)

func TestSlowReplays(t *testing.T) {
	f := newForge(t)
	g := f.graph(55)
	f.event(Instantiate, 0, g, 0, 1)
	for i := range 1000 {
		took := 10 * time.Microsecond
		if i == 0 || i == 499 {
			took = time.Millisecond
		}
		f.longer(took, func() { f.event(GraphLaunch, 0, g, 7, 1) })
	}
	r := f.report(Counting{})
	p := r.Processes[0]
	if len(p.Graphs) != 1 || p.Graphs[0].Nodes.Kernels != 55 || p.Graphs[0].Nodes.Sets != 1 || p.Graphs[0].Slow != 2 || p.Graphs[0].Times.N != 1000 {
		t.Fatalf("%+v", p.Graphs)
	}
	if got := r.finding("slow-replay"); !strings.Contains(got, "55 kernel nodes") || !strings.Contains(got, "2 of 1000") || !strings.Contains(got, "the 1st 1.00 ms, the 500th 1.00 ms") {
		t.Errorf("%q", got)
	}
	if p.Whole[GraphKernels] != 55000 || p.Whole[GraphLaunches] != 1000 {
		t.Errorf("%v", p.Whole)
	}
}

// TestSlowestAreKept: of many slow ones those that were slowest are named.
func TestSlowestAreKept(t *testing.T) {
	g := newGraphs()
	for i := range 1000 {
		g.take(&Event{Kind: GraphLaunch, Name: 1, Took: time.Duration(1 + i*7919%1000*1000)}, false)
	}
	list := g.by[1].slowest
	for i, r := range list {
		if want := time.Duration(1 + (999-i)*1000); r.Took != want || int(r.Ordinal-1)*7919%1000*1000+1 != int(want) {
			t.Errorf("the %dth slowest: %+v, want %s", i, r, want)
		}
	}
	if len(list) != replaysMax {
		t.Errorf("%d", len(list))
	}
}

// TestCaptureAudit: two captures, a kernel of which is launched outside as well, and what
// is done beside them.
func TestCaptureAudit(t *testing.T) {
	f := newForge(t)
	both, alone, eager := f.kernel("both", 1), f.kernel("alone", 1), f.kernel("eager", 1)
	begin, end := f.call("cuStreamBeginCapture_v2"), f.call("cuStreamEndCapture")
	for range 2 {
		f.event(Capture, 0, begin, 7, 0)
		f.event(Launch, Captured, both, 7, 1)
		f.event(Launch, Captured, both, 7, 1)
		f.event(Launch, Captured, alone, 7, 1)
		f.alloc(4096)
		f.event(Launch, 0, eager, 0, 1) // the default stream
		f.thread = 2
		f.event(Launch, 0, eager, 9, 1) // a stream of its own
		f.event(Sync, Failed, f.call("cuCtxSynchronize"), 0, 1)
		f.thread = 1
		f.event(Capture, 0, end, 7, 0)
	}
	f.event(Capture, 0, begin, 7, 0)
	f.event(Capture, Failed, end, 7, 0)
	f.alloc(4096) // no capture is open any more
	f.launch(f.kernel("both", 2))
	r := f.report(Counting{})
	a := r.Processes[0].Capture
	if a.Captures != 3 || a.Broken != 1 || len(a.Mixed) != 1 || len(a.During) != 3 {
		t.Fatalf("%+v", a)
	}
	if m := a.Mixed[0]; m.Name != "both" || m.Captured != 4 || m.Captures != 2 || m.Eager != 1 {
		t.Errorf("%+v", m)
	}
	for _, want := range []During{
		{"cuMemAlloc_v2", "allocation", true, 2, 0}, {"cuLaunchKernel", "default-stream launch", true, 2, 0}, {"cuCtxSynchronize", "wait", false, 2, 2},
	} {
		found := false
		for _, d := range a.During {
			found = found || d == want
		}
		if !found {
			t.Errorf("%+v is not in %+v", want, a.During)
		}
	}
	if got := r.Processes[0].Whole; got[Captures] != 6 || got[Launches] != 5 {
		t.Errorf("%v", got)
	}
}
