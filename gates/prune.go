package gates

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"gpuci/gates/history"
)

// maxPruned bounds what one gate removes: a workspace that kept everything for
// months comes down to its number within some hundred gates, and none of them
// stands still for it.
const maxPruned = 20

// prune removes the directories of the oldest runs beyond the number that is
// kept. What came of them is in the history; their logs are not. Not touched are
// the last run of each gate in each lane, one that the history does not have, and
// one without a verdict, with something of it still there, which a later gpuci has
// yet to close, or with files that have yet to be put back.
func (f *flow) prune() {
	dir := filepath.Join(f.opt.State, "runs")
	entries, err := os.ReadDir(dir)
	if f.opt.KeepRuns == 0 || f.opt.History == nil || err != nil || len(entries) <= f.opt.KeepRuns {
		return
	}
	defer f.opt.History.Rest()
	keep, store := f.latestRuns()
	if store == nil {
		return
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != f.v.Run && !keep[e.Name()] {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // they begin with the time
	over := len(entries) - f.opt.KeepRuns
	for _, name := range names[:max(0, min(over, maxPruned, len(names)))] {
		if exists(live(f.opt.State, name)) || !exists(filepath.Join(dir, name, "verdict.json")) || exists(filepath.Join(dir, name, asideName)) {
			continue
		}
		if _, err := store.Find(context.Background(), name); err != nil && !isTrial(filepath.Join(dir, name)) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			f.opt.detail("remove an old run: %v", err)
		}
	}
}

// latestRuns are the last ones of each gate in each lane: whether an outcome
// still stands is told by what its directory has. The store is nil where that
// cannot be read.
func (f *flow) latestRuns() (map[string]bool, *history.Store) {
	store, err := f.opt.History.Store()
	if err != nil {
		return nil, nil
	}
	latest, err := store.Latest(context.Background())
	if err != nil {
		return nil, nil
	}
	keep := make(map[string]bool)
	for _, r := range latest {
		keep[r.Run] = true
	}
	keepTrials(store, keep)
	return keep, store
}
