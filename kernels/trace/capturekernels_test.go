package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// text is a report as people read it, in one line.
func (r Report) line(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := r.Text(&b, Page{Width: 100}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestInHowManyGraphs: captures of two streams at one time, one that fails, a kernel in two
// shapes and of two functions, graphs that are made ready, launched and not launched.
func TestInHowManyGraphs(t *testing.T) {
	f := newForge(t)
	begin, end := f.call("cuStreamBeginCapture_v2"), f.call("cuStreamEndCapture")
	both, wide, alone := f.kernel("both", 1), f.kernel("both", 9), f.kernel("alone", 1)
	other := f.name("K", "0xf11\t1,1,1\t128,1,1\t0\tboth") // its module was loaded again
	into := func(stream uint64, kernels ...uint32) {
		for _, k := range kernels {
			f.event(Launch, Captured, k, stream, 1)
		}
	}
	f.event(Capture, 0, begin, 7, 0)
	f.event(Capture, 0, begin, 8, 0)
	into(7, both)
	into(8, wide)
	into(7, wide, alone)
	into(99, other) // a stream that has joined the one of the thread that began last
	f.event(Capture, 0, end, 7, 0xa0)
	f.event(Capture, 0, end, 8, 0xb0)
	f.event(Capture, 0, begin, 7, 0)
	into(7, alone)
	f.event(Capture, Failed, end, 7, 0) // makes no graph
	graph := func(number int, of string) uint32 {
		id := f.name("G", fmt.Sprintf("0xe%d\t%s\t3,0,1", number, of))
		f.event(Instantiate, 0, id, 0, 1)
		return id
	}
	first, second := graph(1, "0x7f00000000a0"), graph(2, "0x7f00000000b0")
	graph(3, "0x7f00000000a0") // is never launched
	f.event(Instantiate, Failed, f.name("G", "(nil)\t0xa0\t3,0,1"), 0, 1)
	for range 4 {
		f.event(GraphLaunch, 0, first, 7, 1)
	}
	f.event(GraphLaunch, 0, second, 7, 1)
	f.launch(both)
	r := f.report(Counting{})
	p := r.Processes[0]
	want := []CapturedKernel{
		{Name: "both", Symbol: "both", Captured: 4, Captures: 2, Eager: 1, Handles: 2, Shared: 1, Ready: 3, Replays: 5, InGraphs: 8},
		{Name: "alone", Symbol: "alone", Captured: 2, Captures: 1, Handles: 1, Ready: 2, Replays: 4, InGraphs: 4},
	}
	if fmt.Sprint(p.Capture.Kernels) != fmt.Sprint(want) || fmt.Sprint(p.Capture.Mixed) != fmt.Sprint(want[:1]) {
		t.Errorf("%+v, want %+v; mixed %+v", p.Capture.Kernels, want, p.Capture.Mixed)
	}
	if len(p.Idle) != 1 || p.Idle[0].Nodes.Kernels != 3 || p.Idle[0].Nodes.Sets != 1 || len(p.Graphs) != 2 {
		t.Errorf("%+v, %+v", p.Idle, p.Graphs)
	}
	first8 := []GraphKernel{{"both", "both", 2, 8}, {"alone", "alone", 1, 4}}
	if !slices.Equal(p.Graphs[0].Kernels, first8) || p.Graphs[1].Kernels != nil { // the second one has a node that was not captured
		t.Errorf("%+v, want %+v; %+v", p.Graphs[0].Kernels, first8, p.Graphs[1].Kernels)
	}
	text := r.line(t)
	for _, want := range []string{"4 2 3 5 8 1 both, 2 handles", "2 1 2 4 4 0 alone", ": 3 kernels, 1 memset 2 x both, 1 x alone", "1 graph made ready and never launched: ", ": 3 kernels, 1 memset"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}

// TestGraphsOfPlayed goes all the way: the library notes what graph a capture makes.
func TestGraphsOfPlayed(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}), "init", "device 0", "begin s", "launch k 1 1 s", "launch k 2 1 s", "finish s g",
		"begin s", "launch k 1 1 s", "finish s h", "instantiate g e", "instantiate h f", "instantiate g i", "replay e s", "replay e s", "replay f s", "launch k 1 1")
	p.process()
	r, err := NewReport(t.Context(), p.Recording, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	list := r.Processes[0].Capture.Kernels
	want := CapturedKernel{Name: "k", Symbol: "k", Captured: 3, Captures: 2, Eager: 1, Handles: 1, Shared: 1, Ready: 3, Replays: 3, InGraphs: 5}
	if len(list) != 1 || list[0] != want || len(r.Processes[0].Idle) != 1 {
		t.Errorf("%+v, idle %+v", list, r.Processes[0].Idle)
	}
}

// TestRecordedCapture: of an older recording it is known in how many captures a kernel is,
// and of those that are not named it is said how many.
func TestRecordedCapture(t *testing.T) {
	r := recorded(t, "graph")
	list := r.Processes[0].Capture.Kernels
	if len(list) != 16 || list[0].Captures != 1 || list[0].Captured != 6 || list[0].Eager != 48 || list[0].Ready != 0 {
		t.Errorf("%d: %+v", len(list), list)
	}
	text := r.line(t)
	for _, want := range []string{"captured graphs eager kernels that were captured 6 1 48 ", "and 13 more", "188: 55 kernels, 1 copy node", "334 MiB never released", "192 MiB 6 32 MiB (outside), cuMemAlloc_v2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}
