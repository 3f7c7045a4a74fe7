package gates

import (
	"slices"

	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
)

// among holds what the rules find against the cards that the driver shows. Where it
// shows none, since it is silent or has lost them, nothing is known of any card anyway.
func among(runs protected.Look, look device.Look) protected.Look {
	if here := ruledAll(look); len(here) > 0 {
		return runs.Among(here)
	}
	return runs
}

// Misnamed are the cards that a rule names and that the driver does not show, none
// where it does not answer.
func Misnamed(rule protected.Rule, look device.Look) []string {
	if here := ruledAll(look); len(here) > 0 {
		return rule.Missing(here)
	}
	return nil
}

// ruledAll are the cards that rules can be about.
func ruledAll(look device.Look) (out []protected.Card) {
	if look.Silent != "" {
		return nil
	}
	for _, seen := range look.Cards {
		out = append(out, ruled(seen))
	}
	return out
}

// ruled is a card as rules know it.
func ruled(seen device.Seen) protected.Card {
	card := protected.Card{UUID: seen.UUID, Parent: seen.Parent, Index: seen.Index}
	for _, p := range slices.Concat(seen.Foreign, seen.Own) {
		card.PIDs = append(card.PIDs, p.PID)
	}
	return card
}
