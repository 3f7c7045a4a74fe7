package trace

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
)

// Kind is what a program asked for.
type Kind uint8

// The kinds, in the numbers of inject/record.h.
const (
	Launch      Kind = iota + 1 // of a kernel
	GraphLaunch                 // of a graph
	Copy
	Set
	Sync // a call that waits for the card
	Alloc
	Release
	Capture // the beginning or the end of one
	Instantiate
	Handle // of a module, a library or a function
	Push   // NVTX: a range of a thread begins
	Pop
	Open // NVTX: a range of the process begins
	Close
	Mark
	Place // of the copy, set or allocation that is its thread's event before it
	tie   // which work of a card the thread's next event has asked for
	kinds
)

// Flags are what is special about an event.
type Flags uint8

// The flags.
const (
	Failed   Flags = 1 << iota // the call gave an error
	Captured                   // recorded into a graph, and not run
	Unsized                    // how many bytes is not known
	Pooled                     // memory of a pool, in the order of a stream
)

// Event is one call.
type Event struct {
	At     time.Duration // entry of the call, since Process.Began
	Took   time.Duration // 4.3 s for all that is longer
	Kind   Kind
	Flags  Flags
	Thread int    // of the process, from 1
	Name   uint32 // of [Names]; 0: none
	Value  uint64 // bytes; the stream of a launch; the number of a range; an address
	Tie    uint32 // what [Work] of a card was asked for; 0: no times of the card were taken, or it has none
	Other  uint32 // the number of an allocation, from 1; of a capture's end its graph; the context of others
}

// decode reads an event; false of one that was not written.
func (p *Process) decode(b []byte) (e Event, ok bool) {
	le := binary.LittleEndian
	e = Event{
		At: time.Duration(le.Uint64(b) - p.monotonic), Took: time.Duration(le.Uint32(b[8:])), Name: le.Uint32(b[12:]),
		Value: le.Uint64(b[16:]), Other: le.Uint32(b[24:]), Thread: int(le.Uint16(b[28:])), Flags: Flags(b[30]), Kind: Kind(b[31]),
	}
	return e, e.Kind > 0 && e.Kind < kinds
}

// lane are the blocks of one thread, in the order in which it wrote them.
type lane struct {
	blocks []uint32
	ready  []Event // what is left of what was read last
	held   []Event // the room for it
	raw    []byte
	tie    uint32 // of the next event
}

// readAhead is how many blocks that stand side by side are read at once.
const readAhead = 16

// Events gives all events of the process in the order of their calls' entry, but for those
// of calls within calls, and no more than a block of each thread is held. It ends early
// when each returns false.
func (p *Process) Events(each func(Event) bool) error {
	f, err := os.Open(p.file + ".events")
	if err != nil {
		return err
	}
	defer f.Close()
	lanes, err := p.lanes(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Name(), err)
	}
	for {
		next, at := -1, time.Duration(math.MaxInt64)
		for i, l := range lanes {
			if len(l.ready) == 0 {
				if err := p.refill(f, l); err != nil {
					return fmt.Errorf("read %s: %w", f.Name(), err)
				}
			}
			if len(l.ready) > 0 && l.ready[0].At < at {
				next, at = i, l.ready[0].At
			}
		}
		if next < 0 {
			return nil
		}
		e := lanes[next].ready[0]
		lanes[next].ready = lanes[next].ready[1:]
		if len(lanes[next].ready) == 0 && len(lanes[next].blocks) == 0 {
			lanes = slices.Delete(lanes, next, next+1)
		}
		if !each(e) {
			return nil
		}
	}
}

// lanes finds whose each block is: one pass over the first event of each.
func (p *Process) lanes(f *os.File) ([]*lane, error) {
	size, err := f.Stat()
	if err != nil {
		return nil, err
	}
	n := min(p.claimed, uint64(max(0, size.Size()-headSize))/eventSize)
	by, order := map[int]*lane{}, []*lane(nil)
	var one [eventSize]byte
	for block := range (n + blockSize - 1) / blockSize {
		if _, err := f.ReadAt(one[:], headSize+int64(block)*blockSize*eventSize); err != nil {
			return nil, err
		}
		e, ok := p.decode(one[:])
		if !ok {
			continue // it was taken, and its thread ended before it wrote
		}
		l := by[e.Thread]
		if l == nil {
			if len(by) >= threadsMax {
				return nil, fmt.Errorf("it has more than %d threads", threadsMax)
			}
			l = &lane{}
			by[e.Thread], order = l, append(order, l)
		}
		l.blocks = append(l.blocks, uint32(block))
	}
	return order, nil
}

func (p *Process) refill(f *os.File, l *lane) error {
	const size = blockSize * eventSize
	for len(l.ready) == 0 && len(l.blocks) > 0 {
		together := 1
		for together < min(readAhead, len(l.blocks)) && l.blocks[together] == l.blocks[0]+uint32(together) {
			together++
		}
		if len(l.raw) < together*size {
			l.raw, l.held = make([]byte, together*size), make([]Event, 0, together*blockSize)
		}
		n, err := f.ReadAt(l.raw[:together*size], headSize+int64(l.blocks[0])*size)
		if n < eventSize && err != nil {
			return err
		}
		l.blocks, l.ready = l.blocks[together:], l.held[:0]
		for i := 0; i+eventSize <= n; i += eventSize {
			switch e, ok := p.decode(l.raw[i:]); {
			case ok && e.Kind == tie:
				l.tie = e.Other
			case ok:
				e.Tie, l.tie = l.tie, 0
				l.ready = append(l.ready, e)
			}
		}
	}
	return nil
}
