package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
)

// The directories of a state directory that hold a directory for each run.
const (
	runsDir   = "runs"   // of gates
	buildsDir = "builds" // of `gpuci build`
)

// lastRun is the name of the run that began last.
const lastRun = "last"

// stateDirs are where runs may be recorded that are of interest here: ours, and
// those of the repository's owner, which another user reads. Outside of git a
// gate is recorded by the directory of its gpuci.toml and a build by where it
// was begun: so each directory above us counts.
func stateDirs(p place) (out []string) {
	roots := []string{p.dir, p.config.Root}
	if found, err := config.Find(p.dir, p.lane.Root); err == nil {
		roots = append(roots, filepath.Dir(found))
	}
	for dir := p.dir; p.lane.CommonDir == "" && filepath.Dir(dir) != dir; {
		dir = filepath.Dir(dir)
		roots = append(roots, dir)
	}
	for _, root := range roots {
		if root == "" {
			continue // there is no workspace
		}
		if dir, _ := gates.StateDir(p.lane, root); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if shared := filepath.Join(p.lane.CommonDir, "gpuci"); p.lane.CommonDir != "" && !slices.Contains(out, shared) {
		out = append(out, shared)
	}
	return out
}

// recorded is the directory of one run.
type recorded struct {
	name, dir string
	changed   time.Time // a file came into it
}

// began is the time in a name, to the second.
func (r recorded) began() string {
	at, _, _ := strings.Cut(r.name, "-")
	return at
}

// recordedIn lists all runs, the first one first: their names begin with the
// time. What else is in a name is chance: of those that began in one second the
// last one is where something was written last.
func recordedIn(states []string) (out []recorded) {
	for _, state := range states {
		for _, kind := range []string{runsDir, buildsDir} {
			list, _ := os.ReadDir(filepath.Join(state, kind)) // there need not be one
			for _, e := range list {
				if e.IsDir() {
					r := recorded{name: e.Name(), dir: filepath.Join(state, kind, e.Name())}
					if info, err := e.Info(); err == nil {
						r.changed = info.ModTime()
					}
					out = append(out, r)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b recorded) int {
		return cmp.Or(cmp.Compare(a.began(), b.began()), a.changed.Compare(b.changed))
	})
	return out
}

// findRun finds the directory of a run by its name, a beginning of it that no
// other has, or "last".
func findRun(states []string, name string) (string, error) {
	all := recordedIn(states)
	none := func(format string, args ...any) error {
		return coded{gates.ExitNothing, fmt.Sprintf(format, args...), nearRuns(all, name)}
	}
	if len(all) == 0 {
		return "", coded{gates.ExitNothing, "no run and no build is recorded here", "run one by gpuci gate or gpuci build; -C names another directory"}
	}
	if name == lastRun {
		return all[len(all)-1].dir, nil
	}
	var found []recorded
	for _, r := range all {
		if r.name == name {
			return r.dir, nil
		}
		if name != "" && strings.HasPrefix(r.name, name) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return "", none("there is no run or build %q", name)
	case 1:
		return found[0].dir, nil
	}
	return "", none("%d runs begin with %q", len(found), name)
}

// nearRuns are the runs whose names agree with a name for longest, the last
// ones first.
func nearRuns(all []recorded, name string) string {
	const most = 3
	near := slices.Clone(all)
	slices.Reverse(near)
	slices.SortStableFunc(near, func(a, b recorded) int { return common(b.name, name) - common(a.name, name) })
	var names []string
	for _, r := range near[:min(most, len(near))] {
		names = append(names, r.name)
	}
	return "there is " + strings.Join(names, ", ") + "; or last"
}

// common is for how many bytes two names agree.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
