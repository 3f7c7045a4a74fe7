package trace

import (
	"encoding/json"
	"io"
	"testing"
	"time"
)

// FuzzReport plays events in any order, of any names and threads: what a broken file may
// hold. A report of it is made, written and held against itself.
func FuzzReport(f *testing.F) {
	f.Add([]byte{byte(Push), 0, 9, 1, byte(Launch), 0, 1, 1, byte(Sync), 0, 3, 1, byte(Pop), 0, 0, 1})
	f.Add([]byte{byte(Capture), 0, 4, 1, byte(Alloc), 0, 5, 2, byte(Launch), 2, 1, 1, byte(Capture), 1, 6, 1, byte(Release), 0, 5, 1})
	f.Add([]byte{byte(Open), 0, 9, 1, byte(GraphLaunch), 0, 2, 3, byte(Close), 0, 9, 2, byte(Close), 0, 9, 2, byte(Copy), 4, 7, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		forged := newForge(t)
		forged.kernel("k", 1)
		forged.graph(3)
		for _, call := range []string{"cuStreamSynchronize", "cuStreamBeginCapture_v2", "cuMemAlloc_v2", "cuStreamEndCapture", "cuMemcpyDtoH_v2", "cuMemFree_v2"} {
			forged.call(call)
		}
		forged.name("T", "step 1")
		forged.name("T", "step 2")
		for ; len(data) >= 4 && len(forged.blocks) < 64; data = data[4:] {
			forged.thread, forged.took = 1+int(data[3]%5), time.Duration(data[1])<<(data[2]%32)
			if data[1]%3 == 0 { // a card was asked for something, or for nothing that is known
				one := Work{Tie: forged.ask() + uint32(data[2]%3) - 1, Card: uint16(data[3] % 3), Kind: Kind(data[0] % 6), Start: time.Duration(int8(data[2])) << (data[3] % 62)}
				one.End = one.Start + time.Duration(int8(data[1]))<<(data[0]%62)
				forged.works(one)
			}
			forged.event(Kind(data[0]%byte(kinds)), Flags(data[1]%16), uint32(data[2]%12), uint64(data[3]%4), uint32(data[3]%4))
		}
		dir := t.TempDir()
		forged.write(dir)
		for _, how := range []Counting{{}, {Range: "step"}, {Lines: []Line{{At: forgeBegan, Step: 1}, {At: forgeBegan.Add(time.Millisecond), Step: 2}}}} {
			r := reportIn(t, dir, how)
			if err := r.Text(io.Discard, Page{}); err != nil {
				t.Fatal(err)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Fatal(err)
			}
			d := Diff(r, r)
			if !d.Same {
				t.Fatalf("it differs from itself: %+v", d)
			}
			if err := d.Text(io.Discard, Page{}); err != nil {
				t.Fatal(err)
			}
			addsUp(t, r)
		}
	})
}

// addsUp says that the stages make up the whole.
func addsUp(t *testing.T, r Report) {
	sum := map[Quantity]int64{}
	for _, s := range r.Processes[0].Stages {
		for q, n := range s.Total {
			sum[q] += n
		}
		for q, e := range s.Counts {
			if e.Low > e.Median || e.Median > e.High || e.N != int64(s.Warm()) {
				t.Errorf("%s of %q: %+v of %d warm steps", q, s.Name, e, s.Warm())
			}
		}
	}
	for q, n := range r.Processes[0].Whole {
		if q != HighMark && sum[q] != n {
			t.Errorf("%s: the stages have %d, the whole %d", q, sum[q], n)
		}
	}
}
