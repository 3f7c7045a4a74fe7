package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"gpuci/buildlock"
)

// namedCards are the UUIDs of cards. UUIDs of reservations, and beginnings of
// them, need no driver to be told.
func (a *app) namedCards(ctx context.Context, all []buildlock.Reservation, gpu string) (out []string, err error) {
	var rest []string
	for name := range strings.SplitSeq(gpu, ",") {
		name = strings.TrimSpace(name)
		found := slices.IndexFunc(all, func(r buildlock.Reservation) bool { return name != "" && strings.HasPrefix(r.Card, name) })
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
	cards, err := l.chosen(strings.Join(rest, ","), 1)
	return append(out, uuids(cards)...), err
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
