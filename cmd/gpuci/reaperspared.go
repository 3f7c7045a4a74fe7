package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// lookAgain looks once more, for what the rule lets be though it is leaked, and
// for what may be and cannot be seen.
func (s *swept) lookAgain(ctx context.Context) error {
	p, j, err := s.judge(ctx)
	if err != nil {
		return err
	}
	for _, x := range j.Judged {
		if s.letBe(x) && !s.told(x) {
			s.spared = append(s.spared, x)
		}
	}
	s.unseen = closedTo(p).named()
	s.leaks, err = s.elsewhere(p)
	return reaperError(ctx, err)
}

// letBe says that one is the top of a tree that the rule lets be, though it is
// leaked but for one thing.
func (s *swept) letBe(x reaper.Judged) bool {
	switch {
	case x.PID != x.Top || x.Leaked:
		return false
	case x.Young:
		return true
	}
	return s.meant[x.Claim] || s.meant[x.Lane] && (x.Spared || x.Why == othersOrphan || x.Shell > 0 || x.Served || x.Parted || s.rules.TestBinaries && x.Kind == reaper.InTarget)
}

// told says that the report has one already.
func (s *swept) told(x reaper.Judged) bool {
	same := func(y reaper.Judged) bool { return y.PID == x.PID && y.Start == x.Start }
	return slices.ContainsFunc(s.Young, same) || slices.ContainsFunc(s.Survivors, func(y reaper.Survivor) bool { return same(y.Judged) }) ||
		slices.ContainsFunc(s.Chains, func(c reaper.Chain) bool { return c.Has(x) })
}

// othersOrphan is what the rule says of one that is leaked but for its user.
const othersOrphan = "another user's"

// remedy is what to do about one that was let be.
func remedy(j reaper.Judged) string {
	switch {
	case j.Young:
		return "sweep again"
	case j.Why == othersOrphan:
		return "that user can end it"
	case j.Served:
		return "if it is to go: " + serviceEnd(j.PID)
	case j.Shell > 0:
		return "all such shells are named below"
	}
	return fmt.Sprintf("if it is to go all the same: kill %d", j.PID)
}

// serviceEnd is the command that ends one which process 1 may have started: its
// service, where it is in one.
func serviceEnd(pid int) string {
	unit, err := proc.Real.Unit(pid)
	switch {
	case err != nil || unit == "":
		return fmt.Sprintf("kill %d", pid)
	case proc.Real.OfUser(pid):
		return "systemctl --user stop " + bourneQuote(unit)
	}
	return "systemctl stop " + bourneQuote(unit)
}

// lostShells are the shells that process 1 has taken over, each once, above what
// was let be.
func lostShells(list []reaper.Judged) (pids []string) {
	for _, j := range list {
		if pid := strconv.Itoa(j.Shell); j.Shell > 0 && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
