package reaper

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"gpuci/reaper/proc"
)

const (
	// chainTime is how long a chain is looked at, at least: ages are told in
	// ticks of 10 ms, so that under a low floor one can be young by chance.
	chainTime = time.Second
	// lapse is how many looks in a row may see none of a chain, or of what may
	// be one: it is gone before all is read of it, in one look of ten where the
	// machine is idle and in every second one where it is not.
	lapse = 5
)

// streak are the young of a strain that look after look has seen.
type streak struct {
	last  Judged
	seen  map[bearer]bool
	most  int       // in one look
	first time.Time // of a look that saw any
	late  time.Time // and of the last one
	look  int       // which one that was
	apart bool      // it is a chain, and not waited for
}

// turned says that those of one look were not all that there were.
func (k *streak) turned() bool { return len(k.seen) > k.most }

// follow notes the young of the last look. A strain of which one is old enough
// to be ended is none that never gets old, unless it is known for a chain by
// then: of that one nobody is ended any more, whatever his age, since what
// starts them all may be a build that lives.
func (s *sweeper) follow() {
	now := time.Now()
	s.spareChains()
	for _, j := range s.last.victims() {
		delete(s.streaks, strainOf(j))
	}
	count := make(map[strain]int)
	for _, j := range s.last.Judged {
		if j.PID != j.Top || !s.waitedFor(j) {
			continue
		}
		id := strainOf(j)
		k := s.streaks[id]
		if k == nil {
			k = &streak{seen: make(map[bearer]bool), first: now}
			s.streaks[id] = k
		}
		count[id]++
		k.seen[bearerOf(j.Stat)] = true
		k.last, k.look, k.late, k.most = j, s.report.Passes, now, max(k.most, count[id])
		k.apart = k.apart || k.turned() && k.late.Sub(k.first) >= max(s.o.Rules.Floor, chainTime)
	}
	if slices.ContainsFunc(s.last.Judged, s.vanished) {
		s.doubt = s.report.Passes
	}
	maps.DeleteFunc(s.streaks, func(_ strain, k *streak) bool { return s.report.Passes-k.look >= lapse })
}

// spareChains takes those of chains from the victims of the last look.
func (s *sweeper) spareChains() {
	apart := s.apart()
	s.last.leaked = slices.DeleteFunc(s.last.leaked, func(i int) bool { return apart[s.last.Judged[i].Top] })
	for i, j := range s.last.Judged {
		s.last.Judged[i].Leaked = j.Leaked && !apart[j.Top]
	}
}

// vanished says that one was too young and of process 1, and has ended before it
// could be judged: it may have been one of a chain.
func (s *sweeper) vanished(j Judged) bool {
	if j.PID != j.Top || j.PPID != 1 || j.Leaked || j.Young || j.Age >= s.o.Rules.Floor {
		return false
	}
	now, err := s.o.Root.Stat(j.PID)
	return errors.Is(err, proc.ErrGone) || err == nil && bearerOf(now) != bearerOf(j.Stat)
}

// enough is how many looks in a row must find nothing. While what may be a chain
// goes on, one that sees none of it says little; once there is a chain, nothing
// is to be waited for.
func (s *sweeper) enough() int {
	for _, k := range s.streaks {
		if !k.apart {
			return lapse
		}
	}
	switch {
	case len(s.streaks) > 0:
		return 1
	case s.doubt > 0 && s.report.Passes-s.doubt < lapse:
		return lapse
	}
	return quietPasses
}

// chains are those that were found, and at the end of the time what may be one
// and was not looked at for long enough.
func (s *sweeper) chains() (out []Chain) {
	for _, k := range s.streaks {
		if k.apart = k.apart || k.turned(); k.apart {
			out = append(out, Chain{k.last, len(k.seen), k.late.Sub(k.first), s.endedOf(strainOf(k.last))})
		}
	}
	slices.SortFunc(out, func(a, b Chain) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Program(), b.Program()))
	})
	return out
}

// endedOf is how many of a strain this sweep has ended, before it was known for
// a chain.
func (s *sweeper) endedOf(id strain) (n int) {
	for _, k := range s.report.Swept {
		if strainOf(k.Judged) == id {
			n++
		}
	}
	for _, t := range s.sent {
		if strainOf(t.kill.Judged) == id {
			n++
		}
	}
	return n
}

// apart are the tops of the last look that belong to a chain.
func (s *sweeper) apart() map[int]bool {
	out := make(map[int]bool)
	for _, j := range s.last.Judged {
		if k := s.streaks[strainOf(j)]; j.PID == j.Top && k != nil && k.apart {
			out[j.PID] = true
		}
	}
	return out
}

// newborn are those that are waited for, and of no chain.
func (s *sweeper) newborn() (out []Judged) {
	apart := s.apart()
	for _, j := range s.last.Judged {
		if s.waitedFor(j) && !apart[j.Top] {
			out = append(out, j)
		}
	}
	return out
}

// waitedFor says that one is leaked but for its age, and was born while we
// swept: whoever forks while he is ended leaves such. Those that were there
// before are waited for by a patient sweep: they may be what somebody has just
// killed a build of.
func (s *sweeper) waitedFor(j Judged) bool {
	return j.Young && (s.o.Patient || proc.CPUTime(j.Start+1) > s.began) // the tick in which we began counts
}
