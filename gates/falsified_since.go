package gates

import (
	"cmp"
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
	"gpuci/worktrees"
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
	x := falsifiedBy(one)
	if x.Changed = f.declaredSince(one); x.Changed == "" {
		f.filesSince(ctx, one, x)
	}
	x.Same = x.Changed == "" && x.Unknown == ""
	return x
}

// declaredSince says what is declared otherwise than when a gate's faults were
// planted, or lies in a fault's own files.
func (f *flow) declaredSince(one history.Falsification) string {
	switch {
	case one.Settings != SettingsID(f.opt.Gate):
		return "its settings have changed"
	case one.Faults != FaultsID(f.opt.Gate):
		return "its faults have changed"
	}
	now := plant.Files(f.opt.Root, f.opt.Gate)
	for _, name := range slices.Sorted(maps.Keys(one.Files)) {
		if now[name] != one.Files[name] {
			return name + " changed"
		}
	}
	return ""
}

// filesSince says what of a gate's files is otherwise: of those that its products
// are built from and of test data, where the compilers tell, else of all but prose; and
// of those that belong to it by name, see named. What else the run may read is told
// beside it.
func (f *flow) filesSince(ctx context.Context, one history.Falsification, x *Falsified) {
	if f.draft == nil || f.v.Bound.Unread {
		x.Unknown = "the lane was not read"
		return
	}
	d := f.draft()
	if one.Tree != "" && one.Tree == d.Tree {
		return
	}
	snap, err := snapshotOf(append(runDirs(f.opt.Lane, f.opt.Root), filepath.Join(f.opt.State, "runs")), one.Run)
	if errors.Is(err, fs.ErrNotExist) {
		x.Unknown = "what it read was not written down; gpuci falsify " + f.gate.Name
		return
	}
	var sources, all inputs.Change
	if err == nil {
		sources, all, err = f.since(ctx, snap, d)
	}
	switch {
	case err != nil:
		x.Unknown = err.Error()
	case sources.Count > 0:
		x.Changed = changed(sources) + " changed"
	case sources.Unknown+all.Unknown != "":
		x.Unknown = cmp.Or(sources.Unknown, all.Unknown)
	case all.Count > 0:
		x.Others = changed(all)
	}
}

// since says what has changed of a snapshot: of the gate's files, and of all that it
// may have read.
func (f *flow) since(ctx context.Context, snap inputs.Snapshot, d worktrees.Draft) (sources, all inputs.Change, err error) {
	var settings []string // which are held against by themselves
	if rel, err := filepath.Rel(f.opt.Lane.Root, filepath.Join(f.opt.Root, config.FileName)); err == nil {
		settings = append(settings, rel)
	}
	if sources, err = snap.Gate(ctx, f.opt.Lane, d, f.named(ctx, snap.Read), settings...); err != nil {
		return sources, all, err
	}
	c, err := inputs.Compare(ctx, f.opt.Lane, f.v.Bound.state, settings, []inputs.Snapshot{snap})
	if err != nil {
		return sources, all, err
	}
	return sources, c[0], nil
}

func changed(c inputs.Change) string {
	if c.Count == 1 {
		return c.First
	}
	return fmt.Sprintf("%s and %d more", c.First, c.Count-1)
}
