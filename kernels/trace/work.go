package trace

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"
)

// Timed says whether the times of the card were taken, and what of them is missing.
type Timed struct {
	Asked     bool   `json:"asked"`
	Taken     bool   `json:"taken"`
	Why       string `json:"why,omitempty"` // they were not, or not all were written
	Error     int    `json:"error,omitempty"`
	Dropped   uint64 `json:"dropped,omitempty"`   // records that CUPTI had no room for
	Unwritten uint64 `json:"unwritten,omitempty"` // records that the disk had no room for
}

// Work is something that a card did: a kernel, a graph as a whole, a copy, a set.
type Work struct {
	Start, End time.Duration // since Process.Began, on the host's clock; End is below Start where it had not ended
	Tie        uint32        // [Event.Tie] of the call that asked for it
	Stream     uint32        // CUPTI's number
	Name       uint32        // of [Names.Symbols], of a kernel
	Card       uint16
	Kind       Kind
	Way        Way // of a copy
	tied       bool
}

// Ended says that the card was done with it when the recording ended.
func (w *Work) Ended() bool { return w.End >= w.Start }

// Way is where a copy goes, as CUPTI numbers it.
type Way uint8

var ways = []string{0: "copy", 1: "copy to the card", 2: "copy to the host", 8: "copy on the card", 9: "copy on the host", 10: "copy between cards"}

func (w Way) String() string {
	if int(w) < len(ways) && ways[w] != "" {
		return ways[w]
	}
	return ways[0]
}

// worked is all that the cards did for a process, in the order of its ties. It is held as a
// whole: some 60 bytes for each.
type worked struct {
	work    []Work
	clock   Clock
	untimed int64 // records without times: CUPTI had no memory of the card for them
	hint    int   // where the last tie was
}

const (
	workSize = 48
	pair     = 32 // the kind of a record that has both clocks
)

// works reads the file; nil where no times were taken.
func (p *Process) works() (*worked, error) {
	if !p.Timed.Taken {
		return nil, nil
	}
	f, err := openRegular(p.file + ".device")
	if errors.Is(err, fs.ErrNotExist) {
		return &worked{}, nil // it was taken away
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := &worked{}
	if info, err := f.Stat(); err == nil {
		w.work = make([]Work, 0, info.Size()/workSize)
	}
	pairs, err := w.read(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	w.place(newClock(pairs, p.monotonic))
	return w, nil
}

// read takes whole records; one that breaks off is that of a process that was killed. The
// times are CUPTI's still.
func (w *worked) read(r io.Reader) (pairs []clockPair, err error) {
	raw := make([]byte, 4096*workSize)
	for {
		n, err := io.ReadFull(r, raw)
		for b := raw[:n-n%workSize]; len(b) > 0; b = b[workSize:] {
			if b[42] == pair {
				pairs = append(pairs, pairOf(b))
				continue
			}
			w.take(b)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return pairs, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (w *worked) take(b []byte) {
	le := binary.LittleEndian
	one := Work{
		Start: time.Duration(le.Uint64(b)), End: time.Duration(le.Uint64(b[8:])), Tie: le.Uint32(b[24:]), Stream: le.Uint32(b[32:]),
		Name: le.Uint32(b[36:]), Card: le.Uint16(b[40:]), Kind: Kind(b[42]), Way: Way(b[43]),
	}
	switch {
	case one.Kind < Launch || one.Kind > Set:
	case one.Start <= 0:
		w.untimed++
	default:
		w.work = append(w.work, one)
	}
}

// place moves all to the host's clock.
func (w *worked) place(c Clock) {
	w.clock = c
	for i := range w.work {
		one := &w.work[i]
		start, end := c.host(one.Start), c.host(one.End)
		if one.End == 0 {
			end = start - 1
		} else {
			end = max(start, end)
		}
		one.Start, one.End = start, end
	}
	slices.SortFunc(w.work, func(a, b Work) int { return cmp.Or(cmp.Compare(a.Tie, b.Tie), cmp.Compare(a.Start, b.Start)) })
}
