package device_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
)

// watched begins a watch, and gives what waits for a look of which something holds.
// Nothing here depends on how fast looks come.
func watched(t *testing.T, box *devicetest.Box, w device.Watching) (*device.Watcher, func(func(device.Look) bool)) {
	t.Helper()
	looks := make(chan device.Look)
	stop := make(chan struct{})
	w.Cards, w.Every = []string{box.UUID(0)}, time.Millisecond
	w.Seen = func(l device.Look) {
		select {
		case looks <- l:
		case <-stop:
		}
	}
	if w.Blind == 0 {
		w.Blind = time.Hour
	}
	watch := device.Watch(t.Context(), open(t, box.Options()), w)
	return watch, func(holds func(device.Look) bool) {
		t.Helper()
		if holds == nil {
			close(stop) // before Stop: the watch must not wait for us
			return
		}
		for late := time.After(5 * time.Minute); ; {
			select {
			case l := <-looks:
				if holds(l) {
					return
				}
			case <-late:
				t.Fatal("no such look came")
			}
		}
	}
}

// TestWatchNamesGuest is field case 14: somebody who comes in the middle is named with
// when and how much, also when he has gone before the end; ours are not.
func TestWatchNamesGuest(t *testing.T) {
	box := devicetest.Start(t)
	box.Write("card 1 name NVIDIA H200", "card 0 throttle 5")
	ours, away := box.Opener(0), box.Opener(1)
	var points []device.Point
	watch, until := watched(t, box, device.Watching{
		Mine: pids(ours.PID, away.PID), Each: time.Millisecond, Sample: func(p device.Point) { points = append(points, p) },
	})
	box.Write(fmt.Sprintf("process 0 compute %d 1073741824", ours.PID), fmt.Sprintf("process 1 compute %d 4096", away.PID))
	until(func(l device.Look) bool { return len(l.Cards) == 2 && len(l.Cards[0].Own)+len(l.Cards[1].Own) == 2 })
	guest := box.Guest(0, 3<<30)
	for range 3 {
		until(func(l device.Look) bool { return l.Cards[0].State == device.Busy })
	}
	guest.End()
	until(func(l device.Look) bool { return l.Cards[0].State == device.Quiet })
	until(nil)
	r := watch.Stop()
	if r.State() != device.Busy || len(r.Foreign) != 1 || r.Foreign[0].PID != guest.PID || r.Foreign[0].Peak.Value != 3<<30 || r.Foreign[0].Looks < 2 {
		t.Errorf("the guest: %+v", r.Foreign)
	}
	if !strings.Contains(r.Why(), fmt.Sprintf("pid %d (", guest.PID)) || !strings.Contains(r.Why(), "3.0 GiB") {
		t.Errorf("why: %s", r.Why())
	}
	if len(r.Elsewhere) != 1 || r.Elsewhere[0].PID != away.PID || r.Elsewhere[0].Card != box.UUID(1) {
		t.Errorf("ours on a card that is not: %+v", r.Elsewhere)
	}
	c := r.Cards[0]
	if c.SM.Median != 1980 || c.Temperature.High != 31 || len(c.Throttle) != 1 || c.Throttle[0] != "power cap" || c.PeakOwn.Value != 1<<30 || c.PeakUsed.Value != 4<<30 {
		t.Errorf("the card: %+v", c)
	}
	if c.LeastFree.Value != c.Card.Memory.Value-c.Card.Reserved.Value-4<<30 || r.Blind || r.Looks < 5 {
		t.Errorf("least free %s of %s, %d looks, blind %v", c.LeastFree, c.Card.Memory, r.Looks, r.Blind)
	}
	if len(points) < 2 || points[0].Card != box.UUID(0) {
		t.Errorf("points: %+v", points)
	}
	if again := watch.Stop(); again.Looks != r.Looks {
		t.Error("a second Stop looks again")
	}
}

// TestWatchAddsUpShortGuests: each with another pid, gone before anybody can look:
// by the lists, and by the driver's samples.
func TestWatchAddsUpShortGuests(t *testing.T) {
	box := devicetest.Start(t)
	quiet, until := watched(t, box, device.Watching{})
	until(func(l device.Look) bool { return l.Cards[0].State == device.Quiet })
	until(nil)
	if r := quiet.Stop(); r.State() != device.Quiet || len(r.Doubts) != 0 {
		t.Errorf("a quiet card: %s %+v", r.Why(), r.Doubts)
	}
	for _, line := range []string{"ghost 0 compute %d 1000", "use 0 %d 50"} {
		box.Reset()
		watch, until := watched(t, box, device.Watching{})
		until(func(l device.Look) bool { return l.Cards[0].State == device.Quiet })
		for range 2 {
			gone := box.Bystander()
			gone.End()
			text := fmt.Sprintf(line, gone.PID)
			box.Set("card 0 name NVIDIA H200", text)
			until(func(l device.Look) bool { return shows(l, gone.PID) })
		}
		until(nil)
		if r := watch.Stop(); r.State() != device.Unknown || len(r.Doubts) < 2 || !strings.Contains(r.Why(), " times something was there") {
			t.Errorf("%s: %s: %s %+v", line, r.State(), r.Why(), r.Doubts)
		}
	}
}

