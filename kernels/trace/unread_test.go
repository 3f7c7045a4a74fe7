package trace

import (
	"fmt"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// place notes where the last call wrote, and read.
func (f *forge) place(to, from uint64) {
	f.now -= f.took // the time of the call itself
	f.event(Place, 0, uint32(from>>32), to, uint32(from))
	f.now += f.took
}

// moved is a copy or a set with its addresses.
func (f *forge) moved(call string, to, from, n uint64) {
	kind := Copy
	if strings.HasPrefix(call, "cuMemset") {
		kind = Set
	}
	f.event(kind, 0, f.call(call), n, 1)
	f.place(to, from)
}

const (
	onCard = 0x7f12_0000_0000
	onHost = 0x5555_0000_1000
	toCard = "cuMemcpyHtoDAsync_v2"
	toHost = "cuMemcpyDtoHAsync_v2"
	aSet   = "cuMemsetD8Async"
)

// TestUnread: what is told of is what no call that is recorded can have read, and nothing else.
func TestUnread(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(f *forge)
		want string
	}{
		"set and copied over": {func(f *forge) { f.moved(aSet, onCard, 0, 64); f.moved(toCard, onCard, onHost, 128) }, "overwritten cuMemsetD8Async by cuMemcpyHtoDAsync_v2: 1 of 64"},
		"set twice":           {func(f *forge) { f.moved(aSet, onCard, 0, 64); f.moved(aSet, onCard, 0, 64) }, "overwritten cuMemsetD8Async by cuMemsetD8Async: 1 of 64"},
		"a launch between":    {func(f *forge) { f.moved(aSet, onCard, 0, 64); f.launch(f.kernel("k", 1)); f.moved(aSet, onCard, 0, 64) }, ""},
		"a graph between": {func(f *forge) {
			f.moved(aSet, onCard, 0, 64)
			f.event(GraphLaunch, 0, f.graph(1), 7, 1)
			f.moved(aSet, onCard, 0, 64)
		}, ""},
		"read by a copy": {func(f *forge) {
			f.moved(aSet, onCard, 0, 64)
			f.moved(toHost, onHost, onCard+8, 8)
			f.moved(aSet, onCard, 0, 64)
		}, ""},
		"a copy without a place": {func(f *forge) {
			f.moved(aSet, onCard, 0, 64)
			f.copy("cuMemcpy2DAsync_v2", 9)
			f.moved(aSet, onCard, 0, 64)
		}, ""},
		"a part of it":  {func(f *forge) { f.moved(aSet, onCard, 0, 64); f.moved(aSet, onCard+8, 0, 8) }, ""},
		"another place": {func(f *forge) { f.moved(aSet, onCard, 0, 64); f.moved(aSet, onCard+64, 0, 64) }, ""},
		"captured":      {func(f *forge) { f.event(Set, Captured, f.call(aSet), 64, 1); f.moved(aSet, onCard, 0, 64) }, ""},
		"freed": {func(f *forge) {
			n := f.alloc(4096)
			f.place(onCard, 0)
			f.moved(toCard, onCard+64, onHost, 4000)
			f.release(n)
		}, "freed cuMemcpyHtoDAsync_v2 by cuMemFree_v2: 1 of 4000"},
		"freed after a launch": {func(f *forge) {
			n := f.alloc(4096)
			f.place(onCard, 0)
			f.moved(toCard, onCard, onHost, 4000)
			f.launch(f.kernel("k", 1))
			f.release(n)
		}, ""},
		"managed, which the host reads": {func(f *forge) {
			f.memories++
			f.event(Alloc, 0, f.call("cuMemAllocManaged"), 4096, f.memories)
			f.place(onCard, 0)
			f.moved(aSet, onCard, 0, 64)
			f.moved(aSet, onCard, 0, 64)
		}, ""},
		"on the host": {func(f *forge) { f.moved(toHost, onHost, onCard, 8); f.moved(toHost, onHost, onCard+64, 8) }, "overwritten-on-host cuMemcpyDtoHAsync_v2 by cuMemcpyDtoHAsync_v2: 1 of 8"},
		"waited for":  {func(f *forge) { f.moved(toHost, onHost, onCard, 8); f.sync(9); f.moved(toHost, onHost, onCard, 8) }, ""},
		"a copy that waits": {func(f *forge) {
			f.moved("cuMemcpyDtoH_v2", onHost, onCard, 8)
			f.moved("cuMemcpyDtoH_v2", onHost, onCard, 8)
		}, ""},
		"a graph after it, which may copy": {func(f *forge) {
			f.moved(toHost, onHost, onCard, 8)
			f.event(GraphLaunch, 0, f.graph(1), 7, 1)
			f.moved(toHost, onHost, onCard, 8)
		}, ""},
		"sent back": {func(f *forge) {
			f.moved(toHost, onHost, onCard, 8)
			f.moved(toCard, onCard+99, onHost, 8)
			f.moved(toHost, onHost, onCard, 8)
		}, ""},
		"from where is unknown": {func(f *forge) {
			f.moved("cuMemcpyAsync", onCard, onHost, 8)
			f.moved("cuMemcpyAsync", onCard, onHost, 8)
		}, ""},
	} {
		f := newForge(t)
		c.do(f)
		var got []string
		r := f.report(Counting{})
		for _, u := range r.Processes[0].Unread {
			got = append(got, fmt.Sprintf("%s %s by %s: %d of %d", u.Why, u.Call, u.By, u.N, u.Bytes))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if text := r.finding("hint-unread"); (text != "") != (c.want != "") || c.want != "" && !strings.HasPrefix(text, "hint: (whole process): 1 write, ") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// TestManyUnread: however many are open, no more are followed than fit.
func TestManyUnread(t *testing.T) {
	f := newForge(t)
	for range 2 {
		for i := range uint64(3 * unreadMost) {
			f.moved(aSet, onCard+64*i, 0, 64)
		}
	}
	if got := f.report(Counting{}).Processes[0].Unread; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestUnreadOfPlayed goes all the way: the library notes the addresses.
func TestUnreadOfPlayed(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}), "init", "device 0", "launch k 1 1",
		"copy cuMemcpyHtoDAsync_v2 4 s", "copy cuMemcpyHtoDAsync_v2 4 s", "launch k 1 1", "copy cuMemcpyHtoD_v2 100", "set cuMemsetD32_v2 2", "alloc a 64", "managed m 64", "free a")
	p.process()
	r, err := NewReport(t.Context(), p.Recording, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Processes[0].Unread
	if len(got) != 1 || got[0].N != 1 || got[0].Bytes != 4 || got[0].Call != toCard || got[0].By != toCard {
		t.Errorf("%+v", got)
	}
	list, names := events(t, &p.Processes[0])
	var where []string
	for i, e := range list {
		if e.Kind == Place {
			where = append(where, fmt.Sprint(names.Calls[list[i-1].Name], " ", e.At == list[i-1].At, " ", e.Value > 0))
		}
	}
	same(t, where, "cuMemcpyHtoDAsync_v2 true true", "cuMemcpyHtoDAsync_v2 true true", "cuMemcpyHtoD_v2 true true", "cuMemsetD32_v2 true true", "cuMemAlloc_v2 true true", "cuMemAllocManaged true true")
}
