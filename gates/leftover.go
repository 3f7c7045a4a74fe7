package gates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// Bounds on ending what killed runs left, before a gate begins.
const (
	leftoverTime = 10 * time.Second // for all of them together
	leftoverKill = 5 * time.Second  // for SIGKILL to work on one run's, from the first one on
)

var errLeftoverTime = fmt.Errorf("ending what killed runs left took longer than %s", leftoverTime)

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
// and what runs could not end themselves, and writes it into their records. It
// is bounded, and a failure is told and stops nothing: the next run tries again.
// What was ended may have been a gpuci with a run of its own, so the list is
// gone through again.
func (f *flow) endLeftovers(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, leftoverTime, errLeftoverTime)
	defer cancel()
	tried := make(map[string]bool)
	for range maxNested {
		again := false
		for _, run := range f.liveRuns() {
			if ctx.Err() == nil && !tried[run] {
				again = f.endLeftover(ctx, run, tried) || again
			}
		}
		if !again {
			return
		}
	}
}

// maxNested is how deep gates in gates may be for all of them to be ended at once.
const maxNested = 8

// liveRuns lists the runs that are said to go on, but this one. On the way it
// takes away what a gpuci left that was killed before its run was written down.
func (f *flow) liveRuns() (runs []string) {
	entries, err := os.ReadDir(filepath.Join(f.opt.State, "live"))
	if err != nil {
		return nil // there is none yet
	}
	for _, e := range entries {
		name, part := strings.CutSuffix(e.Name(), ".part")
		run, ok := strings.CutSuffix(name, ".json")
		switch {
		case !ok || !e.Type().IsRegular() || !runForm.MatchString(run) || run == f.v.Run:
		case part:
			removeStale(filepath.Join(f.opt.State, "live", e.Name()))
		default:
			runs = append(runs, run)
		}
	}
	return runs
}

// partAge is far more than a gpuci needs to lock and fill the file that it has
// made, so that none that does so now is disturbed.
const partAge = time.Minute

func removeStale(path string) {
	info, err := os.Lstat(path)
	if err != nil || time.Since(info.ModTime()) < partAge {
		return
	}
	lock := openLock(path)
	if ok, err := lock.TryLock(); err == nil && ok {
		_ = os.Remove(path)
		_ = lock.Close()
	}
}

// openLock is a lock on a file that is there. No FIFO may hold us and no link
// lead elsewhere, whoever put it there.
func openLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK))
}

// endLeftover looks at one run and says whether it ended anything. A run that
// was gone through is marked as tried.
func (f *flow) endLeftover(ctx context.Context, run string, tried map[string]bool) bool {
	path := live(f.opt.State, run)
	lock := openLock(path)
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false // it lives, or has just ended
	}
	defer lock.Close()
	tried[run] = true
	s, err := readStarted(path, run)
	if err != nil {
		f.opt.note("%s is no record of a run: %v; remove it", path, err)
		return false
	}
	here := startedHere()
	if s.Host != here.Host || s.PIDs != here.PIDs {
		f.giveBack(s)
		return false // its processes are not ours to see: that host or container will
	}
	var r proc.Result
	if s.Gpuci.BootID == here.Gpuci.BootID { // after a reboot there is nothing left to end
		left := proc.Leftover{Cgroups: s.Cgroups, Name: s.Run, Since: s.Gpuci.Start, Leave: s.Leave, UID: s.UID}
		r = left.End(ctx, proc.Limits{Kill: leftoverKill}, f.opt.Hurry)
	}
	if errors.Is(r.Err, proc.ErrInside) {
		return false // we are what is left of it: whoever comes later
	}
	if errors.Is(r.Err, proc.ErrOthers) {
		f.opt.note("run %s of gate %s was killed, and user %d began it: run a gate here as that user, or as root, to end what it left", s.Run, s.Gate, *s.UID)
		return false
	}
	if ctx.Err() != nil && context.Cause(ctx) != errLeftoverTime && len(r.Ended) == 0 {
		return false // we were stopped: the next gpuci does it
	}
	f.tellLeftover(s, r)
	if f.giveBack(s) && ctx.Err() == nil && r.Gone() && !mayBeLeft(r) {
		_ = os.Remove(path)
	}
	return len(r.Ended) > 0
}

// mayBeLeft says that a process which hangs could be of the run. One that will
// never be ours to ask is told, and not waited for.
func mayBeLeft(r proc.Result) bool {
	return slices.ContainsFunc(r.Unknown, func(u proc.Unread) bool {
		hung := (*proc.HungError)(nil)
		return errors.As(u.Err, &hung)
	})
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
	uid := os.Geteuid()
	s := startedRecord{Cgroups: proc.LeafParent(), UID: &uid}
	s.Host, _ = os.Hostname()
	s.PIDs, _ = os.Readlink("/proc/self/ns/pid")
	s.Gpuci, _ = proc.Real.Identity(os.Getpid())
	return s
}
