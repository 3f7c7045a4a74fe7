package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// onCards makes four steps of 1 ms in which card 0 is at work for 100 us, 200, ... beside
// card 1 for 50, and what is in no step.
func onCards(t *testing.T) *forge {
	f := newForge(t)
	k := f.kernel("k", 1)
	for i := range 4 {
		f.push(fmt.Sprint("step ", i))
		began := f.now
		for card, took := range []time.Duration{time.Duration(i+1) * 100 * time.Microsecond, 50 * time.Microsecond} {
			one := Work{Tie: f.ask(), Card: uint16(card), Kind: Launch, Start: f.now + 10*time.Microsecond}
			one.End = one.Start + took
			f.launch(k)
			f.works(one)
		}
		f.now = began + time.Millisecond
		f.pop()
	}
	f.works(Work{Tie: f.ask(), Kind: Launch, Start: f.now + 1, End: f.now + 1 + time.Microsecond})
	f.launch(k)
	return f
}

// TestMeasureCards: a time of the card is that of the card which is at it longest, in warm
// steps, and there is none of what is no stretch of time.
func TestMeasureCards(t *testing.T) {
	f := onCards(t)
	want := []Wanted{{"device-ms", "step", nil}, {"idle-share", "step", nil}, {"device-ms", outsideLabel, nil}, {"idle-share", outsideLabel, nil}, {"device-ms", WholeRun, nil}, {"launches", "step", nil}}
	got := f.measure(Counting{Warm: 1}, want...)
	for i, text := range []string{"0.2 0.3 0.4 of 3 in 1", "0.95 0.95 0.95 of 3 in 1", "0.001 0.001 0.001 of 1 in 1", "it is no stretch of time", "a time is of a stage", "2 2 2 of 3 in 1"} {
		wantFigure(t, want[i].Measure+" of "+want[i].Stage, got[i], text)
	}
	for i := range 2 {
		if got[i].Steps != nil {
			t.Errorf("%s has counts: %v", want[i].Measure, got[i].Steps)
		}
	}
}

// TestMeasureCardsMissing: where a part of the card's work has no time, there is no number.
func TestMeasureCardsMissing(t *testing.T) {
	busy, idle, launches := Wanted{"device-ms", "step", nil}, Wanted{"idle-share", "step", nil}, Wanted{"launches", "step", nil}
	for name, c := range map[string]struct {
		change     func(f *forge)
		busy, idle string
	}{
		"not asked":  {func(f *forge) { f.head.Timed = 0 }, "no times of the card were taken: they were not asked for", "no times"},
		"not taken":  {func(f *forge) { f.head.Timed = 2; copy(f.head.TimedWhy[:], "no privilege") }, "no times of the card were taken: no privilege", "no times"},
		"lost":       {func(f *forge) { f.device = f.device[:len(f.device)-2*workSize] }, "1 call has no time of the card", "1 call has"},
		"dropped":    {func(f *forge) { f.head.Unsaid = 3 }, "0.1 0.2 0.4 of 4 in 1", "3 records have of what"},
		"taken away": {func(f *forge) { f.device = nil }, "8 calls have no time", "8 calls have"},
	} {
		f := onCards(t)
		c.change(f)
		got := f.measure(Counting{Warm: -1}, busy, idle, launches)
		wantFigure(t, name, got[0], c.busy)
		wantFigure(t, name, got[1], c.idle)
		wantFigure(t, name, got[2], "2 2 2 of 4 in 1")
	}
	f := newForge(t)
	f.head.Timed = 1
	f.push("step 1")
	f.sync(time.Millisecond)
	f.pop()
	got := f.measure(Counting{}, busy, idle)
	wantFigure(t, "nothing asked", got[0], "0 0 0 of 1 in 1")
	wantFigure(t, "nothing asked", got[1], "it asked the card for nothing")
}

// TestMeasureCardsProcesses: of several processes it is that of the one where it is the most.
func TestMeasureCardsProcesses(t *testing.T) {
	dir := t.TempDir()
	for pid := range 2 {
		f := onCards(t)
		if f.head.PID = uint32(pid + 1); pid == 1 {
			f.device = nil
			f.works(Work{Tie: 99, Kind: Launch, Start: 1, End: 2})
			f.lanes, f.threads, f.blocks, f.now = map[int][]byte{}, nil, nil, 0
			f.push("step 1")
			f.works(Work{Tie: f.ask(), Kind: Launch, Start: 10, End: 900_010})
			f.launch(f.kernel("k", 1))
			f.now = time.Millisecond
			f.pop()
		}
		f.write(dir)
	}
	m, err := measured(t, dir, Counting{Warm: -1}, Wanted{"device-ms", "step", nil}, Wanted{"idle-share", "step", nil})
	if err != nil {
		t.Fatal(err)
	}
	wantFigure(t, "busy", m.Figures[0], "0.9 0.9 0.9 of 1 in 2")
	wantFigure(t, "idle", m.Figures[1], "0.95 0.95 0.95 of 4 in 2")
}

// TestMeasureCardsTwice: work that comes after very much that began later may have been
// counted before: a report says by how much, and a gate has no number.
func TestMeasureCardsTwice(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	f.push("step 1")
	for range unionMost + 1 {
		f.works(Work{Tie: f.ask(), Kind: Launch, Start: f.now + 100, End: f.now + 200})
		f.launch(k)
	}
	f.works(Work{Tie: f.ask(), Kind: Launch, Start: 150, End: 190})
	f.launch(k)
	f.pop()
	wantFigure(t, "busy", f.measure(Counting{}, Wanted{"device-ms", "step", nil})[0], "the card's work came so far out of order that 40 ns may be counted twice")
	r := f.report(Counting{})
	if d := r.Processes[0].Device; d.Twice != 40 || r.stage(t, "step").Device[0].Total != (unionMost+1)*100+40 {
		t.Errorf("%+v, %+v", d, r.stage(t, "step").Device)
	}
	if text := r.line(t); !strings.Contains(text, "busy may be too long, by 40 ns in all steps together") {
		t.Error(text)
	}
}
