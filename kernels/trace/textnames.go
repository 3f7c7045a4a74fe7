package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// called is a kernel by the name that people read, and the compiler's.
type called struct{ name, symbol string }

// fitApart cuts names to the widths that there are for them, such that those that differ
// can be told apart: kernels of CUTLASS differ in the midst of a thousand characters.
func fitApart(list []called, width func(i int) int) []string {
	c := cutting{inFull(list), make([]string, len(list)), width, 1 << 20}
	for i, text := range c.texts {
		c.cut[i] = fit(text, width(i))
		c.least = min(c.least, width(i))
	}
	c.apart(c.lookalikes(func(i int) string { return fit(c.texts[i], c.least) }))
	return c.cut
}

// cutting is one of several texts.
type cutting struct {
	texts, cut []string
	width      func(i int) int
	least      int // of the widths: what looks the same in it looks much the same in all
}

// inFull are the names in full: with parameters where another symbol has the same without.
func inFull(list []called) []string {
	symbols := map[string]map[string]bool{}
	for _, c := range list {
		if symbols[c.name] == nil {
			symbols[c.name] = map[string]bool{}
		}
		symbols[c.name][c.symbol] = true
	}
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = c.name
		if len(symbols[c.name]) > 1 {
			texts[i] = demangle.Filter(c.symbol)
		}
	}
	return texts
}

// lookalikes gives the groups of different texts that look the same.
func (c *cutting) lookalikes(look func(i int) string) (groups [][]int) {
	by, order := map[string][]int{}, []string(nil)
	for i := range c.texts {
		key := look(i)
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], i)
	}
	for _, key := range order {
		if g := by[key]; slices.ContainsFunc(g, func(i int) bool { return c.texts[i] != c.texts[g[0]] }) {
			groups = append(groups, g)
		}
	}
	return groups
}

// apart cuts each group around where its texts begin to differ. What still looks the same
// is a smaller group, that differs later; or differs by how often the same comes, and is
// numbered.
func (c *cutting) apart(groups [][]int) {
	for _, g := range groups {
		at := len([]rune(c.texts[g[0]]))
		for _, i := range g[1:] {
			if c.texts[i] != c.texts[g[0]] {
				at = min(at, sharedRunes(c.texts[g[0]], c.texts[i]))
			}
		}
		for _, i := range g {
			c.cut[i] = fitAround(c.texts[i], at, c.width(i))
		}
		left := c.lookalikes(func(i int) string {
			if !slices.Contains(g, i) {
				return c.texts[i] // which is none of these
			}
			return fitAround(c.texts[i], at, c.least)
		})
		if len(left) > 0 && len(left[0]) >= len(g) {
			c.number(g)
			continue
		}
		c.apart(left)
	}
}

// number tells texts apart that no cut does.
func (c *cutting) number(group []int) {
	var different []string
	for _, i := range group {
		if !slices.Contains(different, c.texts[i]) {
			different = append(different, c.texts[i])
		}
		mark := fmt.Sprintf(" #%d", slices.Index(different, c.texts[i])+1)
		c.cut[i] = fit(c.texts[i], c.width(i)-len(mark)) + mark
	}
}

// sharedRunes is how many characters two texts begin with alike.
func sharedRunes(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// fitAround cuts a text to a width and leaves its beginning, what stands around a place,
// and its end.
func fitAround(text string, at, width int) string {
	r := []rune(text)
	if len(r) <= width || width < 12 {
		return fit(text, width)
	}
	tail := (width - 2) / 4
	midst := (width - 2) / 2
	head := width - 2 - tail - midst
	from := min(max(at-midst/3, head), len(r)-tail-midst)
	to := from + midst
	var b strings.Builder
	b.WriteString(string(r[:head]))
	if from > head {
		b.WriteRune('…')
	}
	b.WriteString(string(r[from:to]))
	if to < len(r)-tail {
		b.WriteRune('…')
	}
	b.WriteString(string(r[len(r)-tail:]))
	return b.String()
}
