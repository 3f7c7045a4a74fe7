package gates

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// rules ends the run where a protected run is on its card that does not share. A gate
// that has the card alone gives way to those who are really there; one that shares it
// to those as well who may come back any moment.
func (g *guard) rules(ctx context.Context, last bool) {
	g.mu.Lock()
	look := g.last
	g.mu.Unlock()
	found, err := protected.Find(ctx, protected.Options{Rules: g.cards.Rules, State: g.cards.State})
	if ctx.Err() != nil {
		return
	}
	doubt := ""
	if err != nil {
		doubt = err.Error()
	}
	found = among(found, look)
	for _, uuid := range g.uuids {
		seen, _ := look.Find(uuid)
		on := ruled(seen)
		if on.UUID = uuid; seen.UUID == "" { // it is not in that look
			on.Index = -1
		}
		for _, r := range found.Runs {
			there := r
			if !g.share {
				there.Rule.Cards = nil
			}
			if !r.Rule.Share && there.On(on) {
				g.met(uuid, r)
				g.over(fmt.Sprintf("the %s came on %s, and nobody shares a card with that", r.Text(time.Now()), seen.Label()))
			}
		}
		for _, u := range found.Unknown {
			if u.On(on) {
				doubt = u.Text()
			}
		}
	}
	g.doubtful(doubt, last)
}

// doubtful keeps what is not known of the rules twice in a row, or at the end.
func (g *guard) doubtful(doubt string, last bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if doubt == "" || !g.share {
		g.doubts = 0
		return
	}
	if g.doubts++; g.doubts > 1 || last {
		g.doubt = doubt
	}
}

// cameOn is a protected run that came on a card of a gate.
type cameOn struct {
	uuid string
	run  protected.Run
}

// met keeps who came.
func (g *guard) met(uuid string, r protected.Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.ContainsFunc(g.came, func(o cameOn) bool { return o.uuid == uuid && o.run.Process == r.Process }) {
		g.came = append(g.came, cameOn{uuid, r})
	}
}

// learn takes in who came on the cards while the gate ran: a protected run may say when
// it will be over.
func (c *onCards) learn(g *guard) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range g.came {
		if i := slices.IndexFunc(c.all, func(s CardState) bool { return s.UUID == o.uuid }); i >= 0 {
			at, basis, known := o.run.FreeAt(time.Now())
			c.all[i].until(at, basis, known)
		}
	}
}
