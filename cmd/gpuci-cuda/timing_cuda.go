//go:build cuda && cgo && linux

package main

import (
	"bytes"

	"gorgonia.org/cu"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// maxEach is how many launches a job may have for each of them to be timed by itself:
// events between a hundred small ones would be what is timed.
const maxEach = 16

// timed runs the job again and again, each time on the next set of buffers, of which all
// outputs are poisoned before, and tells what each phase took. After the last sample
// every set must hold the first run's bits: a time of what was not computed is none.
func timed(w *writer, t cuda.Timing, job launch.Job, entries []entry, first *set, want map[string][]byte) error {
	sets, extra := []*set{first}, &memory{}
	for range t.Copies - 1 {
		s, err := extra.set(job)
		if err != nil {
			return err
		}
		sets = append(sets, s)
	}
	parts := [][]part{phases(job)}
	if len(job.Launches) <= maxEach && len(job.Launches) > 1 {
		parts = append(parts, each(job))
	}
	for _, list := range parts {
		times, err := sample(t, job, entries, sets, list)
		if err != nil {
			return err
		}
		for _, one := range times {
			w.answer(cuda.Answer{Type: "times", Times: &one})
		}
	}
	equal, err := recheck(job, sets[:min(len(sets), t.Samples+t.WarmUps)], want)
	if err != nil {
		return err
	}
	w.answer(cuda.Answer{Type: "rechecked", Equal: &equal})
	for _, s := range sets[1:] {
		if err := s.free(); err != nil {
			return err
		}
	}
	if t.Copy == 0 {
		return nil
	}
	return copied(w, t)
}

// part is launches next to each other that are timed together.
type part struct {
	phase, kernel string
	from, to      int
}

// phases are the parts of a job by phase.
func phases(job launch.Job) (list []part) {
	for i, l := range job.Launches {
		if n := len(list); n == 0 || list[n-1].phase != l.Phase {
			list = append(list, part{phase: l.Phase, from: i})
		}
		list[len(list)-1].to = i + 1
	}
	return list
}

// each is every launch by itself.
func each(job launch.Job) (list []part) {
	for i, l := range job.Launches {
		list = append(list, part{l.Phase, l.Kernel, i, i + 1})
	}
	return list
}

// sample times the parts as often as asked for, behind the runs that warm up.
func sample(t cuda.Timing, job launch.Job, entries []entry, sets []*set, parts []part) ([]cuda.Times, error) {
	times := make([]cuda.Times, len(parts))
	for i, p := range parts {
		times[i] = cuda.Times{Phase: p.phase, Kernel: p.kernel}
	}
	events := make([]cu.Event, len(parts)+1)
	for i := range events {
		var err error
		if events[i], err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return nil, told(err, "make an event")
		}
		defer func() { _ = cu.DestroyEvent(&events[i]) }()
	}
	for n := range t.WarmUps + t.Samples {
		on := sets[n%len(sets)]
		if err := on.again(); err != nil {
			return nil, err
		}
		if err := runParts(job, entries, on, parts, events); err != nil {
			return nil, err
		}
		for i := range parts {
			ms, err := events[i].Elapsed(events[i+1])
			if err != nil {
				return nil, told(err, "read the time of %s", parts[i].phase)
			}
			if n >= t.WarmUps {
				times[i].Samples = append(times[i].Samples, ms)
			}
		}
	}
	return times, nil
}

// again makes a set as it was before a run: outputs poisoned, everything else filled. The
// card is still at it while the launches are queued, so that none waits for the host.
func (s *set) again() error {
	for _, a := range s.list {
		if a.bits != nil && a.buffer.Role == launch.Input {
			continue
		}
		if a.bits != nil {
			if err := s.fill(a); err != nil {
				return err
			}
			continue
		}
		if err := told(cu.MemsetD32Async(a.data, poison, int64(a.buffer.Count), cu.NoStream), "poison %s", a.buffer.Name); err != nil {
			return err
		}
	}
	return nil
}

// runParts launches all parts with an event before each and one at the end.
func runParts(job launch.Job, entries []entry, on *set, parts []part, events []cu.Event) error {
	s := stream{}
	for i, p := range parts {
		if err := told(events[i].Record(cu.NoStream), "record an event"); err != nil {
			return err
		}
		for n := p.from; n < p.to; n++ {
			if err := s.launch(job.Launches[n], entries[n], on); err != nil {
				return err
			}
		}
	}
	last := events[len(parts)]
	if err := told(last.Record(cu.NoStream), "record an event"); err != nil {
		return err
	}
	return told(last.Synchronize(), "run %s", kernels(job))
}

// recheck counts the sets whose buffers have the first run's bits.
func recheck(job launch.Job, sets []*set, want map[string][]byte) (equal int, err error) {
	for _, s := range sets {
		same := true
		for _, a := range s.list {
			if a.buffer.Role == launch.Input {
				continue
			}
			bits, err := read(a.data, a.size(), a.buffer.Name)
			if err != nil {
				return 0, err
			}
			same = same && bytes.Equal(bits, want[a.buffer.Name])
		}
		if same {
			equal++
		}
	}
	return equal, nil
}
