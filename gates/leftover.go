package gates

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// Bounds on ending what a killed gpuci left.
const (
	leftoverTime = 5 * time.Second  // for SIGKILL to work
	cookieTime   = 20 * time.Second // for reading the environments of all processes
)

// live is the file that stands for a run while it goes on. Its gpuci holds a
// lock on it from before the first command until after the last. So whoever
// gets the lock knows that that gpuci is dead, also one in another container or
// on another host, whose processes cannot be seen from here.
func live(state, run string) string { return filepath.Join(state, "live", run+".json") }

// goLive writes the run down as going on. The file appears under its name only
// when it is whole and locked.
func (r *record) goLive(state string, started startedRecord) {
	path := live(state, started.Run)
	data, err := json.Marshal(started)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		r.lock = flock.New(path+".part", flock.SetFlag(os.O_CREATE|os.O_EXCL|os.O_RDWR), flock.SetPermissions(0o644))
		_, err = r.lock.TryLock()
	}
	if err == nil {
		err = os.WriteFile(path+".part", data, 0o644)
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		_ = os.Remove(path + ".part")
		r.err = fmt.Errorf("write run down as going on: %w", err)
		return
	}
	r.live = path
}

// runForm is what a run id looks like; nothing else in a file's name is one.
var runForm = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$`)

// endLeftovers ends what runs of this workspace left whose gpuci was killed,
// and closes their records. It is bounded, and a failure is told and stops
// nothing: the next run tries again. What was ended may have been a gpuci with
// a run of its own, so the list is gone through again.
func (f *flow) endLeftovers(ctx context.Context) {
	for range maxNested {
		entries, err := os.ReadDir(filepath.Join(f.opt.State, "live"))
		if err != nil {
			return // there is none yet
		}
		again := false
		for _, e := range entries {
			run, ok := strings.CutSuffix(e.Name(), ".json")
			if ok && e.Type().IsRegular() && runForm.MatchString(run) && run != f.v.Run {
				again = f.endLeftover(ctx, run) || again
			}
		}
		if !again {
			return
		}
	}
}

// maxNested is how deep gates in gates may be for all of them to be ended at once.
const maxNested = 8

// endLeftover looks at one run and says whether it ended anything.
func (f *flow) endLeftover(ctx context.Context, run string) bool {
	path := live(f.opt.State, run)
	// No FIFO may hold us and no link lead elsewhere, whoever put it there.
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false // it lives, or has just ended
	}
	defer lock.Close()
	s, err := readStarted(path, run)
	if err != nil {
		f.opt.note("%s is no record of a run: %v; remove it", path, err)
		return false
	}
	here := startedHere()
	if s.Host != here.Host || s.PIDs != here.PIDs {
		return false // its processes are not ours to see: that host or container will
	}
	var ended, stuck bool
	if s.Gpuci.BootID == here.Gpuci.BootID { // after a reboot there is nothing left to end
		ended, stuck = f.endProcesses(ctx, s)
	}
	if !stuck {
		f.closeKilled(s)
		_ = os.Remove(path)
	}
	return ended
}

// maxStarted bounds a record that is read; a real one has some hundred bytes.
const maxStarted = 64 << 10

func readStarted(path, run string) (s startedRecord, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return s, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxStarted))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	if s.Run != run {
		return s, fmt.Errorf("it speaks of run %q", s.Run)
	}
	return s, nil
}

// startedHere is what a started record says of the place where it is written.
func startedHere() startedRecord {
	s := startedRecord{Cgroups: proc.LeafParent()}
	s.Host, _ = os.Hostname()
	s.PIDs, _ = os.Readlink("/proc/self/ns/pid")
	s.Gpuci, _ = proc.Real.Identity(os.Getpid())
	return s
}

// endProcesses ends what a killed run left. It says whether it ended anything,
// and whether anything could not be ended: that keeps the run's file, for the
// next gpuci to try.
func (f *flow) endProcesses(ctx context.Context, s startedRecord) (some, kept bool) {
	ctx, cancel := context.WithTimeout(ctx, cookieTime)
	defer cancel()
	left := proc.Leftover{Cgroups: s.Cgroups, Name: s.Run + "-", Key: runsVariable, Value: s.Run, Leave: s.Leave}
	ended, stuck, err := left.End(ctx, leftoverTime)
	if kept = err != nil || len(stuck) > 0; kept {
		f.opt.note("run %s of gate %s was killed, and what it left could not be ended: %v %v", s.Run, s.Gate, names(stuck), err)
	}
	if len(ended) > 0 {
		f.opt.note("ended what run %s of gate %s left when gpuci was killed: %s", s.Run, s.Gate, strings.Join(names(ended), ", "))
	}
	return len(ended) > 0, kept
}

// closeKilled gives a killed run its verdict, unless it reached one.
func (f *flow) closeKilled(s startedRecord) {
	r := &record{dir: filepath.Join(f.opt.State, "runs", s.Run)}
	if _, err := os.Stat(filepath.Join(r.dir, "verdict.json")); err == nil {
		return
	}
	r.json("verdict.json", Verdict{
		Type: "verdict", Schema: schema, Run: s.Run, Gate: s.Gate, Outcome: Interrupted, Exit: killedExit,
		Findings: []Finding{{Interrupted, "gpuci itself was killed before it could say anything"}},
		Bound:    Bound{Lane: s.Lane}, Started: s.Begun, Dir: r.dir, Steps: []Step{},
	})
}

// killedExit is what a shell shows for a process that SIGKILL ended.
const killedExit = 137
