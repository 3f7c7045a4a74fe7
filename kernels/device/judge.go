package device

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/reaper/proc"
)

// Mine says whether a pid of ours is meant: a process of the caller's gate. It is
// also asked of pids that /proc has no more, so that a caller who remembers his
// dead children can say yes; a nil Mine says no. It must be safe to call from
// another goroutine, and quick: it is asked ten times a second.
type Mine func(pid int) bool

// Around is what Judge reads beside the driver's answer. The zero value is this
// machine.
type Around struct {
	Proc     proc.Root // "" is /proc
	Root     string    // under which dev/nvidia* and proc/driver/nvidia are; "" is /. For tests
	Harmless []string  // more names of programs that may have a device file open

	people *people
	lists  bool // the quick look: who has device files open is not looked for
}

// Allowance is how many bytes may be in use on a card with no owner before it is
// Unknown. An idle H200 has about 0 beside what the driver reserves, others up to
// some MiB for a console or for page tables; the smallest context takes about
// 100 MiB (on an H200 500), so that none hides below it.
const Allowance = 64 << 20

// Judge says what a driver's answer means here and now. It reads /proc, and
// nothing else.
func Judge(raw Raw, mine Mine, around Around) Look {
	j := &judging{Around: around, mine: mine, raw: raw}
	if mine == nil {
		j.mine = func(int) bool { return false }
	}
	if j.people == nil {
		j.people = newPeople()
	}
	l := Look{At: raw.At, Source: raw.Source, Driver: raw.Driver, CUDA: raw.CUDA, Silent: raw.Failed, Raw: raw, quick: j.lists}
	j.max = j.pidMax()
	var errs []map[string]string
	for _, c := range raw.Cards {
		if !c.MIG {
			l.Cards, errs = append(l.Cards, j.card(c, nil)), append(errs, c.Errors)
		}
		for i := range c.Instances {
			l.Cards, errs = append(l.Cards, j.card(c, &c.Instances[i])), append(errs, c.Errors)
		}
	}
	if raw.Failed != "" {
		return l
	}
	if !j.lists { // after the lists were held against /proc, for this takes a while
		j.open, _ = j.openers()
	}
	for i := range l.Cards {
		s := &l.Cards[i]
		j.evidence(s)
		s.State, s.Why = j.state(s, errs[i])
	}
	return l
}

// judging is one Judge.
type judging struct {
	Around
	mine Mine
	raw  Raw
	max  int
	open []opener
}

// card finds who is on a card, or on an instance of it.
func (j *judging) card(c RawCard, in *RawInstance) Seen {
	s := Seen{Card: j.identity(c, in), Sample: c.sample(in)}
	if j.raw.Failed != "" {
		s.Why = "the driver gave no answer: " + j.raw.Failed
		return s
	}
	for _, p := range merge(c.Processes, in) {
		q, own := j.process(p, s.Minor)
		if own {
			s.Own = append(s.Own, q)
		} else {
			s.Foreign = append(s.Foreign, q)
		}
	}
	s.Unowned = s.unowned()
	return s
}

func (j *judging) identity(c RawCard, in *RawInstance) Card {
	k := Card{
		UUID: c.UUID, Name: c.Name, Index: c.Index, Minor: int(c.Minor.Or(-1)), Bus: c.Bus,
		Major: int(c.Major.Or(0)), MinorCC: int(c.MinorCC.Or(0)), Driver: j.raw.Driver, CUDA: j.raw.CUDA,
	}
	m := c.Memory
	if in != nil {
		k.UUID, k.Parent, k.Instance, m = in.UUID, c.UUID, fmt.Sprintf("gi %d ci %d", in.GI, in.CI), in.Memory
		k.Name = cmp.Or(in.Name, c.Name)
	}
	k.Memory, k.Reserved, k.Used, k.Free = m.Total, m.Reserved, m.Used, m.Free
	k.Free.Value = max(0, k.Free.Value) // drivers have told less than nothing
	return k
}

