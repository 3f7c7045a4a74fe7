package buildlock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// cardsGate is the directory whose gate is passed to get in line for cards. It is
// no lock: nothing queues in it.
const cardsGate Lock = "cards"

// AcquireCards gets in line for every card that will do, at one moment, and
// returns when Count of them are ours: their tickets, in the order in which Ready
// or Allowed has the cards. All are taken at once or none.
//
// A card is ours to take when nobody is ahead of us in its line. Since everybody
// gets in all of their lines at one moment, those whose cards meet are served
// first come first served, nobody waits in a circle, and who waits for a card
// keeps nobody from one that would not do for them. The price: while somebody
// waits for two cards of which one is free, that one stays free for them.
//
// When a process above us holds enough of the cards already (Marks), their
// tickets say Passed and hold nothing, and Ready is not asked. Errors: a
// *BusyError when Wait ran out, ErrOrder, ErrUnfit, a *VoidedError, what Ready
// gave, or the cause of ctx; no place in line is left then.
func AcquireCards(ctx context.Context, o CardOptions) ([]*Ticket, error) {
	o.Dir, o.Count, o.Allowed = orDefault(o.Dir), cmp.Or(o.Count, 1), o.cards()
	if o.Count < 1 || o.Count > len(o.Allowed) {
		return nil, fmt.Errorf("%d cards are wanted of %d that will do", o.Count, len(o.Allowed))
	}
	for _, uuid := range o.Allowed {
		if _, err := Card(uuid); err != nil {
			return nil, err
		}
	}
	held, err := o.above(ctx)
	if held != nil || err != nil {
		return held, err
	}
	return o.acquire(ctx)
}

// above looks for cards that processes above us hold, also where the environment
// does not name them. Beside those no other one may be waited for: whoever is
// ahead of us there may be behind them here.
func (o CardOptions) above(ctx context.Context) ([]*Ticket, error) {
	marks := believed(o.Dir, o.Marks)
	// What the environment names comes before what else an ancestor may hold: that
	// can be another gate's.
	if !slices.ContainsFunc(marks, func(m mark) bool { return m.lock.Card() != "" }) {
		marks = append(marks, o.unnamed(ctx)...)
	}
	var passed []*Ticket
	var other []string
	for _, m := range marks {
		card := m.lock.Card()
		switch {
		case card == "" && m.lock.before(cardPrefix+"any"):
		case card == "":
			return nil, fmt.Errorf("%w: ticket %s is held above this process, and below it nothing may wait for cards; take the cards first, outside of it", ErrOrder, m)
		case slices.ContainsFunc(passed, func(t *Ticket) bool { return t.Card == card }): // named twice
		case slices.Contains(o.Allowed, card):
			passed = append(passed, &Ticket{ID: m.String(), Number: m.number, Card: card, Passed: true})
		default:
			other = append(other, m.String())
		}
	}
	return o.pass(passed, other)
}

// unnamed are the cards that processes above us hold by what their tickets say.
func (o CardOptions) unnamed(ctx context.Context) []mark {
	var ids []string
	queues, _ := CardTickets(ctx, o.Dir) // where they cannot be read, acquire says so
	for _, q := range queues {
		for _, e := range q.Entries {
			if e.PID != os.Getpid() && !e.Granted.IsZero() { // another part of this process waits as others do
				ids = append(ids, e.ID)
			}
		}
	}
	return believed(o.Dir, strings.Join(ids, ":"))
}

// pass chooses among the cards that are held above us.
func (o CardOptions) pass(passed []*Ticket, other []string) ([]*Ticket, error) {
	if len(passed) >= o.Count {
		slices.SortStableFunc(passed, func(a, b *Ticket) int {
			return cmp.Compare(slices.Index(o.Allowed, a.Card), slices.Index(o.Allowed, b.Card))
		})
		return passed[:o.Count], nil
	}
	for _, t := range passed {
		other = append(other, t.ID)
	}
	if len(other) > 0 {
		return nil, fmt.Errorf("%w: above this process %s is held, which is not enough, and below it no card may be waited for; take all cards at once, outside of it", ErrOrder, strings.Join(other, ", "))
	}
	return nil, nil
}

// acquire gets in line and waits, again when the directory was removed.
func (o CardOptions) acquire(ctx context.Context) ([]*Ticket, error) {
	began := time.Now()
	rec, err := newRecord(o.Who)
	if err != nil {
		return nil, err
	}
	rec.Cards, rec.Among = o.Count, len(o.Allowed)
	for {
		got, err := o.once(ctx, rec, began)
		if errors.Is(err, errRemoved) && ctx.Err() == nil {
			o.tell(Line{Note: "the lock directory was removed while we queued in it for a card: queueing again; what held a ticket there is not seen any more and may run beside us"})
			continue
		}
		var voided *VoidedError
		if errors.As(err, &voided) {
			voided.Waited = time.Since(began)
		}
		for _, t := range got {
			t.Waited = time.Since(began)
		}
		return got, err
	}
}

// once takes one place in each line and waits in them.
func (o CardOptions) once(ctx context.Context, rec record, began time.Time) ([]*Ticket, error) {
	all, err := openQueue(o.Dir, cardsGate)
	if err != nil {
		return nil, err
	}
	defer all.close()
	w := &cardWait{o: o, began: began, blocked: map[string]bool{}, noted: map[*Ticket]string{}, ended: make(chan string)}
	err = w.join(ctx, all, rec)
	var got []*Ticket
	if err == nil {
		got, err = w.untilOurs(ctx)
	}
	if err != nil {
		err = all.explain(ctx, err)
		_ = ReleaseCards(w.tickets)
		return nil, err
	}
	return got, nil
}

// join gets in every line while nobody else does. Who does not wait and has
// nothing to look at chooses before the next one comes.
func (w *cardWait) join(ctx context.Context, all queue, rec record) error {
	leave, err := all.enterWithin(ctx, w.o.Wait)
	if err != nil {
		return err
	}
	defer leave()
	for _, uuid := range w.o.Allowed {
		l, err := Card(uuid)
		if err != nil {
			return err
		}
		q, err := openQueue(w.o.Dir, l)
		if err != nil {
			return err
		}
		t, err := q.join(ctx, rec, w.o.Wait)
		if err != nil {
			q.close()
			return err
		}
		t.Card = uuid
		w.tickets = append(w.tickets, t)
	}
	if w.o.Ready == nil {
		return w.choose()
	}
	return nil
}

func (o CardOptions) tell(l Line) {
	if o.Waiting != nil {
		o.Waiting(l)
	}
}
