package trace

import (
	"context"
	"encoding/binary"
	"fmt"
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
	alter // of a graph: its kernels are not those of its capture any more
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

// asksEvery is how many events are read before it is asked whether to go on: some
// milliseconds' worth.
const asksEvery = 1 << 14

// Events gives all events of the process in the order of their calls' entry, but for those
// of calls within calls, and no more than some blocks of each thread are held. It ends early
// when each returns false, and with the cause of ctx where that is over.
func (p *Process) Events(ctx context.Context, each func(Event) bool) error {
	f, err := openRegular(p.file + ".events")
	if err != nil {
		return err
	}
	defer f.Close()
	r := &blocksReader{p: p, f: f}
	list, err := r.lanes()
	for seen := 0; err == nil && len(list) > 0; {
		first := list[0]
		e := first.ready[0]
		first.ready = first.ready[1:]
		if err = r.refill(first); len(first.ready) == 0 {
			list[0] = list[len(list)-1]
			list = list[:len(list)-1]
		}
		if len(list) > 1 {
			list.down(0)
		}
		if !each(e) {
			return nil
		}
		if seen++; seen%asksEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Name(), err)
	}
	return nil
}