// sample is what the card does; of an instance the driver tells no utilization,
// and the clocks are those of the whole card.
func (c RawCard) sample(in *RawInstance) Sample {
	n, m := c.Now, c.Memory
	if in != nil {
		n.Util, n.MemoryUtil, m = Reading{}, Reading{}, in.Memory
	}
	return Sample{
		Util: n.Util, MemoryUtil: n.MemoryUtil, Used: m.Used, Free: m.Free, SM: n.SM, SMMax: n.SMMax, Mem: n.Mem, MemMax: n.MemMax,
		Temperature: n.Temperature, Power: n.Power, Throttle: slowed(n.Throttle),
	}
}

// merge makes one of a process that is in several lists, of those that are on the
// card or on that instance. One of which the driver does not say on which instance
// it is counts for each.
func merge(list []RawProcess, in *RawInstance) (merged []RawProcess) {
	for _, p := range list {
		if in != nil && (p.GI.Known && p.GI.Value != int64(in.GI) || p.CI.Known && p.CI.Value != int64(in.CI)) {
			continue
		}
		i := slices.IndexFunc(merged, func(q RawProcess) bool { return q.PID == p.PID })
		if i < 0 {
			merged = append(merged, p)
			continue
		}
		q := &merged[i]
		if !slices.Contains(strings.Split(string(q.Kind), "+"), string(p.Kind)) {
			q.Kind += "+" + p.Kind
		}
		if p.Memory.Known && p.Memory.Value > q.Memory.Or(-1) {
			q.Memory = p.Memory // both lists tell all of it
		}
	}
	return merged
}

// What makes a process not Valid. The first says that it may have just died.
const (
	whyGone = "/proc has no such process: it has just died, or the driver's pids are not ours (a container)"
	whyHigh = "its pid is higher than any that this kernel gives: the driver's pids are not ours (a container)"
	whyNone = "the driver gives it no pid"
	whyFile = "that process has not the card's device file open: the driver's pids are not ours (a container)"
	whySeen = "whether that process has the card's device file open is not ours to see"
)

// process finds a listed process in /proc. It is ours when the caller says so and
// it has the device file open: in a container the driver's number can be that of
// somebody outside, and one of ours in here.
func (j *judging) process(p RawProcess, minor int) (Process, bool) {
	q := Process{PID: p.PID, UID: -1, Command: p.Name, Memory: p.Memory, Kind: p.Kind}
	switch {
	case p.PID <= 0:
		q.Why = whyNone
		return q, false
	case j.max > 0 && p.PID > j.max:
		q.Why = whyHigh
		return q, false
	}
	stat, err := j.proc().Stat(p.PID)
	if err != nil {
		q.Why = whyGone
		if !errors.Is(err, proc.ErrGone) {
			q.Why = err.Error()
		}
		return q, false
	}
	mine := j.mine(p.PID)
	holds, known, err := j.holding(p.PID, j.deviceFile(minor))
	if err != nil || stat.Zombie() && !holds {
		q.Why = whyGone
		return q, false
	}
	q = j.people.describe(j.proc(), stat, mine && holds)
	q.Memory, q.Kind, q.Holds = p.Memory, p.Kind, holds
	switch {
	case known && !holds:
		q.Why = whyFile
	case mine && !known:
		q.Why = whySeen
	default:
		q.Valid = true
	}
	return q, mine && q.Valid
}

// unowned is what is in use less what the processes have. The driver tells them
// one after the other, and may tell more for the processes than there is in use.
func (s Seen) unowned() Reading {
	rest := s.Used
	for _, p := range slices.Concat(s.Own, s.Foreign) {
		if !p.Memory.Known || !rest.Known {
			return Reading{}
		}
		rest.Value -= p.Memory.Value
	}
	rest.Value = max(0, rest.Value)
	return rest
}
