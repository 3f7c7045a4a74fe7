package reaper_test

import (
	"testing"

	"gpuci/reaper"
)

// The top of a tree that would be leaked and must not be ended is known for one:
// there is something for a person to do.
func TestSparedTops(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"in a terminal's foreground": func(w *world) {
			w.set(func(it *reaper.Process) { it.TTY, it.PGRP, it.TPGID = 34816, 95, 95 }, 100)
		},
		"held by a debugger": func(w *world) { w.set(func(it *reaper.Process) { it.State = 't' }, 100) },
	} {
		w := leakedTree()
		change(w)
		j, err := reaper.Judge(w.picture(), w.Lanes, func(lane string) bool { return w.Wanted[lane] }, reaper.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range j.Judged {
			if spared := it.PID == 100; it.Spared != spared || it.Leaked {
				t.Errorf("%s: pid %d: %+v", name, it.PID, it)
			}
		}
	}
}
