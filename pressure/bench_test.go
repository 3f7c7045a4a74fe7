//go:build bench && linux

package pressure

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/perf/benchmath"
)

// trials is how often each way is measured, in turn. They begin at twenty
// different moments of the 2 s after which the kernel looks.
const trials = 20

// TestBenchWatch: from the start of a real stall to the event. A writer waits
// for a slow disk, alone in a cgroup, so that nothing else on this machine
// counts; a process that sleeps and wakes keeps the kernel's clock going, as on
// a machine at work. Beside it what a script does: look at avg10 every second.
// Issue 5: at most two windows.
func TestBenchWatch(t *testing.T) {
	device := slowFile(t)
	one, err := armTrigger(asMachine(t, ownGroup(t)), "io", 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	window := one.window
	(&bell{triggers: []trigger{one}}).disarm()
	ways := []struct {
		name string
		ring func(t *testing.T, root string, limit float64) (ready func(), rung func())
	}{{"Watch, triggers", byTrigger}, {"avg10 looked at every second", byAverage}}
	for _, limit := range []float64{DefaultLimits().IOFull, 40} {
		took, share := make([][]float64, len(ways)), make([][]float64, len(ways))
		for i := range trials {
			for j := range ways {
				which := (i + j) % len(ways)
				t.Run(fmt.Sprintf("%s/%v/%d", ways[which].name, limit, i), func(t *testing.T) {
					group := ownGroup(t)
					startLoad(t, group, "sleep 0.3")
					ready, rung := ways[which].ring(t, asMachine(t, group), limit)
					ready()
					time.Sleep(time.Duration(i) * 2 * time.Second / trials)
					before := ReadCgroup(group)
					stallIO(t, group, device)
					rung()
					span := Between(before, ReadCgroup(group))
					took[which] = append(took[which], span.Length().Seconds())
					share[which] = append(share[which], span.IO.Full.Percent())
				})
			}
		}
		fmt.Printf("from the start of an IO stall to the event, over %v %%; window %v\n", limit, window)
		for i, w := range ways {
			s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(took[i]), &benchmath.DefaultThresholds), 0.95)
			worst := slices.Max(took[i])
			fmt.Printf("  %-30s median %.2f s [%.2f, %.2f], worst %.2f s: %.2f and %.2f windows  n=%d  aim 2 windows\n",
				w.name, s.Center, s.Lo, s.Hi, worst, s.Center/window.Seconds(), worst/window.Seconds(), len(took[i]))
			for n := range took[i] {
				fmt.Printf(" %.2f (%.0f %%)", took[i][n], share[i][n])
			}
			fmt.Println()
		}
	}
}

func byTrigger(t *testing.T, root string, limit float64) (ready, rung func()) {
	w := startWatch(t, WatchOptions{Root: root, Over: Limits{IOFull: limit}})
	ready = func() {
		if e := w.next(); e.Kind != EventFirst {
			t.Fatalf("got %+v", e)
		}
	}
	rung = func() {
		for e := w.next(); e.Kind != EventStalled || e.Resource != "io"; e = w.next() {
			if e.Kind == EventDegraded {
				t.Fatal(e.Note)
			}
		}
	}
	return ready, rung
}

func byAverage(t *testing.T, root string, limit float64) (ready, rung func()) {
	seconds := time.NewTicker(time.Second)
	t.Cleanup(seconds.Stop)
	started := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(over)
		<-seconds.C
		close(started)
		for r := Read(root); r.IO.Full == nil || r.IO.Full.Avg10 < limit; r = Read(root) {
			select {
			case <-seconds.C:
			case <-t.Context().Done():
				return
			}
		}
	}()
	return func() { <-started }, func() { <-over }
}
