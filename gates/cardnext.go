package gates

import (
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
	if own := c.ownWord(); len(own) > 0 {
		list := strings.Join(own, ",")
		f.next(fmt.Sprintf(`you have reserved it yourself, and that keeps gates off it, your own too: gpuci gpu hold --gpu %s --why "a gate" -- gpuci gate %s runs one on it; gpuci gpu release --gpu %[1]s gives it back`, list, f.gate.Name))
	}
	wait := c.waitFor(time.Now(), f.gate.Card.Count)
	if line := f.inLine(wait); line != "" && len(c.ownWord()) < len(c.all) {
		f.next("queue for it: " + line)
	}
	sharable := slices.ContainsFunc(c.all, func(s CardState) bool { return s.shares })
	if sharable && !c.share && f.gate.Measured() == config.MeasuresNumbers && f.gate.VRAM > 0 {
		f.next("or run it beside that, its numbers do not mind: " + f.again() + " --share-gpu")
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

// again is the command that runs the gate once more, on the cards that were chosen.
func (f *flow) again() string {
	text := "gpuci gate " + f.gate.Name
	if c := f.opt.Cards; c != nil && c.Choice != "" {
		text += " --gpu " + quoteArgv([]string{c.Choice})
	}
	return text
}

// inLine is the command that queues for the cards for so long; "" where that is longer
// than anybody at a terminal waits, and the debts do it.
func (f *flow) inLine(wait time.Duration) string {
	if wait > longWait && f.owable() {
		return ""
	}
	return f.again() + " --wait " + hoursText(wait)
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
func (c *onCards) ownWord() (uuids []string) {
	for _, card := range c.all {
		if card.oursUntil() {
			uuids = append(uuids, card.UUID)
		}
	}
	return uuids
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

// nextOwed says of a gate that was refused for what passes that it is owed, and who
// pays; wait is how long that may have to wait, 0 for what is known of the cards that
// it had.
func (f *flow) nextOwed(wait time.Duration) {
	const owed = "it is owed: gpuci debt pay --when-quiet "
	said := slices.ContainsFunc(f.v.Next, func(text string) bool { return strings.HasPrefix(text, owed) })
	if f.v.Owed == nil || said || !f.owable() {
		return
	}
	if wait == 0 && f.v.Owed.Why != OweBox {
		wait = f.waitAgain()
	}
	until := "the card is quiet"
	if f.v.Owed.Why == OweBox {
		until = "the machine is quiet"
	}
	flag := ""
	if wait > longWait { // longer than it waits by itself
		flag = "--wait " + hoursText(wait) + " "
	}
	f.next(owed + flag + "runs it as soon as " + until)
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
