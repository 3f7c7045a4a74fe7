//go:build cuda && cgo && linux

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"gorgonia.org/cu"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// serve reads one request and answers it. All memory of the card is given back.
func serve(from io.Reader, w *writer) error {
	r, err := cuda.ReadRequest(from)
	if err != nil {
		return &cuda.Error{Code: cuda.BadJob, Text: err.Error()}
	}
	var job launch.Job
	if !r.Ask || r.Version != cuda.Version {
		if job, err = r.Job(); err != nil {
			return &cuda.Error{Code: cuda.BadJob, Text: err.Error()}
		}
	}
	c, err := open()
	if err != nil {
		return err
	}
	defer c.close()
	w.answer(cuda.Answer{Type: "device", Device: &c.device})
	if r.Ask {
		return nil
	}
	m, err := c.load(r.Cubins)
	if err != nil {
		return err
	}
	entries, err := m.entries(c, job.Launches)
	if err != nil {
		return err
	}
	return runOn(w, r, job, entries)
}

// runOn runs the job once for its results, and then as often as times are asked for.
func runOn(w *writer, r cuda.Request, job launch.Job, entries []entry) error {
	memory := &memory{bare: r.Bare}
	first, err := memory.set(job)
	if err != nil {
		return err
	}
	s := stream{}
	err = s.once(job, entries, first)
	for _, count := range s.counts {
		w.answer(cuda.Answer{Type: "launched", Count: &count})
	}
	if err != nil {
		return err
	}
	now := memory.now
	findings, results, err := first.look()
	if err != nil {
		return err
	}
	for _, f := range findings {
		w.answer(cuda.Answer{Type: "finding", Finding: &f})
	}
	for _, b := range job.Buffers {
		if slices.Contains(r.Return, b.Name) || len(r.Return) == 0 && b.Role != launch.Input {
			w.answer(cuda.Answer{Type: "buffer", Buffer: &cuda.Buffer{Name: b.Name, Count: b.Count, Role: b.Role, Bits: results[b.Name]}})
		}
	}
	told := cuda.Memory{Allocations: memory.allocations, Bytes: now, High: memory.high}
	if r.Timing != nil {
		if err := timed(w, *r.Timing, job, entries, first, results); err != nil {
			return err
		}
	}
	if err := first.free(); err != nil {
		return err
	}
	told.Left = memory.now
	w.answer(cuda.Answer{Type: "memory", Memory: &told})
	return nil
}

// stream launches, and counts what it launched.
type stream struct {
	counts []launch.Count // in the order in which each was first launched
}

// once runs all launches and waits for their end.
func (s *stream) once(job launch.Job, entries []entry, on *set) error {
	for i, l := range job.Launches {
		if err := s.launch(l, entries[i], on); err != nil {
			return err
		}
	}
	return told(cu.Synchronize(), "run %s", kernels(job))
}

func (s *stream) launch(l launch.Launch, e entry, on *set) error {
	err := e.function.Launch(l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2], l.Shared, cu.NoStream, on.arguments(l))
	if err != nil {
		return told(err, "launch %s with grid %v, block %v and %d bytes of shared memory", l.Kernel, l.Grid, l.Block, l.Shared)
	}
	i := slices.IndexFunc(s.counts, func(c launch.Count) bool { return c.Phase == l.Phase && c.Kernel == l.Kernel })
	if i < 0 {
		s.counts = append(s.counts, launch.Count{Phase: l.Phase, Kernel: l.Kernel})
		i = len(s.counts) - 1
	}
	s.counts[i].Times++
	return nil
}

// kernels are the names of a job's kernels, for messages.
func kernels(job launch.Job) string {
	names := map[string]bool{}
	for _, l := range job.Launches {
		names[l.Kernel] = true
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(names)))
}
