package gates

import (
	"slices"
	"strings"
)

// Owed says that a gate was refused for something that passes: the measurement is
// owed.
type Owed struct {
	Why    string `json:"why"` // one of those below
	Detail string `json:"detail,omitempty"`
}

// Why a measurement is owed.
const (
	OweCard      = "card busy"
	OweUnknown   = "card unknown"
	OweContended = "contended" // somebody came on the card while it ran
	OweBox       = "box"       // the machine was not quiet, or a lock was not had in time
)

// owe notes why the gate is refused; the first reason is the one.
func (f *flow) owe(why, detail string) {
	if f.v.Owed == nil {
		f.v.Owed = &Owed{why, strings.TrimPrefix(detail, why+": ")} // the two are printed one behind the other
	}
}

// settleOwed leaves a debt with a gate that is refused alone, and says whether what it
// runs was built.
func (f *flow) settleOwed() {
	if f.v.Outcome != Refused {
		f.v.Owed = nil
		return
	}
	is := func(state StepState, names ...string) bool {
		return slices.ContainsFunc(f.v.Steps, func(s Step) bool { return s.State == state && slices.Contains(names, s.Name) })
	}
	f.v.Built = is(StepDone, "kernels", "build") && !is(StepFailed, "kernels", "build") && !is(StepSkipped, "build")
}
