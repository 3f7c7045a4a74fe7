package main

import (
	"fmt"
	"strings"

	"gpuci/buildlock"
)

// writeNobodys prints the trees of no lane of ours, a line each, and of a crowd
// the first. What strangers build is a number, unless all is to be listed.
func (l reaperLook) writeNobodys(b *strings.Builder) {
	listed, strange := l.nobodys()
	n, _ := listed.count()
	switch {
	case l.outside():
		fmt.Fprintf(b, "%s (no lanes: this is no git worktree)\n", count(n, "process", "processes"))
	case l.untold():
		fmt.Fprintf(b, "%s (which lanes there are cannot be told)\n", count(n, "process", "processes"))
	case n > 0:
		fmt.Fprintf(b, "of no lane of this repository, or not known whose: %s\n", count(n, "process", "processes"))
	}
	for _, t := range listed.trees[:min(perLane, len(listed.trees))] {
		b.WriteString("  " + buildlock.Printable(t.short()) + "\n")
	}
	if n := len(listed.trees) - perLane; n > 0 {
		fmt.Fprintf(b, "  and %d more (--json has them all)\n", n)
	}
	if pids := listed.inRemoved(); pids != "" {
		fmt.Fprintf(b, "  what works in a removed directory is of no lane, and no sweep ends it; if it is yours: kill%s\n", pids)
	}
	if pids := listed.unowned(); pids != "" {
		fmt.Fprintf(b, "  of which it is not known whose they are, no sweep ends; if they are yours: kill%s\n", pids)
	}
	if n, _ := strange.count(); n > 0 {
		fmt.Fprintf(b, "not listed: %s of no lane of this repository; --every-lane lists them\n", count(n, "process", "processes"))
	}
}

// nobodys are the trees of no lane: those that are listed, and strangers', which
// are not unless all are, or nothing is known of lanes.
func (l reaperLook) nobodys() (listed, strange reaperLook) {
	for _, t := range l.of("").trees {
		if l.all || l.outside() || l.untold() || t.top().Why == nobodysOrphan || l.meant[t.top().Claim] {
			listed.trees = append(listed.trees, t)
		} else {
			strange.trees = append(strange.trees, t)
		}
	}
	return listed, strange
}

// nobodysOrphan is what the rule says of one that is leaked, but for whose it is.
const nobodysOrphan = "whose it is is not known"

// inRemoved are the pids, each after a space, of orphans in directories that
// were removed: of lanes that were, for all that can be told.
func (l reaperLook) inRemoved() (pids string) {
	return l.orphans(func(top suspect) bool { return top.Cwd.Known() && top.Cwd.Deleted })
}

// unowned are the same of the other orphans that are nobody's.
func (l reaperLook) unowned() (pids string) {
	return l.orphans(func(top suspect) bool { return !top.Cwd.Known() || !top.Cwd.Deleted })
}

// orphans are the pids in those trees of nobody's that are listed and that are
// asked for.
func (l reaperLook) orphans(which func(top suspect) bool) (pids string) {
	for _, t := range l.trees[:min(perLane, len(l.trees))] {
		if t.top().Why != nobodysOrphan && t.top().Claim == "" || !which(t.top()) {
			continue
		}
		for _, s := range t {
			pids += fmt.Sprintf(" %d", s.PID)
		}
	}
	return pids
}

// short is a tree in one line.
func (t suspectTree) short() string {
	top := t.top()
	text := fmt.Sprintf("%s (%s)", top.Program(), top.who())
	if n := len(t) - 1; n > 0 {
		text += fmt.Sprintf(" and %d below it", n)
	}
	text += fmt.Sprintf(", %c, %s old", top.State, buildlock.Round(top.Age))
	if top.Cwd.Known() {
		text += ", " + top.dirText()
	}
	return text + ": " + top.Why
}
