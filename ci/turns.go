package ci

import (
	"fmt"
	"slices"

	"gpuci/gates/config"
)

// turn is one gate's place in the order of a night.
type turn struct {
	w      *work
	gate   config.Gate
	owed   bool     // it is run though an outcome from before stands: that pays nothing
	behind []string // gates of the same content that are to come to something first
	say    string   // before the first of those that pay what a lane owes
}

// lineUp puts the gates of all contents in the order of their turns: what is owed and what
// that is to come after, lane by lane, then all else. Of the contents the one whose debts
// came last goes on: where gates run in scratch lanes, its own is there already.
func (n *night) lineUp() (list []*turn) {
	taken := make(map[*work]map[string]bool)
	put := func(t turn) {
		if taken[t.w] == nil {
			taken[t.w] = make(map[string]bool)
		}
		if _, came := t.w.came[t.gate.Name]; taken[t.w][t.gate.Name] || t.w.flying[t.gate.Name] || came && !t.owed {
			return
		}
		taken[t.w][t.gate.Name] = true
		list = append(list, &t)
	}
	debtors, owed := n.debtors()
	jobs := n.jobs
	for i, w := range debtors {
		say := fmt.Sprintf("lane %s: pays what it owes first: %s", w.lead().Lane, namesOf(owed[w]))
		for _, g := range w.withBefore(owed[w]) {
			owes := slices.ContainsFunc(owed[w], func(o config.Gate) bool { return o.Name == g.Name })
			put(turn{w: w, gate: g, owed: owes, behind: g.After, say: say})
			say = ""
		}
		if i == len(debtors)-1 {
			at := slices.Index(jobs, w)
			jobs = append([]*work{w}, slices.Delete(slices.Clone(jobs), at, at+1)...)
		}
	}
	for _, w := range jobs {
		for i, g := range w.gates {
			put(turn{w: w, gate: g, behind: w.behind(i)})
		}
	}
	return list
}

// withBefore puts before each gate those that it is to come after.
func (w *work) withBefore(list []config.Gate) (out []config.Gate) {
	var put func(g config.Gate)
	put = func(g config.Gate) {
		for _, before := range w.gates {
			if slices.Contains(g.After, before.Name) {
				put(before)
			}
		}
		if !slices.ContainsFunc(out, func(o config.Gate) bool { return o.Name == g.Name }) {
			out = append(out, g)
		}
	}
	for _, g := range list {
		put(g)
	}
	return out
}

// behind are the gates that the i-th one waits for: those that it is to come after, and
// those whose outcomes its notes heed, as far as they are before it in the order. Notes may
// name each other's gates.
func (w *work) behind(i int) (names []string) {
	g := w.gates[i]
	heeds := w.notes.WaitsFor(g.Name)
	for _, before := range w.gates[:i] {
		if slices.Contains(g.After, before.Name) || slices.Contains(heeds, before.Name) {
			names = append(names, before.Name)
		}
	}
	return names
}

// ready says whether all that a turn is to come after has come to something.
func (t *turn) ready() bool {
	return !slices.ContainsFunc(t.behind, t.w.owes)
}
