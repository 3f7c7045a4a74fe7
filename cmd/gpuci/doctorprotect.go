package main

import (
	"context"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device/protected"
)

// checkProtected says what the rules for protected runs find. One that finds
// nothing may be between two runs, or have a slip of the pen in it.
func (d *doctor) checkProtected(ctx context.Context, cards *gates.Cards) (out []check) {
	if len(cards.Rules) == 0 {
		return nil
	}
	look, err := protected.Find(ctx, protected.Options{Rules: cards.Rules, State: cards.State})
	if err != nil {
		return []check{unsure("protected runs", err.Error())}
	}
	for _, rule := range cards.Rules {
		out = append(out, ruleCheck(rule, look))
	}
	return out
}

func ruleCheck(rule protected.Rule, look protected.Look) check {
	name := "protect " + rule.Name
	for _, u := range look.Unknown {
		if u.Rule.Name == rule.Name {
			return unsure(name, "whether it runs cannot be told: "+u.Why)
		}
	}
	var runs []string
	for _, r := range look.Runs {
		if r.Rule.Name == rule.Name {
			runs = append(runs, protectedText(r, time.Now()))
		}
	}
	if len(runs) == 0 {
		return fine(name, "no process fits it now, and it keeps no gate off a card")
	}
	return fine(name, buildlock.Printable(strings.Join(runs, "; ")))
}
