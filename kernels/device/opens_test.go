package device

import "testing"

// TestOpensNotForEver: one that has the file open and never makes a context explains
// nothing after a while, nor does it for more than a context takes.
func TestOpensNotForEver(t *testing.T) {
	opening := []key{{"GPU-a", 1, 5}}
	dark := func(bytes int64) Seen {
		return Seen{State: Unknown, Why: "memory", cause: causeMemory, Unowned: Told(bytes), opening: opening}
	}
	for name, c := range map[string]struct {
		looks int
		bytes int64
		state State
	}{
		"a context":           {50, contextMax, Quiet},
		"for more than that":  {int(opensFor/(100e6)) + 10, contextMax, Unknown},
		"more than a context": {5, 2*contextMax + Allowance, Unknown},
	} {
		f := newFilm(func(pid int) bool { return pid == 1 })
		f.look(Quiet)
		for n := range c.looks {
			f.add(dark(c.bytes), n%10 != 0)
		}
		f.look(Quiet)
		if r := f.end(); r.State() != c.state {
			t.Errorf("%s: %s: %s, not %s", name, r.State(), r.Why(), c.state)
		}
	}
}
