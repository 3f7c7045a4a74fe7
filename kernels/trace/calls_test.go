package trace

import (
	"fmt"
	"slices"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// Every kind of call is noted once, with what is read of its arguments, in its order.
func TestCalls(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}),
		"init", "device 1",
		"launch _Z5scalePfi 4 32", "launch _Z5scalePfi 4 32 side", "launch _Z5scalePfi 8 32", "ptsz own 1 1", "cooperative all 2 64 side", "ex cluster 3 96 side", "grid old 7",
		"alloc a 1000", "managed m 20", "pitch p 100 3", "create c 4096", "host h 77", "allocasync s 30 side", "pool q 40 side",
		"free a", "free a0", "free m", "free p", "release c", "freehost h", "freeasync s side", "freeasync q side",
		"fail cuMemAlloc_v2 2", "alloc big 5", "fail cuLaunchKernel 719", "launch bad 1 1",
		"copy cuMemcpyHtoD_v2 11", "copy cuMemcpyDtoH_v2 12", "copy cuMemcpyDtoDAsync_v2 13 side", "copy cuMemcpyAsync 14 side", "peer 15", "later",
		"box cuMemcpy2D_v2 16 2", "box cuMemcpy2DAsync_v2 17 2 side", "box cuMemcpy3D_v2 18 2",
		"set cuMemsetD8_v2 21", "set cuMemsetD16_v2 22", "set cuMemsetD32_v2 23", "set cuMemsetD32Async 24 side", "set2d 25 2",
		"sync", "sync side", "sync event",
	).process()
	same(t, all(t, p),
		"launch _Z5scalePfi [4 1 1] [32 1 1] legacy", "launch _Z5scalePfi [4 1 1] [32 1 1] stream", "launch _Z5scalePfi [8 1 1] [32 1 1] legacy",
		"launch own [1 1 1] [1 1 1] own", "launch all [2 1 1] [64 1 1] stream", "launch cluster [3 1 1] [96 1 1] stream", "launch old [7 1 1] [0 0 0] legacy",
		"cuMemAlloc_v2 1000 #1", "cuMemAllocManaged 20 #2", "cuMemAllocPitch_v2 1536 #3", "cuMemCreate 4096 #4", "cuMemAllocAsync 30 #5 pooled", "cuMemAllocFromPoolAsync 40 #6 pooled",
		"cuMemFree_v2 1000 #1", "cuMemFree_v2 20 #2", "cuMemFree_v2 1536 #3", "cuMemRelease 4096 #4", "cuMemFreeAsync 30 #5 pooled", "cuMemFreeAsync 40 #6 pooled",
		"cuMemAlloc_v2 5 #0 failed", "launch bad [1 1 1] [1 1 1] legacy failed",
		"cuMemcpyHtoD_v2 11", "cuMemcpyDtoH_v2 12", "cuMemcpyDtoDAsync_v2 13", "cuMemcpyAsync 14", "cuMemcpyPeer 15", "cuMemcpyOfLaterAsync 0 unsized",
		"cuMemcpy2D_v2 32", "cuMemcpy2DAsync_v2 34", "cuMemcpy3D_v2 72",
		"cuMemsetD8_v2 21", "cuMemsetD16_v2 44", "cuMemsetD32_v2 92", "cuMemsetD32Async 96", "cuMemsetD2D16_v2 100",
		"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize")
	n, err := p.Names()
	card := Card{1, "Stand-in 1", "GPU-01020304-0506-0708-090a-0b0c0d0e0f10"}
	if err != nil || len(n.Cards) != 1 || n.Cards[1] != card {
		t.Errorf("%v: the cards are %v", err, n.Cards)
	}
	if p.State != Attached || !p.Clean || p.CUPTI != 130001 || p.Driver != 13000 || p.Dropped != 0 || p.Command != "play" {
		t.Errorf("the process is %+v", p)
	}
}

// What is captured is not run, is marked, and is found again in the graph's nodes; other
// streams go on meanwhile.
func TestCaptures(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}),
		"init", "device 0", "launch k 1 1 s", "launch other 1 1 t",
		"begin s", "launch k 1 1 s", "launch k 1 1 t", "ex k 1 1 s", "launch k 1 1", "copy cuMemcpyAsync 5 s", "copy cuMemcpyAsync 5 t", "set cuMemsetD32Async 1 s",
		"allocasync a 9 s", "freeasync a s", "expect 900", "sync s", "expect 900", "begin s", "finish s g",
		"expect 401", "finish s none", "launch k 1 1 s",
		"begin own", "ptsz k 1 1", "finish own h", "child g h",
		"instantiate g e", "replay e t", "replay e t", "fail cuGraphInstantiateWithFlags 999", "instantiate g f",
		"destroy e", "instantiate h e", "replay e t",
	).process()
	same(t, all(t, p),
		"launch k [1 1 1] [1 1 1] stream", "launch other [1 1 1] [1 1 1] stream",
		"cuStreamBeginCapture_v2", "launch k [1 1 1] [1 1 1] stream captured", "launch k [1 1 1] [1 1 1] stream", "launch k [1 1 1] [1 1 1] stream captured", "launch k [1 1 1] [1 1 1] legacy",
		"cuMemcpyAsync 5 captured", "cuMemcpyAsync 5", "cuMemsetD32Async 4 captured",
		"cuMemAllocAsync 9 #0 captured pooled", "cuMemFreeAsync 0 #0 captured unsized pooled", "cuStreamSynchronize failed", "cuStreamBeginCapture_v2 failed", "cuStreamEndCapture",
		"cuStreamEndCapture failed", "launch k [1 1 1] [1 1 1] stream",
		"cuStreamBeginCapture_v2", "launch k [1 1 1] [1 1 1] own captured", "cuStreamEndCapture",
		"instantiate of 3 kernels 1 copies 1 sets 1 allocs", "replay of 3 kernels 1 copies 1 sets 1 allocs", "replay of 3 kernels 1 copies 1 sets 1 allocs",
		"instantiate of 3 kernels 1 copies 1 sets 1 allocs failed", "instantiate of 1 kernels 0 copies 0 sets 0 allocs", "replay of 1 kernels 0 copies 0 sets 0 allocs")
}

