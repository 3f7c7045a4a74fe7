package device_test

import (
	"fmt"
	"testing"
	"time"

	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
)

// TestLookOfOneMoment: a driver that makes a context keeps a look waiting between the
// lists and the memory, and what it tells then has no owner in the lists of before.
func TestLookOfOneMoment(t *testing.T) {
	box := devicetest.Start(t)
	ours := box.Opener(0)
	watch, until := watched(t, box, device.Watching{Mine: pids(ours.PID), Each: time.Hour})
	until(func(l device.Look) bool { return l.Cards[0].State == device.Quiet })
	box.Write(fmt.Sprintf("begins 0 compute %d 503316480", ours.PID))
	for range 12 {
		until(func(l device.Look) bool {
			if l.Cards[0].State != device.Quiet {
				t.Errorf("a look: %s: %s", l.Cards[0].State, l.Cards[0].Why)
			}
			return len(l.Cards[0].Own) == 1
		})
	}
	until(nil)
	if r := watch.Stop(); r.State() != device.Quiet || len(r.Doubts) > 0 {
		t.Errorf("%s: %s: %+v", r.State(), r.Why(), r.Doubts)
	}
}
