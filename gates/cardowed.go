package gates

import (
	"slices"
	"strings"
	"time"
)

// owedLine begins what is said of a gate that is owed.
const owedLine = "it is owed: "

// nextOwed says of a gate that was refused for what passes that it is owed, and who
// pays; wait is how long that may have to wait, 0 for what is known of the cards that
// it had.
func (f *flow) nextOwed(wait time.Duration) {
	if f.v.Owed == nil || slices.ContainsFunc(f.v.Next, isOwedLine) || !f.owable() {
		return
	}
	if wait == 0 && f.v.Owed.Why != OweBox {
		wait = f.waitAgain()
	}
	until := "the card is quiet"
	if f.v.Owed.Why == OweBox {
		until = "the machine is quiet"
	}
	pay := f.gpuci("debt", "pay", "--when-quiet")
	if wait > longWait { // longer than it waits by itself
		pay = append(pay, "--wait", hoursText(wait))
	}
	f.next(owedLine + quoteArgv(pay) + " runs it as soon as " + until)
}

func isOwedLine(text string) bool { return strings.HasPrefix(text, owedLine) }

// notOwed takes that back where the run could not be kept: a debt is told from the history
// alone.
func (f *flow) notOwed() {
	if !slices.ContainsFunc(f.v.Next, isOwedLine) {
		return
	}
	f.v.Next = slices.DeleteFunc(f.v.Next, isOwedLine)
	run := f.again("--wait", hoursText(max(f.waitAgain(), shortWait)))
	if f.v.Owed.Why == OweBox {
		run = f.offered() + ", when the machine is quiet"
	}
	f.next("that it is owed could not be noted, and no debt will pay it: run it again yourself: " + run)
}