// shows says whether a look has a pid, in a list or in a sample that counts.
func shows(l device.Look, pid int) bool {
	for _, p := range l.Cards[0].Foreign {
		if p.PID == pid {
			return true
		}
	}
	for _, u := range l.Raw.Cards[0].Samples {
		if u.PID == pid {
			return true
		}
	}
	return false
}

// TestWatchThatIsBlind: without an answer for too long a result cannot stand.
func TestWatchThatIsBlind(t *testing.T) {
	box := devicetest.Start(t)
	o := box.Options()
	o.First, o.Next = time.Minute, 100*time.Millisecond
	s := open(t, o)
	silent := make(chan struct{}, 1000)
	watch := device.Watch(t.Context(), s, device.Watching{Cards: []string{box.UUID(0)}, Blind: o.Next / 2, Seen: func(l device.Look) {
		if l.Silent != "" {
			silent <- struct{}{}
		}
	}})
	box.Write("hang DeviceGetCount_v2", "hang DeviceGetComputeRunningProcesses_v3")
	<-silent
	box.Reset() // the last look is answered again, which does not help
	r := watch.Stop()
	if r.Gap < o.Next || !r.Blind || r.State() != device.Unknown || !strings.Contains(r.Why(), "no answer") || !strings.Contains(r.Failed, "does not answer") {
		t.Errorf("blind: %s %s %+v", r.State(), r.Why(), r)
	}
}

// TestWatchThatLosesItsCard: what is unknown before a run is unknown in it, also when
// the next look would be its last.
func TestWatchThatLosesItsCard(t *testing.T) {
	box := devicetest.Start(t)
	opener := box.Opener(0)
	for name, c := range map[string]struct {
		lines []string
		shows func(device.Look) bool
		why   string
	}{
		"no card any more":  {[]string{"clear"}, func(l device.Look) bool { return l.Silent == "" && len(l.Cards) == 0 }, "does not list this card"},
		"lost":              {[]string{"error DeviceGetHandleByIndex_v2 15"}, func(l device.Look) bool { return len(l.Cards) == 1 && l.Cards[0].UUID == "" }, "does not list this card"},
		"another one":       {[]string{"card 0 uuid GPU-11111111"}, func(l device.Look) bool { return l.Cards[0].UUID == "GPU-11111111" }, "does not list this card"},
		"cut in parts":      {[]string{"mig 0 1", "instance 0 0 gi 1"}, func(l device.Look) bool { return l.Cards[0].Parent != "" }, "does not list this card"},
		"no count":          {[]string{"error DeviceGetCount_v2 999"}, func(l device.Look) bool { return l.Silent != "" }, "the looks after it were not answered"},
		"somebody hides":    {[]string{"card 0 util 100"}, func(l device.Look) bool { return l.Cards[0].State == device.Unknown }, fmt.Sprintf("it is in use and no process is listed; pid %d (cat)", opener.PID)},
		"one we cannot see": {[]string{"ghost 0 compute 3999999 1000"}, func(l device.Look) bool { return l.Cards[0].State == device.Unknown }, "pid 3999999"},
	} {
		t.Run(name, func(t *testing.T) {
			box.Reset()
			watch, until := watched(t, box, device.Watching{Each: time.Millisecond})
			until(func(l device.Look) bool { return l.Silent == "" && l.Cards[0].State == device.Quiet })
			box.Write(c.lines...)
			until(c.shows)
			until(nil)
			if r := watch.Stop(); r.State() != device.Unknown || !strings.Contains(r.Why(), c.why) {
				t.Errorf("%s: %s, not %q; %+v", r.State(), r.Why(), c.why, r.Doubts)
			}
		})
	}
}

// TestWatchOwn: ours that came and went between two looks are known by the driver's
// samples, on the card and on another one.
func TestWatchOwn(t *testing.T) {
	box := devicetest.Start(t)
	box.Write("card 1 name NVIDIA H200")
	here, away := box.Bystander(), box.Bystander()
	watch, until := watched(t, box, device.Watching{Mine: pids(here.PID, away.PID)})
	began := time.Now()
	here.End()
	away.End()
	box.Write(fmt.Sprintf("use 0 %d 50", here.PID), fmt.Sprintf("use 1 %d 50", away.PID))
	until(func(l device.Look) bool { // the first second may be somebody else's
		return len(l.Raw.Cards) == 2 && len(l.Raw.Cards[0].Samples) > 0 && l.Raw.Cards[0].Samples[0].At > began.Add(time.Second).UnixMicro()
	})
	until(nil)
	r := watch.Stop()
	if r.State() != device.Quiet || r.Cards[0].OwnLooks == 0 {
		t.Errorf("on ours: %s, %+v", r.Why(), r.Cards[0])
	}
	if len(r.Elsewhere) != 1 || r.Elsewhere[0].PID != away.PID || r.Elsewhere[0].Card != box.UUID(1) {
		t.Errorf("on another: %+v", r.Elsewhere)
	}
}
