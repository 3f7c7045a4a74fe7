package buildlock

import (
	"context"
	"slices"
	"time"
)

// CardOptions says which cards are wanted, for whom, and for how long to wait.
type CardOptions struct {
	Dir     string        // the lock directory; "" is what DefaultDir says
	Allowed []string      // UUIDs of the cards that will do, the best first; one that is there twice counts once
	Count   int           // how many of them; 0 is one
	Wait    time.Duration // for all of it; negative: as long as it takes; 0: not at all
	Who     Who
	Marks   string // $GPUCI_TICKETS: tickets that processes above us hold

	// Ready, if set, is asked about the cards that it is our turn to take, and
	// returns those that may be taken now, the best first (a card may be busy with
	// somebody who takes no locks), and if these are too few, why, for people. It
	// is asked again every Again while the wait lasts, and must end with ctx.
	Ready func(ctx context.Context, cards []string) (ready []string, why string, err error)
	Again time.Duration // CardAgain when 0

	// Waiting, if set, is told at once when there is a wait, then every
	// Every (RemindEvery when 0), and when the directory was removed under us.
	Waiting func(Line)
	Every   time.Duration
}

// CardAgain is how often a card that is not ready is looked at again: a look
// takes up to 40 ms of a driver's time, and a program takes seconds to leave.
const CardAgain = 2 * time.Second

// cards are the UUIDs without those that are there twice.
func (o CardOptions) cards() []string {
	var out []string
	for _, uuid := range o.Allowed {
		if !slices.Contains(out, uuid) {
			out = append(out, uuid)
		}
	}
	return out
}

// CardMarks is the value of GPUCI_TICKETS for the processes below us, given
// ours and the tickets of our cards.
func CardMarks(env string, tickets []*Ticket) string {
	for _, t := range tickets {
		env = t.Mark(env)
	}
	return env
}

// KeepCards keeps every one of the tickets: see Ticket.Keep.
func KeepCards(tickets []*Ticket) error {
	for _, t := range tickets {
		if err := t.Keep(); err != nil {
			return err
		}
	}
	return nil
}

// ReleaseCards releases every one of the tickets, and returns the first error.
func ReleaseCards(tickets []*Ticket) (err error) {
	for _, t := range tickets {
		if rerr := t.Release(); err == nil {
			err = rerr
		}
	}
	return err
}
