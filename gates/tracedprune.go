package gates

import (
	"os"
	"path/filepath"
	"strings"
)

// keptTraces are how many runs of a workspace keep their recordings: a launch is 32 bytes,
// and a run of ten million is 320 MB.
const keptTraces = 20

// pruneTraces removes the oldest recordings beyond these. What came of them is in the
// history, with all numbers.
func (f *flow) pruneTraces() {
	if f.traced == nil {
		return
	}
	var runs [][]string
	dir := filepath.Join(f.opt.State, "runs")
	entries, _ := os.ReadDir(dir) // their names begin with the time; it holds this run
	for _, e := range entries {
		if found := recordings(filepath.Join(dir, e.Name())); len(found) > 0 {
			runs = append(runs, found)
		}
	}
	for _, found := range runs[:max(0, len(runs)-keptTraces)] {
		run := filepath.Dir(found[0])
		if run == f.rec.dir || exists(live(f.opt.State, filepath.Base(run))) {
			continue
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				f.opt.detail("remove an old recording: %v", err)
			}
		}
	}
}

// recordings are those of a run.
func recordings(run string) (found []string) {
	entries, _ := os.ReadDir(run) // what is gone has none
	for _, e := range entries {
		if e.IsDir() && (e.Name() == "trace" || strings.HasPrefix(e.Name(), "trace-")) {
			found = append(found, filepath.Join(run, e.Name()))
		}
	}
	return found
}
