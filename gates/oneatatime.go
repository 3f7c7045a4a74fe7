package gates

import (
	"context"
	"fmt"

	"gpuci/kernels/device/protected"
)

// besideProtected looks whether a protected run is alive: beside one, builds go one at
// a time on this machine, and link one at a time. Where it cannot be told, too.
func (f *flow) besideProtected(ctx context.Context) {
	c := f.opt.Cards
	if c == nil || len(c.Rules) == 0 {
		return
	}
	look, err := protected.Find(ctx, protected.Options{Rules: c.Rules, State: c.State})
	switch {
	case err != nil:
		f.oneByOne = "whether a protected run is there cannot be told: " + err.Error()
	case len(look.Runs) > 0:
		r := look.Runs[0]
		f.oneByOne = fmt.Sprintf("beside the protected run %s (pid %d)", r.Rule.Name, r.Process.PID)
	case len(look.Unknown) > 0:
		f.oneByOne = look.Unknown[0].Text()
	default:
		return
	}
	f.opt.detail("builds and links go one at a time: %s", f.oneByOne)
}

// slots is how many links of this gate may be made at a time.
func (f *flow) slots() int {
	if f.oneByOne != "" {
		return 1
	}
	return f.opt.Queue.Values.Links
}
