package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"gpuci/kernels/trace"
)

// heldMost is how much of a run's stdout is held for the comparison: more than a program
// prints that somebody reads.
const heldMost = 64 << 20

// heldOutput hands on a program's stdout, and keeps what it was.
type heldOutput struct {
	to  io.Writer
	tty *os.File // `to`, where it is a terminal
	f   *os.File

	mu   sync.Mutex // what runs on in the background may still write
	buf  *bufio.Writer
	left int // that is still held
	cut  bool
	err  error
}

func holdOutput(path string) (*heldOutput, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("hold the output of two runs: %w", err)
	}
	return &heldOutput{f: f, buf: bufio.NewWriter(f), left: heldMost}, nil
}

func (h *heldOutput) Write(b []byte) (int, error) {
	h.hold(b)
	return h.to.Write(b)
}

func (h *heldOutput) hold(b []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	part := b[:min(len(b), h.left)]
	h.left -= len(part)
	h.cut = h.cut || len(part) < len(b)
	if _, err := h.buf.Write(part); err != nil {
		h.err = err // the program runs on
	}
}

// again is what was held, from its beginning. Nothing is from then on.
func (h *heldOutput) again() (r io.Reader, cut bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = 0
	if err := errors.Join(h.err, h.buf.Flush()); err != nil {
		return nil, false, err
	}
	_, err = h.f.Seek(0, io.SeekStart)
	return h.f, h.cut, err
}

// output holds what the two runs printed against each other.
func (p *pair) output() *trace.LinesAB {
	a, cutA, err := p.out[0].again()
	b, cutB, errB := p.out[1].again()
	var l trace.LinesAB
	if err = errors.Join(err, errB); err == nil {
		l, err = trace.CompareLines(a, b)
	}
	if err != nil {
		p.graphs.console.note("the output of the two runs is not compared: " + err.Error())
		return nil
	}
	l.Cut = cutA || cutB
	return &l
}

// half is what one of two runs has otherwise than a run alone.
type half struct {
	out   *heldOutput
	stdin *os.File // nil: ours
}

// open opens the streams: stdout for itself also where ours are one, as it is held.
func (h *half) open(a *app, take func(line []byte, came trace.Came)) (*passing, error) {
	p := &passing{stdin: h.stdin}
	var err error
	if p.stdout, err = p.open(h.out.tty, h.out, take); err != nil {
		return nil, err
	}
	if p.stderr, err = p.open(terminal(a.console.w), a.console, take); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// stdinTwice is a stdin that two programs are to read.
type stdinTwice struct {
	f      *os.File
	offset int64 // of a regular file; -1: it is none
	mode   os.FileMode
}

func stdinOnce(f *os.File) stdinTwice {
	s := stdinTwice{f: f, offset: -1}
	info, err := f.Stat()
	if err != nil {
		return s
	}
	s.mode = info.Mode()
	if s.mode.IsRegular() {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			s.offset = at
		}
	}
	return s
}

// again gives it to the second program: a file from where the first one began, a terminal as
// it is. What comes through a pipe comes once.
func (s stdinTwice) again() (f *os.File, note string, err error) {
	switch {
	case s.offset >= 0:
		if _, err := s.f.Seek(s.offset, io.SeekStart); err != nil {
			return nil, "", fmt.Errorf("read stdin again: %w", err)
		}
		return s.f, "", nil
	case s.mode&os.ModeCharDevice != 0:
		return s.f, "", nil
	}
	f, err = os.Open(os.DevNull)
	return f, "stdin is no file: the first run has read it, the second one has none", err
}
