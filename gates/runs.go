package gates

import (
	"os"
	"path/filepath"
	"strings"

	"gpuci/reaper"
)

// Runs are the runs of a workspace that go on or whose gpuci was killed, for the
// reaper. Those that came to their end have left nothing, or stand here still.
func Runs(state string) map[string]reaper.Run {
	entries, err := os.ReadDir(filepath.Join(state, "live"))
	if err != nil {
		return nil
	}
	out := make(map[string]reaper.Run)
	here := startedHere()
	for _, e := range entries {
		run, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !e.Type().IsRegular() || !runForm.MatchString(run) {
			continue
		}
		path := live(state, run)
		s, err := readStarted(path, run)
		if err != nil || s.Host != here.Host || s.PIDs != here.PIDs {
			continue // not ours to judge by
		}
		if s.UID != nil && *s.UID != *here.UID {
			continue // what it left is that user's to end
		}
		lock := openLock(path)
		got, err := lock.TryLock()
		_ = lock.Close()
		out[run] = reaper.Run{Lane: s.Lane, Lives: err != nil || !got}
	}
	return out
}
