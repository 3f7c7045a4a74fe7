package trace

import (
	"encoding/binary"
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

const (
	workSize = 48
	pair     = 32 // the kind of a record that has both clocks
)

// workOf reads a record, whose times are CUPTI's; false of one that is no work of ours.
func workOf(b []byte) (w Work, ok bool) {
	le := binary.LittleEndian
	w = Work{
		Start: time.Duration(le.Uint64(b)), End: time.Duration(le.Uint64(b[8:])), Tie: le.Uint32(b[24:]), Stream: le.Uint32(b[32:]),
		Name: le.Uint32(b[36:]), Card: le.Uint16(b[40:]), Kind: Kind(b[42]), Way: Way(b[43]),
	}
	return w, w.Kind >= Launch && w.Kind <= Set
}

// place moves it to the host's clock.
func (w *Work) place(c *Clock) {
	start, end := c.host(w.Start), time.Duration(0)
	if w.End == 0 {
		end = start - 1
	} else {
		end = max(start, c.host(w.End))
	}
	w.Start, w.End = start, end
}
