package gates

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
	"gpuci/reaper/proc"
)

// CardStatus says who a card is for at this moment.
type CardStatus string

// The answers. Only a quiet card is for a gate that wants it alone.
const (
	CardQuiet     CardStatus = "quiet"
	CardHeld      CardStatus = "held"      // a gate has its lock, and nobody else is on it
	CardBusy      CardStatus = "busy"      // somebody is on it
	CardUnknown   CardStatus = "unknown"   // it cannot be told
	CardReserved  CardStatus = "reserved"  // for a person, until a time
	CardProtected CardStatus = "protected" // a run is on it, or is to be, that nobody may disturb
)

// CardState is a card with all that is known of who may have it.
type CardState struct {
	device.Seen
	Status    CardStatus              `json:"status"`
	Why       string                  `json:"reason"`           // for people: who is on it, since when
	Until     time.Time               `json:"until,omitzero"`   // when it may be free; zero: not known
	Basis     string                  `json:"basis,omitempty"`  // how that is known, or why it is not
	Holder    *buildlock.Entry        `json:"holder,omitempty"` // of its lock
	Waiters   []buildlock.Entry       `json:"waiters,omitempty"`
	Reserved  []buildlock.Reservation `json:"reserved,omitempty"`
	Protected []protected.Run         `json:"protected,omitempty"`
	shares    bool                    // all that is in the way of having it alone lets itself be shared with
	whole     bool                    // Holder has the card that this is an instance of
}

// Free says that a gate could have the card now.
func (s CardState) Free() bool { return s.Status == CardQuiet }

// Survey is who may have which card, at one moment.
type Survey struct {
	Look   device.Look
	Cards  []CardState
	Away   []buildlock.Reservation // of cards that the look does not show
	Doubts []string                // what could not be looked at: it counts against the cards that it is about
	Notes  []string                // what somebody should know, and counts against no card
}

// Find is the state of a card.
func (s Survey) Find(uuid string) (CardState, bool) {
	i := slices.IndexFunc(s.Cards, func(c CardState) bool { return c.UUID == uuid })
	if i < 0 {
		return CardState{}, false
	}
	return s.Cards[i], true
}

// Survey looks at the cards, their locks, reservations and protected runs: the one
// rule for who may have which. mine says which processes are the caller's. The error
// is device.ErrNoDriver, or ctx's.
func (c *Cards) Survey(ctx context.Context, mine device.Mine) (Survey, error) {
	return c.SurveyOf(ctx, mine, &Aim{})
}

// survey holds a look against what else is known.
func (c *Cards) survey(ctx context.Context, look device.Look) Survey {
	s := Survey{Look: look}
	reserved, err := buildlock.Reservations(c.LockDir)
	if err != nil {
		s.Doubts = append(s.Doubts, "reservations: "+err.Error())
	}
	queues, err := buildlock.CardTickets(ctx, c.LockDir)
	if err != nil {
		s.Doubts = append(s.Doubts, "locks of cards: "+err.Error())
	}
	runs, err := protected.Find(ctx, protected.Options{Rules: c.Rules, State: c.State})
	if err != nil {
		s.Doubts = append(s.Doubts, "protected runs: "+err.Error())
	}
	runs = among(runs, look)
	for _, seen := range look.Cards {
		card := CardState{Seen: seen, Reserved: buildlock.ReservedBy(reserved, seen.UUID)}
		card.lock(queues, seen.UUID)
		if seen.Parent != "" { // who has the whole card has its instances
			card.Reserved = append(card.Reserved, buildlock.ReservedBy(reserved, seen.Parent)...)
			card.lock(queues, seen.Parent)
		}
		card.judge(c, runs, s.Doubts)
		s.Cards = append(s.Cards, card)
	}
	for _, u := range runs.Unknown {
		s.Doubts = append(s.Doubts, u.Text())
	}
	for _, r := range reserved {
		switch is := func(c device.Seen) bool { return c.UUID == r.Card || c.Parent == r.Card }; {
		case r.Card == "":
			s.Notes = append(s.Notes, r.Stray())
		case !slices.ContainsFunc(look.Cards, is):
			s.Away = append(s.Away, r)
		}
	}
	return s
}

