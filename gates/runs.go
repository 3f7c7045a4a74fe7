package gates

import (
	"os"
	"path/filepath"
	"strings"

	"gpuci/reaper"
)

// Runs are the runs of a workspace that go on or whose gpuci was killed, for the
// reaper, and the daemons that they may leave. Those that came to their end have
// left nothing, or stand here still.
func Runs(state string) (out map[string]reaper.Run, leave []string) {
	entries, err := os.ReadDir(filepath.Join(state, "live"))
	if err != nil {
		return nil, nil
	}
	out = make(map[string]reaper.Run)
	here := startedHere()
	for _, e := range entries {
		run, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !e.Type().IsRegular() || !runForm.MatchString(run) {
			continue
		}
		path := live(state, run)
		s, err := readStarted(path, run)
		if err == nil {
			leave = append(leave, s.Leave...)
		}
		if err != nil || s.Host != here.Host || s.PIDs != here.PIDs || s.UID != nil && *s.UID != *here.UID {
			out[run] = reaper.Run{Lives: true} // whether it does is not ours to say, so hands off
			continue
		}
		lock := openLock(path)
		got, err := lock.TryLock()
		_ = lock.Close()
		out[run] = reaper.Run{Lane: s.Lane, Lives: err != nil || !got, Gpuci: s.Gpuci}
	}
	return out, leave
}
