package gates

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"gpuci/gates/config"
	"gpuci/gates/falsify/plant"
	"gpuci/gates/history"
	"gpuci/gates/inputs"
)

// maxFalsified is how many falsifications are looked at for one that still holds:
// lanes that go to and fro between two states find theirs.
const maxFalsified = 5

// lastFalsified is the newest that still holds, else the newest.
func (f *flow) lastFalsified(ctx context.Context) *Falsified {
	store, err := f.opt.History.Store()
	var all, list []history.Falsification
	if err == nil {
		all, err = store.Falsifications(ctx, history.Query{Gate: f.gate.Name, Limit: 4 * maxFalsified})
	}
	if err != nil {
		return &Falsified{Of: len(f.gate.Faults), Unknown: err.Error()}
	}
	for _, one := range all {
		if store.Believes(one.UID, one.Started) && len(list) < maxFalsified {
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		return &Falsified{Of: len(f.gate.Faults), Never: true}
	}
	var first *Falsified
	for _, one := range list {
		x := f.holds(ctx, one)
		if x.Same {
			return x
		}
		if first == nil {
			first = x
		}
	}
	return first
}

// holds says whether a falsification is of the gate as it is now.
func (f *flow) holds(ctx context.Context, one history.Falsification) *Falsified {
	x := &Falsified{Caught: one.Caught, Of: one.Of, At: &one.Started, Commit: one.Commit, Run: one.Run}
	for _, p := range one.Results {
		if p.Outcome != FaultCaught {
			x.Missed = append(x.Missed, p.Fault)
		}
	}
	x.Changed, x.Unknown = f.changedSince(ctx, one)
	x.Same = x.Changed == "" && x.Unknown == ""
	return x
}

// changedSince says what of a gate is otherwise than when its faults were planted.
func (f *flow) changedSince(ctx context.Context, one history.Falsification) (changed, unknown string) {
	switch {
	case one.Settings != SettingsID(f.opt.Gate):
		return "its settings have changed", ""
	case one.Faults != FaultsID(f.opt.Gate):
		return "its faults have changed", ""
	}
	now := plant.Files(f.opt.Root, f.opt.Gate)
	for _, name := range slices.Sorted(maps.Keys(one.Files)) {
		if now[name] != one.Files[name] {
			return name + " changed", ""
		}
	}
	if f.draft == nil || f.v.Bound.Unread {
		return "", "the lane was not read"
	}
	d := f.draft()
	if one.Tree != "" && one.Tree == d.Tree {
		return "", ""
	}
	snap, err := snapshotOf(append(runDirs(f.opt.Lane, f.opt.Root), filepath.Join(f.opt.State, "runs")), one.Run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "what it read was not written down; gpuci falsify " + f.gate.Name
	case err != nil:
		return "", err.Error()
	}
	var settings []string // which are held against by themselves
	if rel, err := filepath.Rel(f.opt.Lane.Root, filepath.Join(f.opt.Root, config.FileName)); err == nil {
		settings = append(settings, rel)
	}
	c, err := inputs.Compare(ctx, f.opt.Lane, f.v.Bound.state, settings, []inputs.Snapshot{snap})
	switch {
	case err != nil:
		return "", err.Error()
	case c[0].Unknown != "":
		return "", c[0].Unknown
	case c[0].Count == 0:
		return "", ""
	case c[0].Count == 1:
		return c[0].First + " changed", ""
	}
	return fmt.Sprintf("%s and %d more changed", c[0].First, c[0].Count-1), ""
}
