package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// State says what came of a process's recording.
type State uint32

// The states.
const (
	Made       State = iota // its file was made, and no more: it used NVTX and never CUDA, or ended while CUPTI was attached
	Attached                // it was recorded
	Refused                 // CUPTI could not be had; Why says why
	Unreadable              // its files cannot be read; Why says why, and PID and Start are those of their name
)

// Process is what is known of one that used CUDA.
type Process struct {
	PID     int       `json:"pid"`
	Parent  int       `json:"parent"`
	Start   uint64    `json:"start"` // ticks since the boot
	Command string    `json:"command"`
	Began   time.Time `json:"began"` // when it first used CUDA
	State   State     `json:"state"`
	Why     string    `json:"why,omitempty"`   // of Refused and Unreadable; else what was lost of what was recorded, as on a full disk
	Error   int       `json:"error,omitempty"` // CUPTI's, of Refused
	CUPTI   int       `json:"cupti,omitempty"` // its version, 130001 for 13.0.1
	Driver  int       `json:"driver,omitempty"`
	Dropped uint64    `json:"dropped,omitempty"` // events for which there was no room
	Timed   Timed     `json:"timed,omitzero"`    // whether times of the card were taken
	// Clean says that it ended by itself, by exit or from main; not by a signal.
	Clean bool `json:"clean"`

	file      string // without its ending
	monotonic uint64 // at Began, ns
	claimed   uint64 // events
}

const (
	magic      = "gpuciTR1"
	headSize   = 4096
	eventSize  = 32
	blockSize  = 64 // events that one thread wrote, one after the other
	whySize    = 256
	threadsMax = 1 << 16
)

// rawHead is Head of inject/record.h.
type rawHead struct {
	Magic                     [8]byte
	Head, Event, PID, Parent  uint32
	Start, Monotonic, Real    uint64
	CUPTI, Driver, State      uint32
	Error                     int32
	Claimed, Dropped, EndedAt uint64
	Why                       [whySize]byte
	Command                   [64]byte
	Timed                     uint32
	TimedError                int32
	Unsaid, Unwritten         uint64
	TimedWhy                  [128]byte
}

// errNotBegun is of a file whose process was killed, or found the disk full, while it made
// it: nothing was recorded.
var errNotBegun = errors.New("read its head: it was not written")

// readHead reads the first bytes of an events file.
func readHead(r io.Reader) (Process, error) {
	var h rawHead
	err := binary.Read(r, binary.LittleEndian, &h)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && h.Magic == [8]byte{} {
		return Process{}, errNotBegun
	}
	if err != nil {
		return Process{}, fmt.Errorf("read its head: %w", err)
	}
	if string(h.Magic[:]) != magic || h.Head != headSize || h.Event != eventSize || State(h.State) > Refused {
		return Process{}, fmt.Errorf("it begins with %q and events of %d bytes: not a recording of this gpuci", h.Magic, h.Event)
	}
	return Process{
		PID: int(h.PID), Parent: int(h.Parent), Start: h.Start, Command: text(h.Command[:]),
		Began: time.Unix(0, int64(h.Real)), State: State(h.State), Why: text(h.Why[:]), Error: int(h.Error),
		CUPTI: int(h.CUPTI), Driver: int(h.Driver), Dropped: h.Dropped, Clean: h.EndedAt != 0,
		Timed:     Timed{Asked: h.Timed != 0, Taken: h.Timed == 1, Why: text(h.TimedWhy[:]), Error: int(h.TimedError), Dropped: h.Unsaid, Unwritten: h.Unwritten},
		monotonic: h.Monotonic, claimed: h.Claimed,
	}, nil
}

// counted says whether there is something of it to count.
func (p *Process) counted() bool { return p.State != Refused && p.State != Unreadable }

func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(bytes.ToValidUTF8(b, []byte("?")))
}
