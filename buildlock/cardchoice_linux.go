package buildlock

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ask lets the one who wants the cards look at them.
func (w *cardWait) ask(ctx context.Context) error {
	var cards []string
	for _, t := range w.ours {
		cards = append(cards, t.Card)
	}
	ready, why, err := w.o.Ready(ctx, cards)
	w.asked, w.why = time.Now(), cmp.Or(why, notReady(cards, ready))
	if err != nil {
		return cmp.Or(context.Cause(ctx), error(admitError{err}))
	}
	var list []*Ticket
	for _, uuid := range ready {
		at := slices.IndexFunc(w.ours, func(t *Ticket) bool { return t.Card == uuid })
		if at < 0 || slices.Contains(list, w.ours[at]) {
			return admitError{fmt.Errorf("card %s was called ready, and is none of those asked about", uuid)}
		}
		list = append(list, w.ours[at])
	}
	if len(list) < w.o.Count {
		return nil
	}
	return w.take(list)
}

// notReady names the cards of which it is not said why they cannot be taken.
func notReady(cards, ready []string) string {
	var names []string
	for _, uuid := range cards {
		if !slices.Contains(ready, uuid) {
			names = append(names, "card "+ShortCard(uuid))
		}
	}
	return strings.Join(names, " and ") + " cannot be had now, and nobody says why"
}

// choose is one look and, where it is our turn, the choice.
func (w *cardWait) choose() error {
	if err := w.look(); err != nil || len(w.ours) < w.o.Count {
		return err
	}
	return w.take(w.ours)
}

// take keeps the first ones of a list and gives up every other place.
func (w *cardWait) take(list []*Ticket) error {
	chosen := slices.Clone(list[:w.o.Count])
	for _, t := range chosen { // somebody's word may have come while the cards were looked at
		if err := t.check(); err != nil {
			return err
		}
	}
	for _, t := range w.tickets {
		if slices.Contains(chosen, t) {
			t.markGranted()
		} else {
			_ = t.Release()
		}
	}
	w.tickets, w.chosen = chosen, chosen
	return nil
}
