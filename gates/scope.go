package gates

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scope marks a green that covers less than production uses: a gate over one
// chunk says nothing about sixteen.
func (f *flow) scope() {
	for _, name := range slices.Sorted(maps.Keys(f.gate.Scope)) {
		axis := f.gate.Scope[name]
		var gap []string
		for _, v := range axis.Production {
			same := func(c any) bool { return fmt.Sprint(c) == fmt.Sprint(v) } // 4 and 4.0 are one point
			if !slices.ContainsFunc(axis.Covered, same) {
				gap = append(gap, fmt.Sprint(v))
			}
		}
		if len(gap) > 0 {
			f.mark(fmt.Sprintf("scope gap: %s = %s of production is not covered", name, strings.Join(gap, ", ")))
		}
	}
}
