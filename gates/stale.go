package gates

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/inputs"
	"gpuci/worktrees"
)

// Stale says whether an outcome still stands.
type Stale struct {
	Text    string // what has changed since; "" where nothing has
	Unknown string // why that cannot be told
}

// Staleness says of each result whether what its gate reads has changed since,
// in the lane it is of: its sources, or the gate's own settings. here is a lane
// of the repository; each lane is looked at once. In a bundle, which has a name and no
// directory, nothing is asked and nothing said: it is held against its manifest at each
// run.
func Staleness(ctx context.Context, cfg *config.Config, here worktrees.Lane, list []history.Result) []Stale {
	out := make([]Stale, len(list))
	dirs := runDirs(here, cfg.Root)
	var err error
	lanes := map[string]worktrees.Lane{here.Name: here}
	if here.Root != "" && slices.ContainsFunc(list, func(r history.Result) bool { return r.Lane != here.Name }) {
		var trees []worktrees.Tree
		trees, err = LanesHere(ctx, here) // of one that is not listed nothing can be told
		for _, t := range trees {
			lanes[t.Name] = t.Lane
		}
	}
	of := make(map[string][]int) // results by lane
	for i, r := range list {
		of[r.Lane] = append(of[r.Lane], i)
	}
	for name, at := range of {
		lane, there := lanes[name]
		unknown := ""
		switch {
		case name != "" && name == here.Name && here.Root == "":
			continue
		case here.Root == "":
			unknown = "outside of git nobody can tell"
		case !there && err != nil:
			unknown = "the lanes cannot be listed"
		case !there:
			unknown = "the lane is not there any more"
		}
		if unknown != "" {
			for _, i := range at {
				out[i].Unknown = unknown
			}
			continue
		}
		staleIn(ctx, configOf(cfg, here, lane), dirs, lane, list, at, out)
	}
	return out
}

// staleIn looks at one lane.
func staleIn(ctx context.Context, cfg *config.Config, dirs []string, lane worktrees.Lane, list []history.Result, at []int, out []Stale) {
	now, err := worktrees.ReadState(ctx, lane)
	var then []inputs.Snapshot
	var which []int
	for _, i := range at {
		snap, missing := snapshotOf(dirs, list[i].Run)
		switch g, known := cfg.Gate(list[i].Gate); {
		case err != nil:
			out[i].Unknown = err.Error()
		case known && list[i].Config != "" && list[i].Config != hashOf(*g):
			out[i].Text = "the gate's settings have changed"
		case missing != nil && list[i].Commit == "":
			out[i].Unknown = "it never came to look at the lane"
		case errors.Is(missing, fs.ErrNotExist):
			out[i].Unknown = "what it read was not written down"
		case missing != nil:
			out[i].Unknown = missing.Error()
		default:
			then, which = append(then, snap), append(which, i)
		}
	}
	changes, err := inputs.Compare(ctx, lane, now, own(cfg, lane), then)
	for n, i := range which {
		switch {
		case err != nil:
			out[i].Unknown = err.Error()
		case changes[n].Unknown != "":
			out[i].Unknown = changes[n].Unknown
		default:
			out[i].Text = changes[n].What()
		}
	}
}

// snapshotOf is what a run has kept, not where its result says: the repository may
// have moved, and a journal may say anything.
func snapshotOf(dirs []string, run string) (snap inputs.Snapshot, err error) {
	if !filepath.IsLocal(run) {
		return snap, fmt.Errorf("load snapshot: %q is no name of a run", run)
	}
	for _, dir := range dirs {
		if snap, err = inputs.Load(filepath.Join(dir, run)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return snap, err
}

// configOf is a lane's own configuration, where it is at the same place; else the
// one we have.
func configOf(cfg *config.Config, here, lane worktrees.Lane) *config.Config {
	dir, err := filepath.Rel(here.Root, cfg.Root)
	if err != nil || lane.Root == here.Root {
		return cfg
	}
	other, err := config.Load(config.DefaultSources(filepath.Join(lane.Root, dir, config.FileName)))
	if err != nil {
		return cfg
	}
	return other
}

// own are the paths, from a lane's root, that gpuci itself writes, and the
// settings, which are held against gate by gate.
func own(cfg *config.Config, lane worktrees.Lane) (out []string) {
	for _, file := range []string{cfg.History.TSV, cfg.Bank.TSV, config.FileName} {
		name, err := filepath.Rel(lane.Root, filepath.Join(cfg.Root, file))
		if file != "" && err == nil && filepath.IsLocal(name) {
			out = append(out, name)
		}
	}
	return out
}
