package config

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"

	"gpuci/gates/expr"
)

// mixes is how many mixed assignments a relation is tried with. At half a
// chance for its own numbers it takes 256 to meet four conditions at once, such
// as mode != 1 || kind != 2 || fused == asked leaves open; a thousand are few ms.
const mixes = 1000

// alwaysHolds looks for counters that break a relation, and says that there
// are none among those it tried. That is a search, not a proof: it can miss a
// relation that cannot fail, but it names one that can only where several
// counters must have exactly the right values together.
func alwaysHolds(x *expr.Expr) bool {
	own, all := trials(x.String())
	for _, v := range all { // all alike, which a != b || b != c needs
		if !holdsWith(x, func() string { return v }) {
			return false
		}
	}
	chance := rand.New(rand.NewPCG(1, 2)) // a file must not be right on one day and wrong on another
	for range mixes {
		if !holdsWith(x, func() string {
			if len(own) > 0 && chance.IntN(2) == 0 {
				return own[chance.IntN(len(own))]
			}
			return all[chance.IntN(len(all))]
		}) {
			return false
		}
	}
	return true
}

// holdsWith evaluates a relation once. What cannot be evaluated does not hold.
func holdsWith(x *expr.Expr, next func() string) bool {
	counters := make(map[string]string)
	for _, n := range x.Names() {
		counters[n.Text] = next()
	}
	held, err := x.Eval(counters)
	return err == nil && held
}

// trials returns the numbers a relation is tried with: those it names itself,
// and all, which has their neighbours and some that a counter can have anyway.
func trials(relation string) (own, all []string) {
	all = []string{"0", "1", "2", "3", "7", "8", "0.5", "-1", "-0.5", "1e12", "-1e12"}
	for _, lit := range regexp.MustCompile(`[0-9.]+(?:[eE][+-]?[0-9]+)?`).FindAllString(relation, -1) {
		v, err := strconv.ParseFloat(lit, 64)
		if err != nil || math.IsInf(2*v, 0) {
			continue // part of a name, or beyond any counter
		}
		own = append(own, lit)
		all = append(all, lit, "-"+lit)
		for _, near := range []float64{v + 1, v - 1, 2 * v, -2 * v} {
			all = append(all, strconv.FormatFloat(near, 'g', -1, 64))
		}
	}
	slices.Sort(own)
	slices.Sort(all)
	return slices.Compact(own), slices.Compact(all)
}
