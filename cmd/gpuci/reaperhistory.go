package main

import (
	"cmp"
	"fmt"
	"time"

	"gpuci/gates"
)

// killHistory writes down what a sweep ended, while it goes on: the disk that the
// records are on can be the very one that the swept ones have stalled.
type killHistory struct {
	state string                // directory of the workspace's records
	lines chan gates.KillRecord // nil before the first one
	done  chan error
	lost  int
}

const (
	// historyQueue is more than one sweep ever ended.
	historyQueue = 1 << 14
	// historyPatience is how long the end of a sweep waits for its history.
	historyPatience = 5 * time.Second
)

func (h *killHistory) add(k gates.KillRecord) {
	if h.lines == nil {
		h.lines, h.done = make(chan gates.KillRecord, historyQueue), make(chan error, 1)
		go h.write()
	}
	select {
	case h.lines <- k:
	default:
		h.lost++
	}
}

// write goes on after a line that could not be written: the next one may be.
func (h *killHistory) write() {
	var first error
	for k := range h.lines {
		first = cmp.Or(first, k.Append(h.state))
	}
	h.done <- first
}

// end waits, a little, until all is written. The error says that it is not.
func (h *killHistory) end(hurry <-chan struct{}) (err error) {
	if h.lines == nil {
		return nil
	}
	close(h.lines)
	slow := fmt.Errorf("write down what was swept: nothing comes back from %s (is its disk stalled?)", h.state)
	select {
	case err = <-h.done:
	case <-time.After(historyPatience):
		err = slow
	case <-hurry:
		err = slow
	}
	if h.lost > 0 {
		err = cmp.Or(err, fmt.Errorf("write down what was swept: %d %s too many at once", h.lost, oneMany(h.lost, "was", "were")))
	}
	return err
}
