package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/reaper/proc"
)

// visibleCards is where CUDA is told which cards a program may use.
const visibleCards = "CUDA_VISIBLE_DEVICES"

// heldCards are cards with their locks and reservations.
type heldCards struct {
	cards   []gates.CardState
	tickets []*buildlock.Ticket
	holds   []*buildlock.Hold
}

// gpuHoldRun runs a command that has cards for itself.
func (a *app) gpuHoldRun(ctx context.Context, o gpuHoldOptions, argv []string) error {
	l, cards, err := a.holdable(ctx, o, true)
	defer l.close()
	if err != nil {
		return err
	}
	h := heldCards{cards: cards}
	if err := a.takeCards(ctx, l, o, argv, &h); err != nil {
		return err
	}
	if err := h.reserve(ctx, l, o, argv); err != nil {
		return errors.Join(err, h.release())
	}
	env := shim.With(os.Environ(), shim.TicketsVar, buildlock.CardMarks(os.Getenv(shim.TicketsVar), h.tickets))
	env = shim.With(env, shim.LockDirVar, l.lockDir())
	env = shim.With(env, visibleCards, strings.Join(uuids(cards), ","))
	l.close() // the driver is not asked while CMD runs
	left := 0
	code, stuck, err := a.run(ctx, child{argv: argv, dir: a.childDir(l.place), env: env, left: func(list []proc.Stat) { left = len(list) }})
	h.lost(a.console.note)
	if stuck || left > 0 { // what of it still runs has the files of the locks open
		a.console.note(h.names() + " stays taken until that has ended, or has closed what it was given")
		return endOf(code, err)
	}
	if rerr := h.release(); rerr != nil {
		a.console.note(rerr.Error())
	}
	return endOf(code, err)
}

// endOf is the end of a command: its error, else its exit code.
func endOf(code int, err error) error {
	if err != nil {
		return err
	}
	return coded{code: code}
}

// takeCards waits for the locks of all cards, in line with gates.
func (a *app) takeCards(ctx context.Context, l cardLook, o gpuHoldOptions, argv []string, h *heldCards) (err error) {
	waited := false
	h.tickets, err = buildlock.AcquireCards(ctx, buildlock.CardOptions{
		Dir: l.lockDir(), Allowed: uuids(h.cards), Count: len(h.cards), Wait: o.wait, Who: l.who(argv), Marks: os.Getenv(shim.TicketsVar),
		Waiting: func(line buildlock.Line) { waited = true; a.console.note(line.String()) },
	})
	var busy *buildlock.BusyError
	if errors.As(err, &busy) {
		return coded{gates.Refused.ExitCode(), err.Error(), a.lockHint(err) + "; --wait says how long to wait"}
	}
	if err == nil && waited {
		err = a.stillOn(ctx, l, h.cards)
	}
	if err == nil {
		err = buildlock.KeepCards(h.tickets)
	}
	if err != nil {
		return errors.Join(err, h.release())
	}
	return nil
}

// stillOn looks again after a wait, and says who is on the cards now.
func (a *app) stillOn(ctx context.Context, l cardLook, cards []gates.CardState) error {
	if err := l.look(ctx); err != nil {
		return err
	}
	for _, card := range cards {
		c, _ := l.survey.Find(card.UUID)
		c.Holder = nil // that is us
		if who := l.onIt(c); who != "" {
			a.console.note(fmt.Sprintf("still on %s: %s", cardName(card.Card), who))
		}
	}
	return nil
}

// reserve says for whom the cards are and why; a gate says so when it is refused.
func (h *heldCards) reserve(ctx context.Context, l cardLook, o gpuHoldOptions, argv []string) error {
	for _, c := range h.cards {
		hold, err := buildlock.Reserve(ctx, l.lockDir(), buildlock.Reservation{Card: c.UUID, Index: indexOf(c), Why: o.why, Command: commandText(argv)})
		if err != nil {
			return err
		}
		h.holds = append(h.holds, hold)
		if err := hold.Keep(); err != nil {
			return err
		}
	}
	return nil
}

// release gives everything back.
func (h *heldCards) release() error {
	var errs []error
	for _, hold := range h.holds {
		errs = append(errs, hold.Release())
	}
	return errors.Join(append(errs, buildlock.ReleaseCards(h.tickets))...)
}

// lost says of locks that did not last as long as the command.
func (h *heldCards) lost(say func(string)) {
	for _, t := range h.tickets {
		if err := t.Stands(); err != nil {
			say(fmt.Sprintf("the lock of card %s was lost while the command ran, and others may have been on it: %v", buildlock.ShortCard(t.Card), err))
		}
	}
}

// names are the cards for people.
func (h *heldCards) names() string {
	var out []string
	for _, c := range h.cards {
		out = append(out, cardName(c.Card))
	}
	return strings.Join(out, " and ")
}
