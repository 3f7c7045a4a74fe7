package trace

import (
	"cmp"
	"fmt"
	"os"
)

// lane are the blocks of one thread, in the order in which it wrote them.
type lane struct {
	thread int // its place among the lanes
	blocks []uint32
	ready  []Event // what is left of what was read last
	held   []Event // the room for it
	tie    uint32  // of the next event
}

// lanes have the one first whose next event is the earliest: it is a heap, as a program may
// have thousands of threads. Of two of one time the thread that began first is.
type lanes []*lane

func (l lanes) before(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].ready[0].At, l[j].ready[0].At), cmp.Compare(l[i].thread, l[j].thread)) < 0
}

// down puts the lane at a place below all that are earlier.
func (l lanes) down(at int) {
	for {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(l); child++ {
			if l.before(child, least) {
				least = child
			}
		}
		if least == at {
			return
		}
		l[at], l[least] = l[least], l[at]
		at = least
	}
}

// blocksReader reads the blocks of a file of events.
type blocksReader struct {
	p   *Process
	f   *os.File
	raw [readAhead * blockSize * eventSize]byte
}

// readAhead is how many blocks that stand side by side are read at once.
const readAhead = 16

// lanes finds whose each block is, by the first event of each, and reads the first ones of
// each thread.
func (r *blocksReader) lanes() (lanes, error) {
	size, err := r.f.Stat()
	if err != nil {
		return nil, err
	}
	n := min(r.p.claimed, uint64(max(0, size.Size()-headSize))/eventSize)
	by, all := map[int]*lane{}, lanes(nil)
	for block := range (n + blockSize - 1) / blockSize {
		one := r.raw[:eventSize]
		if _, err := r.f.ReadAt(one, headSize+int64(block)*blockSize*eventSize); err != nil {
			return nil, err
		}
		e, ok := r.p.decode(one)
		if !ok {
			continue // it was taken, and its thread ended before it wrote
		}
		l := by[e.Thread]
		if l == nil {
			if len(by) >= threadsMax {
				return nil, fmt.Errorf("it has more than %d threads", threadsMax)
			}
			l = &lane{thread: len(by)}
			by[e.Thread], all = l, append(all, l)
		}
		l.blocks = append(l.blocks, uint32(block))
	}
	return r.filled(all)
}

// filled makes a heap of the lanes that have events.
func (r *blocksReader) filled(all lanes) (lanes, error) {
	kept := all[:0]
	for _, l := range all {
		if err := r.refill(l); err != nil {
			return nil, err
		}
		if len(l.ready) > 0 {
			kept = append(kept, l)
		}
	}
	for i := len(kept)/2 - 1; i >= 0; i-- {
		kept.down(i)
	}
	return kept, nil
}

// refill reads the next events of a lane, where it has some.
func (r *blocksReader) refill(l *lane) error {
	const size = blockSize * eventSize
	for len(l.ready) == 0 && len(l.blocks) > 0 {
		together := 1
		for together < min(readAhead, len(l.blocks)) && l.blocks[together] == l.blocks[0]+uint32(together) {
			together++
		}
		if cap(l.held) < together*blockSize {
			l.held = make([]Event, 0, together*blockSize)
		}
		n, err := r.f.ReadAt(r.raw[:together*size], headSize+int64(l.blocks[0])*size)
		if n < eventSize && err != nil {
			return err
		}
		l.blocks, l.ready = l.blocks[together:], l.held[:0]
		for i := 0; i+eventSize <= n; i += eventSize {
			switch e, ok := r.p.decode(r.raw[i:]); {
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
