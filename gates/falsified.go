package gates

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/falsify/plant"
)

// Falsified says whether a gate has shown that it can be red: what came of planting
// its faults last, and whether that still holds.
type Falsified struct {
	Caught  int        `json:"caught"`
	Of      int        `json:"of"`
	Never   bool       `json:"never,omitempty"`
	At      *time.Time `json:"at,omitempty"`
	Commit  string     `json:"commit,omitempty"`
	Run     string     `json:"run,omitempty"`
	Missed  []string   `json:"missed,omitempty"`  // faults that were not caught
	Same    bool       `json:"same"`              // nothing has changed since of what the gate reads, its settings and its faults
	Changed string     `json:"changed,omitempty"` // what has
	Others  string     `json:"others,omitempty"`  // other files that have, which it was not built from and may read
	Unknown string     `json:"unknown,omitempty"` // why that cannot be told
	Rotted  []string   `json:"rotted,omitempty"`  // faults that do not fit any more
}

// Text is for the person who reads the outcome, at a time.
func (x *Falsified) Text(now time.Time) string {
	switch {
	case x.Never:
		return "never falsified"
	case x.At == nil:
		return "whether it was falsified is not known: " + x.Unknown
	}
	text := fmt.Sprintf("falsified %d of %d", x.Caught, x.Of)
	if len(x.Missed) > 0 {
		text += " (not " + strings.Join(x.Missed, ", ") + ")"
	}
	switch {
	case x.Changed != "":
		return text + ", but " + x.Changed + " since"
	case x.Unknown != "":
		return fmt.Sprintf("%s, %s; whether its files have changed since is not known: %s", text, ago(now.Sub(*x.At)), x.Unknown)
	}
	text = fmt.Sprintf("%s, %s, same gate files", text, ago(now.Sub(*x.At)))
	if x.Others != "" {
		text += " (not built from " + x.Others + ", which changed)"
	}
	return text
}

// ago is how long ago something was, as people say it.
func ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d/time.Minute))
	case d < 2*day:
		return fmt.Sprintf("%d hours ago", int(d/time.Hour))
	}
	return fmt.Sprintf("%d days ago", int(d/day))
}

// falsified says of a green with faults whether it has shown that it can be red.
// It is a mark where it never has, or where it is known to be blind, and asks for
// attention where a fault fits no more: then nobody can find out.
func (f *flow) falsified(ctx context.Context) {
	v := f.v
	stands := v.Outcome == Green || v.Outcome == KnownRed || v.Outcome == Attention
	if len(f.gate.Faults) == 0 || f.opt.Trial != "" || f.opt.History == nil || v.Partial || !stands {
		return
	}
	x := f.fromBundle()
	if x == nil {
		x = f.lastFalsified(ctx)
	}
	v.Falsified = x
	switch {
	case x.Never:
		f.mark(neverFalsified + f.gate.Name + " shows whether it can be red")
	case len(x.Missed) > 0:
		f.mark(x.Text(v.Started) + falsifyAgain + f.gate.Name)
	}
	if !x.Same || len(x.Missed) > 0 { // all that were caught fit
		f.rot(ctx, x)
	}
	if len(x.Rotted) > 0 && (v.Outcome == Green || v.Outcome == KnownRed) {
		v.Outcome = Attention
	}
}

// How the marks of a gate begin, or end, that is not known to be red when it should.
const (
	neverFalsified = "never falsified: gpuci falsify "
	falsifyAgain   = ": gpuci falsify "
)

// rot finds the faults that do not fit the lane any more.
func (f *flow) rot(ctx context.Context, x *Falsified) {
	if f.opt.Lane.Root == "" {
		return
	}
	for _, fault := range f.gate.Faults {
		var rotted *plant.RottedError
		if err := plant.Check(ctx, f.opt.Lane, f.opt.Root, fault); errors.As(err, &rotted) {
			x.Rotted = append(x.Rotted, fault.Name)
			f.find(Attention, fmt.Sprintf("fault %s does not apply any more (what was judged stands): %s", fault.Name, rotted.Why))
			f.next(rotted.Next)
		}
	}
}

// What comes of a planted fault.
const (
	FaultCaught  = "caught"
	FaultBlind   = "blind"          // the gate does not show it, or not as the fault says
	FaultRotted  = "does not apply" // it does not fit the source any more
	FaultUnbuilt = "does not build" // it is no defect of a program
	FaultBroken  = "broken"         // nothing can be said
)

// FaultsID identifies how the faults of a gate are declared.
func FaultsID(g config.Gate) string { return hashOf(g.Faults) }
