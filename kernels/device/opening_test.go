package device_test

import (
	"strings"
	"testing"
	"time"

	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
)

// TestWatchOfABeginning: a context takes its memory before the driver lists its process.
// That of one of ours explains it, as far as a context is large; nobody else's does.
func TestWatchOfABeginning(t *testing.T) {
	const looks = 12 // more than any that are forgiven
	for name, c := range map[string]struct {
		used  string
		ours  bool
		state device.State
	}{
		"one of ours begins":             {"503316480", true, device.Quiet},
		"more than a context":            {"3221225472", true, device.Unknown},
		"somebody else has the file":     {"503316480", false, device.Unknown},
		"an H200's own, and no one else": {"1048576", false, device.Quiet},
	} {
		t.Run(name, func(t *testing.T) {
			box := devicetest.Start(t)
			opener := box.Opener(0)
			w := device.Watching{Each: time.Hour} // quick looks behind the first
			if c.ours {
				w.Mine = pids(opener.PID)
			}
			watch, until := watched(t, box, w)
			until(func(l device.Look) bool { return l.Cards[0].State == device.Quiet })
			box.Write("card 0 used " + c.used)
			for range looks {
				until(func(l device.Look) bool { return l.Cards[0].Used.Or(0) > 0 })
			}
			box.Write("card 0 used 0")
			until(func(l device.Look) bool { return l.Cards[0].Used.Or(1) == 0 })
			until(nil)
			if r := watch.Stop(); r.State() != c.state || c.state == device.Unknown && !strings.Contains(r.Why(), "no process that the driver lists has them") {
				t.Errorf("%s: %s, not %s: %+v", r.State(), r.Why(), c.state, r.Doubts)
			}
		})
	}
}
