package main

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device"
)

// whole takes the cards out of a list that are cut into instances (MIG). Such a one is no
// card by itself; who has reserved it has its instances, those too that are made later.
func (l cardLook) whole(list string) (cards []gates.CardState, rest string) {
	var others []string
	for name := range strings.SplitSeq(list, ",") {
		parts := l.instances(strings.TrimSpace(name))
		if len(parts) == 0 {
			others = append(others, name)
			continue
		}
		if card := joined(parts); !slices.ContainsFunc(cards, func(c gates.CardState) bool { return c.UUID == card.UUID }) {
			cards = append(cards, card)
		}
	}
	return cards, strings.Join(others, ",")
}

// instances are those of the one card that a name is, or begins; none where it is that of
// a card that is not cut, or of several.
func (l cardLook) instances(name string) (parts []gates.CardState) {
	begins := func(uuid string) bool {
		return name != "" && strings.HasPrefix(strings.ToLower(uuid), strings.ToLower(name))
	}
	for _, c := range l.survey.Cards {
		switch {
		case begins(c.UUID), begins(c.Parent) && len(parts) > 0 && parts[0].Parent != c.Parent:
			return nil
		case begins(c.Parent):
			parts = append(parts, c)
		}
	}
	return parts
}

// joined is a card with all that is known of its instances.
func joined(parts []gates.CardState) gates.CardState {
	first := parts[0]
	card := gates.CardState{Seen: device.Seen{Card: device.Card{UUID: first.Parent, Name: first.Name, Index: first.Index, Bus: first.Bus}, State: device.Quiet}}
	for _, part := range parts {
		card.Foreign = append(card.Foreign, part.Foreign...)
		card.Protected = append(card.Protected, part.Protected...)
		if card.Holder == nil {
			card.Holder = part.Holder
		}
		for _, r := range part.Reserved {
			if !slices.ContainsFunc(card.Reserved, func(o buildlock.Reservation) bool { return o.File == r.File }) {
				card.Reserved = append(card.Reserved, r)
			}
		}
	}
	return card
}

// onWhole refuses a command on a card that is cut: it would run on one instance.
func (l cardLook) onWhole(card gates.CardState) error {
	var names []string
	for _, c := range l.survey.Cards {
		if c.Parent == card.UUID {
			names = append(names, c.UUID)
		}
	}
	return coded{
		gates.ExitUsage, fmt.Sprintf("%s is cut into %s, and a command runs on those: name them", cardName(card.Card), count(len(names), "instance", "instances")),
		"--gpu " + strings.Join(names, ",") + "; --until reserves the whole card",
	}
}
