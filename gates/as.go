package gates

import (
	"cmp"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/history"
)

// As is the lane that a run stands for when it is done in another place, a
// scratch lane at that lane's commit. The history has the run under its name.
type As struct {
	Lane   string // "" stands for no other: the run is of the lane it is done in
	Branch string // the branch that the lane was on; "" for none
}

// lane is the name under which a run is kept.
func (o *Options) lane() string { return cmp.Or(o.As.Lane, o.Lane.Name) }

// branch is the branch under which it is kept: a scratch lane itself is on none.
func (o *Options) branch(read string) string {
	if o.As.Lane != "" {
		return o.As.Branch
	}
	return read
}

// laneOf is the lane that a result is of, for who asks whose its products are: what
// was done in this scratch lane's directory was done in it, whatever it stood for.
func (o *Options) laneOf(r history.Result) string {
	if o.As.Lane != "" && r.Root == o.Root {
		return o.Lane.Name
	}
	return r.Lane
}

// target is where build products go, by a run's own environment before ours.
func (o *Options) target(dir string) string {
	for _, v := range o.Env {
		if own, ok := strings.CutPrefix(v, "CARGO_TARGET_DIR="); ok {
			dir = own
		}
	}
	return dir
}

// SettingsID identifies a gate's settings, as a verdict is bound to them.
func SettingsID(g config.Gate) string { return hashOf(g) }
