package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// cellText is a text that stands in a table: a tab in it is shown, and moves no column.
func cellText(text string) string { return strings.ReplaceAll(ownLine(text), "\t", `\t`) }

// details are the lines of -v below a kernel.
func details(b *strings.Builder, k entry.Kernel) {
	if k.Readable != "" {
		fmt.Fprintf(b, "      looked up as %s\n", cellText(k.Name))
	}
	for _, p := range k.Params {
		fmt.Fprintf(b, "      parameter %d at %d: %s%s\n", p.Ordinal, p.Offset, count(p.Size, "byte", "bytes"), cellText(comma(p.Type)))
	}
	if k.SpillStores != nil && k.SpillLoads != nil && *k.SpillStores+*k.SpillLoads > 0 {
		fmt.Fprintf(b, "      spills: %s stored, %d loaded\n", count(*k.SpillStores, "byte", "bytes"), *k.SpillLoads)
	}
	for _, x := range k.Atomics {
		where := fmt.Sprintf("at byte %d", x.At)
		if x.Line > 0 {
			where = fmt.Sprintf("in line %d", x.Line)
		}
		if x.In != "" {
			where += " of " + cellText(x.In)
		}
		fmt.Fprintf(b, "      float atomic %s, %s, first %s\n", cellText(x.Op), times(x.Count), where)
	}
	if k.AtomicsWhy != "" {
		fmt.Fprintf(b, "      float atomics are not known: %s\n", cellText(k.AtomicsWhy))
	}
}

func comma(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// shorter is a name of at most so many letters, without its middle: namespaces are at
// its beginning, and what tells templates apart at its end.
func shorter(name string, most int) string {
	r := []rune(name)
	if len(r) <= most {
		return name
	}
	head := (most - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(most-1-head):])
}

// distinct are names of at most so many letters: without their middle, and where two
// would be alike by that, with the place at which they begin to differ. What is alike
// even so has a number.
func distinct(names []string, most int) []string {
	groups := make(map[string][]int)
	for i, n := range names {
		groups[shorter(n, most)] = append(groups[shorter(n, most)], i)
	}
	all := make([]string, len(names))
	seen := make(map[string]int)
	for i, n := range names {
		s := shorter(n, most)
		if group := groups[s]; len(group) > 1 {
			s = around(n, sharedStart(names, group), most)
		}
		if seen[s]++; seen[s] > 1 {
			end := "…" + strconv.Itoa(seen[s])
			s = string([]rune(s)[:max(0, min(len([]rune(s)), most)-len([]rune(end)))]) + end
		}
		all[i] = s
	}
	return all
}

// sharedStart is how many letters those of a group share at their beginning.
func sharedStart(names []string, group []int) int {
	first := []rune(names[group[0]])
	n := len(first)
	for _, i := range group[1:] {
		other := []rune(names[i])
		n = min(n, len(other))
		for j := range n {
			if other[j] != first[j] {
				n = j
				break
			}
		}
	}
	return n
}

// around is a name from shortly before a letter on, with as much of its beginning as
// says what it is.
func around(name string, at, most int) string {
	const before = 2
	r := []rune(name)
	head := most / 3
	if len(r) <= most || at-before <= head {
		return shorter(name, most)
	}
	tail := r[at-before:]
	if room := most - head - 1; len(tail) > room {
		tail = append(slices.Clone(tail[:room-1]), '…')
	}
	return string(r[:head]) + "…" + string(tail)
}

func shownKernel(k entry.Kernel) string { return cmp.Or(k.Readable, k.Name) }

// knownText is a number, or "?".
func knownText(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}

// spills are bytes of stores and loads, "0" where there is neither.
func spills(k entry.Kernel) string {
	if k.SpillStores == nil && k.SpillLoads == nil {
		return "?"
	}
	if k.SpillStores != nil && k.SpillLoads != nil && *k.SpillStores == 0 && *k.SpillLoads == 0 {
		return "0"
	}
	return knownText(k.SpillStores) + "/" + knownText(k.SpillLoads)
}

func paramsText(k entry.Kernel) string {
	if !k.ParamsKnown {
		return "?"
	}
	if k.ParamBytes == nil {
		return strconv.Itoa(len(k.Params))
	}
	return fmt.Sprintf("%d, %dB", len(k.Params), *k.ParamBytes)
}

func threadsText(k entry.Kernel) string {
	list, sign := k.MaxThreads, ""
	if len(k.ReqThreads) > 0 {
		list, sign = k.ReqThreads, "="
	}
	if len(list) == 0 {
		return "-"
	}
	for len(list) > 1 && list[len(list)-1] == 1 {
		list = list[:len(list)-1]
	}
	var words []string
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	return sign + strings.Join(words, "x")
}

func atomicsText(k entry.Kernel) string {
	switch {
	case len(k.Atomics) > 0:
		return strconv.Itoa(len(k.Atomics))
	case !k.AtomicsKnown:
		return "?"
	}
	return "none"
}

// kernelOrders are what --sort takes.
func kernelOrders() []string { return []string{"registers", "spill", "shared", "code", "name"} }

// sorted puts the largest first, and what is not known last.
func (v kernelView) sorted(list []entry.Kernel) []entry.Kernel {
	of := map[string]func(entry.Kernel) *int{
		"registers": func(k entry.Kernel) *int { return k.Registers }, "spill": largerSpill,
		"shared": func(k entry.Kernel) *int { return k.Shared }, "code": func(k entry.Kernel) *int { return k.Code },
	}[v.sort]
	if v.sort == "" {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b entry.Kernel) int {
		if of == nil {
			return cmp.Compare(shownKernel(a), shownKernel(b))
		}
		return cmp.Compare(orLess(of(b)), orLess(of(a)))
	})
	return list
}

func orLess(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// largerSpill is what counts of spills: stores or loads, whichever are more.
func largerSpill(k entry.Kernel) *int {
	if orLess(k.SpillStores) > orLess(k.SpillLoads) {
		return k.SpillStores
	}
	return k.SpillLoads
}
