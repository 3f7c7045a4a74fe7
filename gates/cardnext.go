package gates

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
	"gpuci/kernels/device"
)

const (
	// shortWait is what is offered where it is not known when a card will be free.
	shortWait = 2 * time.Hour
	// longWait is the longest wait that is offered to somebody at a terminal: who
	// would wait longer leaves it to the debts.
	longWait = 12 * time.Hour
)

// nextBusy says how to come by a card all the same.
func (f *flow) nextBusy(c *onCards) {
	own := c.ownWord()
	f.nextOwn(c, own)
	wait := c.waitFor(time.Now(), f.gate.Card.Count)
	if line := f.inLine(wait); line != "" && len(c.all)-len(own) >= f.gate.Card.Count { // nobody queues for himself
		f.next("queue for it: " + line)
	}
	sharable := slices.ContainsFunc(c.all, func(s CardState) bool { return s.shares })
	if sharable && !c.share && f.gate.Measured() == config.MeasuresNumbers && f.gate.VRAM > 0 {
		f.next("or run it beside that, its numbers do not mind: " + f.again("--share-gpu"))
	}
	f.nextOwed(wait)
	for _, card := range c.all {
		for _, r := range card.Protected {
			if hint := r.Hint(); hint != "" {
				f.next(hint)
			}
		}
	}
}

// nextOwn says how to run a gate on cards that we have reserved ourselves for a time, with
// as many others as it needs beside them.
func (f *flow) nextOwn(c *onCards, own []CardState) {
	if len(own) == 0 {
		return
	}
	var list, reserved, names []string
	for _, card := range own {
		list, names = append(list, card.UUID), append(names, card.Label())
		for _, r := range card.Reserved { // it may be of the whole card that this is an instance of
			if !r.Ours() && !slices.Contains(reserved, r.Card) {
				reserved = append(reserved, r.Card)
			}
		}
	}
	for _, card := range c.all {
		if card.Free() {
			list = append(list, card.UUID)
		}
	}
	text := "you have reserved it yourself, and that keeps gates off it, your own too: "
	if len(c.all) > 1 {
		text = "you have reserved " + strings.Join(names, " and ") + " yourself, and that keeps gates off, your own too: "
	}
	if count := f.gate.Card.Count; len(list) >= count {
		text += fmt.Sprintf(`gpuci gpu hold --gpu %s --why "a gate" -- %s runs one there; `, strings.Join(list[:count], ","), f.offered())
	}
	f.next(text + "gpuci gpu release --gpu " + strings.Join(reserved, ",") + " gives back what you have reserved")
}

// Reach is what a command needs that is offered, to be about the gate from where its
// reader stands.
type Reach struct {
	Dir  string // he is somewhere else, and has named this by -C
	Lane string // he is in another lane
}

// offered is the command that runs the gate from there, with some more flags.
func (f *flow) offered(flags ...string) string {
	argv := f.gpuci("gate", f.gate.Name)
	lane := f.opt.Reach.Lane
	if as := f.opt.As.Lane; !strings.HasPrefix(as, branchPrefix) { // of a night, whose report is read anywhere
		lane = cmp.Or(lane, as)
	}
	if lane != "" {
		argv = append(argv, "--lane", lane)
	}
	argv = append(argv, flags...)
	if len(f.opt.Args) > 0 {
		argv = append(append(argv, "--"), f.opt.Args...)
	}
	return quoteArgv(argv)
}

// gpuci is a command of ours from where its reader stands.
func (f *flow) gpuci(words ...string) []string {
	if dir := f.opt.Reach.Dir; dir != "" {
		return append([]string{"gpuci", "-C", dir}, words...)
	}
	return append([]string{"gpuci"}, words...)
}

// again is the command that runs the gate once more, on the cards that were chosen.
func (f *flow) again(flags ...string) string {
	if c := f.opt.Cards; c != nil && c.Choice != "" {
		flags = append([]string{"--gpu", c.Choice}, flags...)
	}
	return f.offered(flags...)
}

// inLine is the command that queues for the cards for so long; "" where that is longer
// than anybody at a terminal waits, and the debts do it.
func (f *flow) inLine(wait time.Duration) string {
	if wait > longWait && f.owable() {
		return ""
	}
	return f.again("--wait", hoursText(wait))
}

// nextAgain says of a gate whose run does not stand how to run it again.
func (f *flow) nextAgain() {
	if line := f.inLine(f.waitAgain()); line != "" {
		f.next("run it again: " + line + " queues for the card")
	}
}

// waitAgain is how long to wait for cards such as it had, by what was known of them at
// its end.
func (f *flow) waitAgain() time.Duration {
	if f.v.Card == nil {
		return shortWait
	}
	return max(shortWait, f.v.Card.wait)
}

// ownWord are the cards that are kept by nothing but our own word for a time.
func (c *onCards) ownWord() (own []CardState) {
	for _, card := range c.all {
		if card.oursUntil() {
			own = append(own, card)
		}
	}
	return own
}

// oursUntil says that a card is kept by nothing but our own word for a time.
func (s CardState) oursUntil() bool {
	ours := 0
	for _, r := range s.Reserved {
		switch {
		case r.Trouble == "" && r.Ours():
		case r.Trouble != "" || r.UID != os.Getuid() || r.Held:
			return false
		default:
			ours++
		}
	}
	return ours > 0 && s.Status == CardReserved && s.State == device.Quiet && len(s.Protected) == 0
}

// waitFor is how long to wait for so many cards, in whole hours.
func (c *onCards) waitFor(now time.Time, count int) time.Duration {
	var times []time.Duration
	for _, card := range c.all {
		times = append(times, max(card.Until.Sub(now), 0)) // 0 where it is not known: any moment
	}
	slices.Sort(times)
	if len(times) < count {
		return shortWait
	}
	const margin = 10 * time.Minute
	return max(shortWait, (times[count-1] + margin + time.Hour - 1).Truncate(time.Hour))
}

func hoursText(d time.Duration) string { return fmt.Sprintf("%dh", d/time.Hour) }

// owable says whether what is owed is kept anywhere: of a lane, in a history.
func (f *flow) owable() bool {
	return f.opt.Lane.Root != "" && !strings.HasPrefix(f.opt.As.Lane, branchPrefix) && f.opt.History != nil && f.opt.Bundle == nil && f.opt.Trial == ""
}

// refusedByCards is what is in the way of each card that would do, for people. Where
// enough of them are quiet that is no reason: somebody had them each time that they were
// asked for, and the error says who.
func (f *flow) refusedByCards(parts []string, err error, enough bool) string {
	if len(parts) == 0 || enough {
		return buildlock.Printable(err.Error())
	}
	return strings.Join(parts, "; ")
}
