package trace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// workFile is what the cards did for a process. Its records stand there nearly in the order
// in which the work ended, so that runs of them, each sorted when it is read, come into any
// order by a merge that holds a few at a time: the more, the less orderly they are.
type workFile struct {
	f       *os.File // nil: there is none
	clock   Clock
	runs    []workRun
	cards   []uint16 // that have work, in the order of their numbers
	work    int64
	open    int64 // of it, that had not ended
	untimed int64 // records without times: CUPTI had no memory of the card for them
}

// workRun is a piece of the file.
type workRun struct {
	at    int64
	size  int
	tie   uint32        // the lowest
	start time.Duration // the first, of CUPTI's clock
}

// runSize is how many records a run has: 160 KiB when it is held.
const runSize = 4096

// works opens the file; nil where no times were taken.
func (p *Process) works() (*workFile, error) {
	if !p.Timed.Taken {
		return nil, nil
	}
	f, err := openRegular(p.file + ".device")
	if errors.Is(err, fs.ErrNotExist) {
		return &workFile{}, nil // it was taken away
	}
	if err != nil {
		return nil, err
	}
	w := &workFile{f: f}
	if err := w.look(p.monotonic); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	return w, nil
}

func (w *workFile) close() {
	if w.f != nil {
		_ = w.f.Close()
	}
}

// look goes through whole records once; one that breaks off is that of a process that was
// killed.
func (w *workFile) look(began uint64) error {
	info, err := w.f.Stat()
	if err != nil {
		return err
	}
	var pairs []clockPair
	seen, raw := map[uint16]bool{}, make([]byte, runSize*workSize)
	size := info.Size() - info.Size()%workSize
	for at := int64(0); at < size; at += int64(len(raw)) {
		raw = raw[:min(int64(len(raw)), size-at)]
		if _, err := w.f.ReadAt(raw, at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		run := workRun{at: at, size: len(raw)}
		found := w.work
		for b := raw; len(b) > 0; b = b[workSize:] {
			if b[42] == pair {
				pairs = fewer(append(pairs, pairOf(b)))
				continue
			}
			w.note(b, &run, found == w.work, seen)
		}
		if w.work > found {
			w.runs = append(w.runs, run)
		}
	}
	for card := range seen {
		w.cards = append(w.cards, card)
	}
	slices.Sort(w.cards)
	w.clock = newClock(pairs, began)
	return nil
}

// note takes a record in.
func (w *workFile) note(b []byte, run *workRun, first bool, cards map[uint16]bool) {
	one, ok := workOf(b)
	switch {
	case !ok:
		return
	case one.Start <= 0:
		w.untimed++
		return
	}
	w.work++
	w.open += int64(count(one.End == 0))
	if !cards[one.Card] {
		cards[one.Card] = true
	}
	if first {
		run.tie, run.start = one.Tie, one.Start
	}
	run.tie, run.start = min(run.tie, one.Tie), min(run.start, one.Start)
}

// read reads a run into `into`, on the host's clock.
func (w *workFile) read(run *workRun, raw []byte, into []Work) ([]Work, error) {
	if _, err := w.f.ReadAt(raw[:run.size], run.at); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", w.f.Name(), err)
	}
	for b := raw[:run.size]; len(b) > 0; b = b[workSize:] {
		if one, ok := workOf(b); ok && one.Start > 0 {
			one.place(&w.clock)
			into = append(into, one)
		}
	}
	return into, nil
}
