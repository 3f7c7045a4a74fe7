package gates

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuci/pressure"
)

// Admission lets work in one after the other, when the machine has room for it. What
// waits, waits for all: its time is paid once.
type Admission struct {
	Rule  pressure.Rule
	Spent func() time.Duration // of the budget; may be nil
	Spend func(time.Duration)
	Held  func(pressure.Hold) // says that work is held back
	Mark  func(string)        // says once how it was let in, if not as the rule asks

	mu   sync.Mutex
	said []string
}

// Admit waits until a compiler may begin. The error wraps [pressure.ErrRefused], or is
// the context's.
func (a *Admission) Admit(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Rule.Off {
		return context.Cause(ctx)
	}
	in, err := pressure.Admission{Rule: a.Rule, Others: others(), Spent: a.Spent, Spend: a.Spend, Held: a.Held}.Wait(ctx)
	switch {
	case err != nil:
		return err
	case in.Unknown != nil:
		a.mark("pressure: " + in.Unknown.Error())
	case in.Under != "":
		a.mark("compiled under pressure: " + in.Under)
	}
	return nil
}

// mark says of each kind of text one, whatever its numbers.
func (a *Admission) mark(text string) {
	kind, _, _ := strings.Cut(text, ":")
	if !slices.Contains(a.said, kind) && a.Mark != nil {
		a.said = append(a.said, kind)
		a.Mark(text)
	}
}
