package trace

import (
	"fmt"
	"testing"
	"time"
)

// TestMeasureKept: what steps keep that are set apart is no number of the warm ones.
func TestMeasureKept(t *testing.T) {
	f := newForge(t)
	for i := range 6 {
		f.push(fmt.Sprint("step ", i))
		f.alloc(100)
		f.release(f.alloc(7))
		f.pop()
	}
	f.alloc(1000)
	want := []Wanted{{"kept", "step", nil}, {"kept-bytes", "step", nil}, {"kept", WholeRun, nil}, {"kept-bytes", WholeRun, nil}, {"kept", outsideLabel, nil}}
	for i, one := range f.measure(Counting{Warm: 2}, want...) {
		wantFigure(t, want[i].Measure+" of "+want[i].Stage, one, []string{"4 4 4", "400 400 400", "7 7 7", "1600 1600 1600", "1 1 1"}[i]+" of 1 in 1")
	}
	if k := f.report(Counting{Warm: 2}).Processes[0].Kept; len(k) != 2 || k[1].N != 6 || k[1].Warm != 4 || k[0].Warm != 1 {
		t.Errorf("%+v", k)
	}
}

// TestMeasureProcesses: counts add up over those that have the stage, a time is the longest.
func TestMeasureProcesses(t *testing.T) {
	dir := t.TempDir()
	for pid, launches := range []int{3, 5, 0} {
		f := newForge(t)
		f.head.PID, f.took = uint32(pid+1), time.Duration(pid+1)*time.Microsecond
		if launches == 0 {
			f.launch(f.kernel("k", 1))
		}
		for i := 0; launches > 0 && i < 4; i++ {
			f.push(fmt.Sprint("step ", i))
			for range launches {
				f.launch(f.kernel("k", 1))
			}
			f.pop()
		}
		f.write(dir)
	}
	m, err := measured(t, dir, Counting{Warm: 1}, Wanted{"launches", "step", nil}, Wanted{"launches", WholeRun, nil}, Wanted{"launch-ns", "step", nil})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"8 8 8 of 3 in 2", "33 33 33 of 1 in 3", "200"} {
		wantFigure(t, fmt.Sprint(i), m.Figures[i], want)
	}
	if got := fmt.Sprint(m.Figures[0].Steps, m.Figures[1].Steps, m.Figures[2].Steps); got != "[8 8 8] [33] []" {
		t.Errorf("by steps %s", got)
	}
	if len(m.Processes) != 3 {
		t.Errorf("%d processes", len(m.Processes))
	}
}
