package ci

import (
	"slices"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
)

// ordered puts gates in the order in which they are run: those that another names
// in after before it, and among those that may be next the cheapest, so that a
// short night has the most outcomes. What was never run comes last: nobody knows
// what it costs. The configuration has no cycles. heeds are gates that say something
// of another one by what they come to, as notes do: they go before it where after
// does not say otherwise; nil is for none.
func ordered(list []config.Gate, cost func(gate string) (time.Duration, bool), heeds func(gate string) []string) (out []config.Gate) {
	rest := slices.Clone(list)
	slices.SortStableFunc(rest, func(a, b config.Gate) int {
		x, known := cost(a.Name)
		y, other := cost(b.Name)
		switch {
		case known != other && known:
			return -1
		case known != other:
			return 1
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(g config.Gate) bool {
			return !waits(g.After, rest) && (heeds == nil || !waits(heeds(g.Name), rest))
		})
		if next < 0 { // notes may name each other's gates
			next = slices.IndexFunc(rest, func(g config.Gate) bool { return !waits(g.After, rest) })
		}
		next = max(next, 0) // there is one, or else the first will do
		out = append(out, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	return out
}

// waits says whether one of the names is of a gate that is still to come.
func waits(names []string, rest []config.Gate) bool {
	return slices.ContainsFunc(rest, func(other config.Gate) bool { return slices.Contains(names, other.Name) })
}

// hindrance is why a gate is not run: one before it did not pass. Gates that this
// night leaves out hinder none.
func hindrance(g config.Gate, came map[string]Cell) string {
	for _, name := range g.After {
		switch c, ok := came[name]; {
		case !ok || c.passed():
		case c.State == NotRun:
			return "after " + name + ", which was not run"
		case c.Outcome == gates.Refused:
			return "after " + name + ", which was refused"
		default:
			return "after " + name + ", which is " + string(c.Outcome)
		}
	}
	return ""
}
