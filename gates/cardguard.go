package gates

import (
	"context"
	"sync"
	"time"

	"gpuci/kernels/device"
)

// crowded is why a run is ended that is not alone on its card: the other one comes first.
type crowded struct{ why string }

func (c crowded) Error() string { return c.why }

// guard ends a run that must not go on beside somebody who was there first, or whom
// nobody may disturb.
type guard struct {
	cards  *Cards
	uuids  []string
	share  bool
	beside bool // somebody was there when it began
	stop   context.CancelCauseFunc

	mu     sync.Mutex
	last   device.Look        // the last one that was answered
	room   time.Time          // when the memory that is free was told last
	known  map[[2]uint64]bool // pids and starts of those who were on the cards beside us
	others bool               // somebody is there, by the last look
	odd    map[string]odd     // cards of which it cannot be told whether we are alone
	came   []cameOn           // those for which the run was ended
	closed bool               // the run is over, so that there is nothing to end
	why    string             // why what it gave does not stand
	doubts int                // looks in a row in which the rules could not be held against the processes
	doubt  string

	ask    chan struct{} // somebody new is there
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// guardEvery is how often the rules are held against the processes, which takes some
// hundredths of a second of one processor; beside that when somebody comes.
const guardEvery = 5 * time.Second

func newGuard(c *onCards, use *CardUse, stop context.CancelCauseFunc) *guard {
	g := &guard{
		cards: c.Cards, uuids: use.UUIDs, share: c.share, beside: len(use.Shared) > 0, stop: stop,
		room: time.Now(), known: make(map[[2]uint64]bool), odd: make(map[string]odd), ask: make(chan struct{}, 1),
	}
	ctx, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	if len(c.Rules) > 0 {
		g.done.Go(func() { g.follow(ctx) })
	}
	return g
}

// follow asks again and again. A gate that wants the card alone asks only while
// somebody is there: else no rule is about it. Once is not enough, since a rule may know
// him later than the driver does.
func (g *guard) follow(ctx context.Context) {
	for {
		var tick <-chan time.Time
		if g.again() {
			tick = time.After(guardEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick:
		case <-g.ask:
		}
		g.rules(ctx, false)
	}
}

// again says whether the rules are to be asked without anybody who comes.
func (g *guard) again() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.share || g.others
}

// end closes the guard, with a last look at the rules where the gate shares.
func (g *guard) end(last device.Look) {
	g.cancel()
	g.done.Wait()
	if len(g.cards.Rules) > 0 && g.share && g.ended() == "" {
		g.mu.Lock()
		g.last = last
		g.mu.Unlock()
		g.rules(context.Background(), true)
	}
}

// over ends the run; the first reason is the one.
func (g *guard) over(why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.why != "":
	case g.closed:
		g.why = why + "; what the run gave does not stand"
	default:
		g.why = "it was ended: " + why
		g.stop(crowded{why})
	}
}

// runOver says that the run has ended by itself, or will.
func (g *guard) runOver() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// ended says why the run was ended, or should have been; "" where it was not.
func (g *guard) ended() string {
	if g == nil {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
}

// unsure says why it is not known whether a protected run was there.
func (g *guard) unsure() string {
	if g == nil {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.doubt
}

// look takes in a look of the watch.
func (g *guard) look(l device.Look) {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed {
		return
	}
	if g.share {
		g.free(l)
	}
	if l.Silent != "" {
		return
	}
	g.mu.Lock()
	g.last = l
	came, were := false, g.others
	g.others = false
	for _, uuid := range g.uuids {
		card, _ := l.Find(uuid)
		for _, p := range card.Foreign {
			if id := [2]uint64{uint64(p.PID), p.Start}; p.Valid {
				came = came || !g.known[id]
				g.known[id], g.others = true, true
			}
		}
	}
	came = came || g.others && !were
	g.mu.Unlock()
	if came {
		select {
		case g.ask <- struct{}{}:
		default:
		}
	}
}
