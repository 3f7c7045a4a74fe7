package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
)

// checkProtected says what the rules for protected runs find. One that finds
// nothing may be between two runs, or have a slip of the pen in it.
func (d *doctor) checkProtected(ctx context.Context, cards *gates.Cards, s gates.Survey) (out []check) {
	if len(cards.Rules) == 0 {
		return nil
	}
	look, err := protected.Find(ctx, protected.Options{Rules: cards.Rules, State: cards.State})
	if err != nil {
		return []check{unsure("protected runs", err.Error())}
	}
	for _, rule := range cards.Rules {
		if names := gates.Misnamed(rule, s.Look); len(names) > 0 {
			out = append(out, misnamed(rule, names, s.Look))
			continue
		}
		out = append(out, ruleCheck(rule, look, onCards(cards, rule, look, s)))
	}
	return out
}

// misnamed is a rule for a card that is not here.
func misnamed(rule protected.Rule, names []string, here device.Look) check {
	var cards []string
	for _, c := range here.Cards {
		cards = append(cards, cardName(c.Card))
	}
	return broken("protect "+rule.Name, "it names "+strings.Join(names, ", ")+", and no such card is here",
		"no gate has any card while its run is there: which card that is on is not known", "put its cards right; here are "+strings.Join(cards, ", "))
}

func ruleCheck(rule protected.Rule, look protected.Look, others []string) check {
	name := "protect " + rule.Name
	for _, u := range look.Unknown {
		if u.Rule.Name == rule.Name {
			return unsure(name, "whether it runs cannot be told: "+u.Why)
		}
	}
	var runs []string
	for _, r := range look.Runs {
		if r.Rule.Name == rule.Name {
			runs = append(runs, protectedText(r, time.Now())+"; "+cmp.Or(r.Hint(), "its command line: "+r.Command))
		}
	}
	switch {
	case len(runs) == 0 && len(others) > 0:
		return lost(name, buildlock.Printable("no process fits it now"+notThere(rule)+", yet "+strings.Join(others, ", ")),
			"should that be the run, a gate that may share the card is let on it", "hold its command line against the rule: command has to be found in it, and cwd, user, pidfile and unit have to fit as well")
	case len(runs) == 0:
		return fine(name, "no process fits it now, and it keeps no gate off a card"+notThere(rule))
	}
	return fine(name, buildlock.Printable(strings.Join(runs, "; ")))
}

// notThere says which files of a rule are not there: between two runs that is usual, and
// a slip of the pen looks the same.
func notThere(rule protected.Rule) string {
	text := ""
	if _, err := os.Lstat(rule.PIDFile); rule.PIDFile != "" && errors.Is(err, fs.ErrNotExist) {
		text += "; there is no pidfile " + rule.PIDFile
	}
	if rule.Log != "" {
		if list, err := filepath.Glob(rule.Log); err == nil && len(list) == 0 {
			text += "; there is no log " + rule.Log
		}
	}
	return buildlock.Printable(text)
}

// onCards are the processes on cards that a rule might be meant for: on those that it
// names, of no protected run, and not where somebody has the card's lock.
func onCards(cards *gates.Cards, rule protected.Rule, look protected.Look, s gates.Survey) (out []string) {
	for _, c := range s.Cards {
		on := protected.Card{UUID: c.UUID, Parent: c.Parent, Index: c.Index}
		if c.Holder != nil || len(rule.Cards) > 0 && !(protected.Run{Rule: rule}).On(on) {
			continue
		}
		for _, p := range c.Foreign {
			known := slices.ContainsFunc(look.Runs, func(r protected.Run) bool { return slices.Contains(r.PIDs, p.PID) })
			if !known {
				out = append(out, cards.Who(p)+" is on "+cardName(c.Card))
			}
		}
	}
	return out
}