// A function whose module was unloaded leaves its address to another, which is another.
func TestFunctionAtTheSameAddress(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}), "init", "device 0", "launch old 1 1", "launch old 1 1", "reload old new", "launch new 1 1", "launch new 1 1").process()
	same(t, all(t, p), "launch old [1 1 1] [1 1 1] legacy", "launch old [1 1 1] [1 1 1] legacy", "launch new [1 1 1] [1 1 1] legacy", "launch new [1 1 1] [1 1 1] legacy")
}

// Threads write at once, and nothing is lost, doubled or mixed up.
func TestThreads(t *testing.T) {
	const threads, rounds = 8, 3000
	p := play(t, tracetest.Start(t, tracetest.Options{}), "init", "device 0", fmt.Sprint("threads ", threads), fmt.Sprint("repeat ", rounds),
		"launch k$ 4 32", "launch shared 8 64 s$", "alloc a$ 100$", "free a$", "end", "end").process()
	list, names := events(t, p)
	n, memory := map[string]int{}, map[uint32]uint64{}
	for i, e := range list {
		if i > 0 && e.At < list[i-1].At {
			t.Fatalf("event %d comes before the one before it", i)
		}
		n[says(Event{Kind: e.Kind, Name: e.Name, Flags: e.Flags}, names)]++
		switch {
		case e.Kind == Alloc && memory[e.Other] == 0:
			memory[e.Other] = e.Value
		case e.Kind == Release && memory[e.Other] == e.Value:
			memory[e.Other] = ^uint64(0)
		case e.Kind == Alloc || e.Kind == Release:
			t.Fatalf("event %d, %s of number %d: it was %d bytes", i, says(e, names), e.Other, memory[e.Other])
		}
	}
	if len(memory) != threads*rounds || n["launch shared [8 1 1] [64 1 1] legacy"] != threads*rounds || n["cuMemFree_v2 0 #0"] != threads*rounds {
		t.Errorf("%d allocations; %v", len(memory), n)
	}
	for i := range threads {
		if k := fmt.Sprintf("launch k%d [4 1 1] [32 1 1] legacy", i); n[k] != rounds {
			t.Errorf("%d of %s", n[k], k)
		}
	}
}

// NVTX's own header calls the library by each of its functions that carry a text.
func TestRanges(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{Include: headers(t, "nvtx3/nvToolsExt.h")}),
		"push outer", "init", "device 0", "pushex inner", "launch k 1 1", "pop", "pop", "pop", "mark here", "open a", "open b", "close a", "close b",
		"domain d push in", "domain d mark m", "domain d open r", "domain d close r", "domain d pop",
	).process()
	same(t, all(t, p), "push outer", "push inner", "launch k [1 1 1] [1 1 1] legacy", "pop ", "pop ", "mark here", "open a", "open b", "close ", "close ",
		"push in", "mark m", "open r", "close ", "pop ")
	list, _ := events(t, p)
	ids := map[uint64]int{}
	for _, e := range list {
		if e.Kind == Open || e.Kind == Close {
			ids[e.Value]++
		}
	}
	if len(ids) != 3 {
		t.Errorf("the ranges have the numbers %v", ids)
	}
}

// TestNumberedRanges: a million steps have one name, and what is no number is a text.
func TestNumberedRanges(t *testing.T) {
	script := []string{"init", "device 0"}
	want := []string{"step_1", "step_2", "step_20000", "step_0", "12", "a_007", "at_1234567890"}
	for _, text := range want {
		script = append(script, "push "+text, "pop")
	}
	p := play(t, tracetest.Start(t, tracetest.Options{Include: headers(t, "nvtx3/nvToolsExt.h")}), script...).process()
	list, names := events(t, p)
	var got []string
	for _, e := range list {
		if e.Kind == Push {
			got = append(got, names.Text(&e))
		}
	}
	if !slices.Equal(got, want) || len(names.Texts) != 4 {
		t.Errorf("%q, with the names %v", got, names.Texts)
	}
}
