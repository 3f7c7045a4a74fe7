package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"gpuci/buildlock/beside"
	"gpuci/reaper/proc"
)

// looksPerLook is how often the processes are looked at within one look, beside
// its beginning. One that writes with fsync is in D for the most part and not
// always: two looks would miss it now and then.
const looksPerLook = 4

// sampling is what several looks at all processes saw.
type sampling struct {
	root        proc.Root
	began, at   time.Time // of the first look and of the last one
	first, last proc.Picture
	io          map[sampled]sampledIO // as of the first look
	seenInD     map[sampled]int       // at how many looks
	looks       int
}

// sampled tells two bearers of one pid apart.
type sampled struct {
	pid   int
	start uint64
}

type sampledIO struct {
	proc.IO
	at time.Time
}

func sampledOf(s proc.Stat) sampled { return sampled{s.PID, s.Start} }

// startSampling takes the first look, with what each process has read and
// written so far: which ones will be in D is not known yet.
func startSampling(root proc.Root) (*sampling, error) {
	s := &sampling{root: root, began: time.Now(), io: make(map[sampled]sampledIO), seenInD: make(map[sampled]int)}
	if err := s.scan(); err != nil {
		return nil, err
	}
	s.first = s.last
	for pid, stat := range s.first.Table {
		if stat.Kernel {
			continue
		}
		if io, err := root.IO(pid); err == nil {
			s.io[sampledOf(stat)] = sampledIO{io, time.Now()}
		}
	}
	return s, nil
}

// watch takes the other looks, the last one at the end of the time.
func (s *sampling) watch(ctx context.Context, long time.Duration) error {
	began := time.Now()
	for i := range looksPerLook {
		next := time.Until(began.Add(long * time.Duration(i+1) / looksPerLook))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(next):
		}
		if err := s.scan(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sampling) scan() (err error) {
	if s.last, err = s.root.Scan(proc.ScanOptions{UID: true}); err != nil {
		return err
	}
	s.at = time.Now()
	s.looks++
	for _, stat := range s.last.Table {
		if stat.State == 'D' {
			s.seenInD[sampledOf(stat)]++
		}
	}
	return nil
}

// stuckProcess is a process that was in D.
type stuckProcess struct {
	proc.Stat
	uid   int // who owns it, -1 when that cannot be told
	inD   int // at how many looks
	age   time.Duration
	waits string // wait channel in the kernel, "" when unknown
	other bool   // what it waits for is not the disk
	link  bool   // it compiles or links
	rates *ioRates
	noIO  string // why those are not known
	where seat
}

// cpu is what its own threads have used so far.
func (s stuckProcess) cpu() time.Duration { return proc.CPUTime(s.CPU) }

// ioRates are bytes a second from and to storage over the look.
type ioRates struct{ read, written float64 }

// inD lists the processes that were in D at any look and live at the last one,
// the oldest first, and the threads of the kernel apart.
func (s *sampling) inD() (list, kernel []stuckProcess) {
	for _, stat := range s.last.Table {
		n := s.seenInD[sampledOf(stat)]
		switch {
		case n == 0, stat.Zombie():
		case stat.Kernel:
			kernel = append(kernel, stuckProcess{Stat: stat, uid: -1, inD: n})
		default:
			list = append(list, s.stuck(stat, n))
		}
	}
	slices.SortFunc(list, func(a, b stuckProcess) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), a.PID-b.PID)
	})
	slices.SortFunc(kernel, func(a, b stuckProcess) int { return cmp.Or(cmp.Compare(a.Comm, b.Comm), a.PID-b.PID) })
	return list, kernel
}

func (s *sampling) stuck(stat proc.Stat, n int) stuckProcess {
	out := stuckProcess{Stat: stat, uid: -1, inD: n, age: s.root.Age(stat)}
	if uid, ok := s.last.UID[stat.PID]; ok {
		out.uid = int(uid)
	}
	out.waits, _ = s.root.WaitChannel(stat.PID)
	out.other = beside.NotDisk(s.root, stat.PID)
	out.link = isFamily(s.last.Table, stat)
	out.rates, out.noIO = s.rates(stat)
	return out
}

// noIORight is the reason that another user's process has no rates.
const noIORight = "not ours to read"

// rates compares what a process has read and written by now with the first look.
func (s *sampling) rates(stat proc.Stat) (rates *ioRates, why string) {
	now, err := s.root.IO(stat.PID)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, noIORight
	case errors.Is(err, proc.ErrGone):
		return nil, "it has ended"
	case err != nil:
		return nil, err.Error()
	}
	before, ok := s.io[sampledOf(stat)]
	switch {
	case ok:
	case s.first.Table[stat.PID].Start == stat.Start:
		return nil, "they could not be read at first"
	default: // it was started since: all of it is of this look
		before.at = s.began
	}
	seconds := time.Since(before.at).Seconds()
	if seconds <= 0 || now.Fetched < before.Fetched || now.Sent < before.Sent {
		return nil, "its counters went back"
	}
	return &ioRates{float64(now.Fetched-before.Fetched) / seconds, float64(now.Sent-before.Sent) / seconds}, ""
}
