package gates

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"gpuci/gates/config"
	"gpuci/kernels/device"
)

// neverHere begins why a debt is void whose gate can never run here.
const neverHere = "it can never run here: "

// NeverHere says that a debt is void for what the machine has not: it is owed again where,
// and as soon as, there is that.
func (d Debt) NeverHere() bool { return strings.HasPrefix(d.Void, neverHere) }

// Unrunnable makes those debts void whose gates can never run here; never says why, "" of
// those that can.
func Unrunnable(debts []Debt, never func(Debt) string) []Debt {
	out := slices.Clone(debts)
	for i := range out {
		if d := &out[i]; d.Void == "" && never != nil {
			if why := never(*d); why != "" {
				d.Void = neverHere + why
			}
		}
	}
	return out
}

// Never looks at the cards, once and when it is first asked, and says of a need why it can
// never be met by them: "" where it can, where another choice of cards may do, and where
// nobody can tell. A driver that is silent may be on its way back.
func (c *Cards) Never(ctx context.Context) func(need config.CardNeed) string {
	look := sync.OnceValues(func() (device.Look, error) {
		defer c.Close()
		return c.Look(ctx)
	})
	return func(need config.CardNeed) string {
		if need.Count == 0 {
			return ""
		}
		seen, err := look()
		if err == nil && seen.Silent == "" {
			_, err = c.Candidates(seen, need)
		}
		switch {
		case errors.Is(err, device.ErrChoice), errors.As(err, new(wrongAllowed)):
			return ""
		case errors.Is(err, device.ErrNoDriver), errors.Is(err, device.ErrNoCard):
			return err.Error()
		}
		return ""
	}
}
