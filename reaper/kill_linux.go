package reaper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// patience is how long a pass waits for those it signalled. A killed linker is
// gone after a millisecond, and after 35 when its disk is busy.
const patience = 50 * time.Millisecond

// Why nothing was sent to a victim.
var (
	errMoved = errors.New("it has another parent than when it was judged: nothing was sent")
	errUser  = errors.New("it is not our user's alone (a program that changes users): nothing was sent")
)

// told is a victim that has its SIGKILL.
type told struct {
	kill Kill
	at   time.Time
}

// signal sends SIGKILL to victims, parents before children, and says whether
// any had not had it yet.
func (s *sweeper) signal(victims []Judged) (fresh bool) {
	for _, v := range victims {
		if !s.untold(v) {
			continue
		}
		switch err := s.end(v); {
		case err == nil:
			fresh = true
		case errors.Is(err, proc.ErrGone):
		default:
			s.err[bearerOf(v.Stat)] = err
		}
		s.told[v.PID] = true
	}
	return fresh
}

// end signals one victim, if it still is who was judged. One that has its
// SIGKILL already is only waited for: a second one does nothing.
func (s *sweeper) end(v Judged) error {
	pending, err := s.sure(v)
	if err != nil {
		return err
	}
	t := &told{kill: Kill{Judged: v, CPU: proc.CPUTime(v.CPU + v.Waited), Earlier: pending}}
	if io, err := s.o.Root.IO(v.PID); err == nil {
		t.kill.IO = &io
	}
	t.at = time.Now()
	if !pending {
		err = s.o.Root.Signal(v.Identity(s.boot), unix.SIGKILL)
	}
	if err != nil {
		return err
	}
	s.sent[bearerOf(v.Stat)] = t
	delete(s.err, bearerOf(v.Stat))
	return nil
}

// sure reads again what a victim is, and whether SIGKILL waits for it. It may have lost its parent only because
// that one went before it. Who owns /proc/PID can be root for a process that
// may not be dumped, and the effective user for one that can change it: its
// status says both.
func (s *sweeper) sure(v Judged) (pending bool, err error) {
	now, err := s.o.Root.Stat(v.PID)
	switch {
	case err != nil:
		return false, fmt.Errorf("look again at %s: %w", label(v.Process), err)
	case bearerOf(now) != bearerOf(v.Stat), now.Zombie():
		return false, proc.ErrGone
	case now.PPID != v.PPID && !s.told[v.PPID]:
		return false, errMoved
	}
	st, err := s.o.Root.Status(v.PID)
	switch {
	case err != nil:
		return false, fmt.Errorf("look again at %s: %w", label(v.Process), err)
	case st.UID != int(v.UID) || st.EUID != int(v.UID):
		return false, errUser
	}
	return dying(st), nil
}

// dying says that SIGKILL waits for a process to run.
func dying(st proc.Status) bool {
	return st.SharedPending.Has(unix.SIGKILL) || st.Pending.Has(unix.SIGKILL)
}

// await waits a little for those that were signalled.
func (s *sweeper) await(ctx context.Context) {
	end := time.Now().Add(patience)
	for wait := 200 * time.Microsecond; time.Now().Before(end); wait = min(2*wait, 5*time.Millisecond) {
		if s.collect(); len(s.sent) == 0 || sleep(ctx, wait) != nil {
			return
		}
	}
}

// collect takes down those that are gone. Only then a kill is one.
func (s *sweeper) collect() {
	for _, key := range s.inOrder() {
		t := s.sent[key]
		if alive, err := s.o.Root.Alive(t.kill.Identity(s.boot)); alive || err != nil {
			continue
		}
		delete(s.sent, key)
		t.kill.Took = time.Since(t.at)
		s.report.Swept = append(s.report.Swept, t.kill)
		s.o.Killed(t.kill)
	}
}

// inOrder are those that were signalled, as they were.
func (s *sweeper) inOrder() []bearer {
	return slices.SortedFunc(maps.Keys(s.sent), func(a, b bearer) int {
		return s.sent[a].at.Compare(s.sent[b].at)
	})
}

// survivors are those that have not gone: signalled or not, and too young.
func (s *sweeper) survivors() (out []Survivor) {
	if s.o.DryRun {
		return nil
	}
	s.collect()
	for _, key := range s.inOrder() {
		out = s.survivor(out, s.sent[key].kill.Judged)
	}
	for _, j := range append(s.last.victims(), s.newborn()...) {
		if s.untold(j) {
			out = s.survivor(out, j)
		}
	}
	return out
}

// left are the kills that were sent and have not ended anybody yet.
func (s *sweeper) left() (out []Kill) {
	for _, key := range s.inOrder() {
		t := s.sent[key]
		if t.kill.Earlier {
			continue
		}
		t.kill.Took = time.Since(t.at)
		out = append(out, t.kill)
	}
	return out
}

// survivor adds one, as it is now.
func (s *sweeper) survivor(out []Survivor, j Judged) []Survivor {
	now, err := s.o.Root.Stat(j.PID)
	if err != nil || bearerOf(now) != bearerOf(j.Stat) || now.Zombie() {
		return out
	}
	t := s.sent[bearerOf(j.Stat)]
	left := Survivor{Judged: j, Sent: t != nil && !t.kill.Earlier, Err: s.err[bearerOf(j.Stat)]}
	left.Stat, left.Age = now, s.o.Root.Age(now)
	left.Waits, _ = s.o.Root.WaitChannel(j.PID)
	if st, err := s.o.Root.Status(j.PID); err == nil {
		left.Pending = dying(st)
	}
	return append(out, left)
}
