package gates

import (
	"strings"

	"gpuci/buildlock"
)

// stillLocked holds the run against the locks of its cards, at its end: where one was
// lost meanwhile (its directory was removed, somebody declared it void), another gate
// may have been let on the card, and have done nothing there that the driver shows.
func (f *flow) stillLocked(state StepState) StepState {
	if f.card == nil {
		return state
	}
	var lost []string
	for _, t := range f.card.tickets {
		if err := t.Stands(); err != nil {
			lost = append(lost, "the lock of card "+buildlock.ShortCard(t.Card)+" was lost while it ran: "+err.Error())
		}
	}
	text := strings.Join(lost, "; ")
	switch {
	case text == "":
		return state
	case f.card.share: // it may be there with others
		f.mark(text)
		return state
	}
	text += "; another gate may have been on the card, and what the run gave does not stand"
	f.owe(OweContended, text)
	f.find(Refused, text)
	f.nextAgain()
	return StepFailed
}
