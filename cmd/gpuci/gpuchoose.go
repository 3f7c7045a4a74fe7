package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device"
)

// namesCards refuses a --gpu without a card in it, as a variable leaves it that is not
// set. In the environment that is how to have none.
func namesCards(cmd *cobra.Command, gpu string) error {
	if cmd.Flags().Changed("gpu") && len(device.ParseChoice(gpu, "", "").List) == 0 {
		return coded{gates.ExitUsage, "--gpu names no card", "leave it out, or name one; gpuci gpu says what there is"}
	}
	return nil
}

// chosen are the cards that --gpu names, in its order; without it those that CUDA
// is told of here, mostly all. Numbers mean what they mean to CUDA.
func (l cardLook) chosen(list string, count int) ([]gates.CardState, error) {
	choice := device.ChoiceFrom(os.Environ())
	if list != "" {
		choice = device.ParseChoice(list, os.Getenv("CUDA_DEVICE_ORDER"), "--gpu")
	}
	if err := l.silent(); err != nil {
		return nil, err
	}
	seen, err := device.Choose(l.survey.Look, device.Need{Count: count}, choice)
	switch {
	case errors.Is(err, device.ErrNoCard) && len(l.survey.Cards) == 0:
		return nil, coded{exitUnfit, err.Error(), "gpuci doctor says what there is"}
	case err != nil:
		return nil, coded{gates.ExitUsage, err.Error(), "the cards here: " + l.listed(l.survey.Cards)}
	}
	var out []gates.CardState
	for _, s := range seen {
		if c, ok := l.survey.Find(s.UUID); ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// one wants it said which card is meant where there are several.
func (l cardLook) one(list, forWhat string) ([]gates.CardState, error) {
	cards, err := l.chosen(list, 1)
	if err == nil && list == "" && len(cards) > 1 {
		return nil, coded{gates.ExitUsage, fmt.Sprintf("there are %d cards, and it is not said which is %s: %s", len(cards), forWhat, l.listed(cards)),
			fmt.Sprintf("--gpu %d, or a list of them", cards[0].Index)}
	}
	return cards, err
}

// listed names cards with what they are.
func (l cardLook) listed(cards []gates.CardState) string {
	var out []string
	for _, c := range cards {
		out = append(out, fmt.Sprintf("%s %s", cardName(c.Card), c.Status))
	}
	return strings.Join(out, ", ")
}

// uuids are the names of cards as CUDA_VISIBLE_DEVICES takes them.
func uuids(cards []gates.CardState) (out []string) {
	for _, c := range cards {
		out = append(out, c.UUID)
	}
	return out
}

// onIt says who is on a card at the moment, or has it, "" for nobody.
func (l cardLook) onIt(c gates.CardState) string {
	var who []string
	if c.Holder != nil && !c.HeldAbove() {
		who = append(who, "its lock is held by "+c.Holder.String())
	}
	for _, p := range c.Foreign {
		who = append(who, l.cards.Who(p))
	}
	for _, r := range c.Protected {
		who = append(who, "protected run "+protectedText(r, l.now))
	}
	if len(who) == 0 && c.State != device.Quiet {
		who = append(who, c.Seen.Why)
	}
	return buildlock.Printable(strings.Join(who, "; "))
}
