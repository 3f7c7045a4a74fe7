package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuci/buildlock"
	"gpuci/gates"
)

// namedCards are the UUIDs of cards. UUIDs of reservations, and beginnings of
// them, need no driver to be told.
func (a *app) namedCards(ctx context.Context, all []buildlock.Reservation, gpu string) (out []string, err error) {
	var rest []string
	for name := range strings.SplitSeq(gpu, ",") {
		name = strings.TrimSpace(name)
		found := slices.IndexFunc(all, func(r buildlock.Reservation) bool {
			return name != "" && strings.HasPrefix(strings.ToLower(r.Card), strings.ToLower(name))
		})
		if found < 0 {
			rest = append(rest, name)
			continue
		}
		out = append(out, all[found].Card)
	}
	if len(rest) == 0 {
		return out, nil
	}
	l, err := a.cardLook(ctx)
	defer l.close()
	if err == nil {
		err = l.silent()
	}
	if c := (coded{}); errors.As(err, &c) && c.code == exitUnfit {
		cards, ok := numbered(all, rest)
		if !ok {
			return nil, coded{c.code, c.text, "without a driver, name a card as gpuci gpu release --gpu UUID; " + reservedNames(all)}
		}
		a.console.note("numbers are those of when the cards were reserved: " + c.text)
		return append(out, cards...), nil
	}
	if err != nil {
		return nil, err
	}
	for _, name := range rest {
		card, err := a.namedNow(l, all, name)
		if err != nil {
			return nil, err
		}
		out = append(out, card)
	}
	return out, nil
}

// namedNow is the card of a name as the driver shows them. Where that one is not reserved,
// or is not there, a number may be that of a card when it was reserved, if the driver does
// not show it any more.
func (a *app) namedNow(l cardLook, all []buildlock.Reservation, name string) (string, error) {
	cards, err := l.chosen(name, 1)
	if err == nil && len(buildlock.ReservedBy(all, cards[0].UUID)) > 0 {
		return cards[0].UUID, nil
	}
	hidden := slices.DeleteFunc(slices.Clone(all), func(r buildlock.Reservation) bool { _, shown := l.survey.Find(r.Card); return shown })
	if was, ok := numbered(hidden, []string{name}); ok {
		a.console.note(fmt.Sprintf("card %s had number %s when it was reserved", buildlock.ShortCard(was[0]), name))
		return was[0], nil
	}
	switch {
	case err != nil:
		return "", err
	case len(buildlock.ReservedBy(all, cards[0].Parent)) > 0:
		return "", coded{gates.ExitNothing, fmt.Sprintf("--gpu %s: not this instance is reserved, but its whole card", name), "gpuci gpu release --gpu " + cards[0].Parent + " gives that back"}
	}
	return cards[0].UUID, nil
}

// numbered are the cards that had some numbers when they were reserved, where each
// number was one card's.
func numbered(all []buildlock.Reservation, names []string) (out []string, ok bool) {
	for _, name := range names {
		card := ""
		for _, r := range all {
			if r.Index == nil || strconv.Itoa(*r.Index) != name || r.Card == card {
				continue
			}
			if card != "" {
				return nil, false
			}
			card = r.Card
		}
		if card == "" {
			return nil, false
		}
		out = append(out, card)
	}
	return out, true
}

// reservedNames are the cards that are reserved, for a hint.
func reservedNames(all []buildlock.Reservation) string {
	var out []string
	for _, r := range all {
		out = append(out, r.Card)
	}
	if len(out) == 0 {
		return "none is reserved"
	}
	return "reserved are " + strings.Join(slices.Compact(out), ", ")
}