// lock sorts the tickets of the lock of a card, its own or that of the whole one.
func (s *CardState) lock(queues []buildlock.Queue, uuid string) {
	for _, q := range queues {
		if q.Lock.Card() != uuid {
			continue
		}
		for _, e := range q.Entries {
			switch {
			case e.Void != nil:
			case s.Holder == nil && !e.Granted.IsZero():
				s.Holder, s.whole = &e, uuid != s.UUID
			default:
				s.Waiters = append(s.Waiters, e)
			}
		}
	}
}

// judge decides for whom the card is. What keeps it for somebody goes before what the
// driver says: a reserved card may be quiet, and a protected run between two phases.
func (s *CardState) judge(c *Cards, look protected.Look, doubts []string) {
	now := time.Now()
	s.Status, s.Why = CardQuiet, ""
	switch s.State {
	case device.Busy:
		s.Status, s.Why, s.shares = CardBusy, c.whoIsOn(s.Foreign), true
	case device.Unknown:
		s.Status, s.Why = CardUnknown, s.Seen.Why
	}
	on := ruled(s.Seen)
	for _, u := range look.Unknown {
		if u.On(on) {
			s.Status, s.Why, s.shares = CardUnknown, u.Text(), false
		}
	}
	if len(doubts) > 0 {
		s.Status, s.Why, s.shares = CardUnknown, strings.Join(doubts, "; "), false
	}
	s.protect(now, on, look.Runs)
	s.reserve(now, c.Person)
	if s.Status == CardQuiet && s.Holder != nil && !aboveUs(s.Holder) {
		s.Status, s.Why = CardHeld, "its lock is held by "+s.Holder.String()
		if s.whole {
			s.Why = "the lock of the whole card is held by " + s.Holder.String()
		}
	}
}

// protect says which protected runs are on the card, all of them.
func (s *CardState) protect(now time.Time, on protected.Card, runs []protected.Run) {
	var texts []string
	for _, r := range runs {
		if !r.On(on) {
			continue
		}
		s.Protected = append(s.Protected, r)
		if s.Status == CardQuiet { // it may come back any moment
			s.shares = true
		}
		s.shares = s.shares && r.Rule.Share
		texts = append(texts, "the "+r.Text(now))
		at, basis, ok := r.FreeAt(now)
		s.until(at, basis, ok)
	}
	if len(texts) == 0 {
		return
	}
	if s.Status != CardUnknown {
		s.Status, s.Why = CardProtected, strings.Join(texts, " and ")
		return
	}
	s.Why += "; " + strings.Join(texts, " and ")
}

// until keeps the latest time, and nothing where one is not known.
func (s *CardState) until(at time.Time, basis string, known bool) {
	switch {
	case s.Basis != "" && s.Until.IsZero(): // one is not known already
	case !known:
		s.Until, s.Basis = time.Time{}, basis
	case at.After(s.Until):
		s.Until, s.Basis = at, basis
	}
}

// reserve says who has the card reserved, but for us: a person's own word for a time
// keeps him off nothing, and all gates, his own too, but those below what he holds the
// card for.
func (s *CardState) reserve(now time.Time, person bool) {
	var texts []string
	mine := person || slices.ContainsFunc(s.Reserved, buildlock.Reservation.Ours)
	for _, r := range s.Reserved {
		if r.Trouble == "" && (r.Ours() || mine && r.UID == os.Getuid() && !r.Held) {
			continue
		}
		texts = append(texts, r.Text(now))
		s.until(r.Until, "its reservation", !r.Until.IsZero())
	}
	if len(texts) == 0 {
		return
	}
	if s.Why != "" {
		texts = append(texts, s.Why)
	}
	s.Status, s.Why, s.shares = CardReserved, strings.Join(texts, "; "), false
}

// HeldAbove says that the card's lock is held for us, by ourselves or a process above
// us.
func (s CardState) HeldAbove() bool { return s.Holder != nil && aboveUs(s.Holder) }

// aboveUs says whether a ticket is held by us or a process above us.
func aboveUs(e *buildlock.Entry) bool {
	if e.Foreign {
		return false
	}
	return slices.ContainsFunc(proc.Real.Lineage(os.Getpid()), func(s proc.Stat) bool { return s.PID == e.PID && s.Start == e.Start })
}
