package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gpuci/buildlock"
	"gpuci/pressure"
	"gpuci/reaper"
	"gpuci/worktrees"
)

// listText prints a look for people.
func (a *app) listText(l reaperLook) error {
	var b strings.Builder
	for _, t := range l.lanes {
		if l.meant[t.Name] {
			l.writeLane(&b, t)
		}
	}
	l.writeNobodys(&b)
	if l.others > 0 {
		fmt.Fprintf(&b, "not listed: %s of other lanes; --every-lane lists them\n", count(l.others, "process", "processes"))
	}
	if text := elsewhereText(l.leaks); text != "" {
		b.WriteString(text + "\n")
	}
	for _, u := range l.unseen {
		fmt.Fprintf(&b, "not seen: %s; %s can\n", u.what, u.who)
	}
	if _, leaked := l.count(); leaked > 0 {
		b.WriteString(buildlock.Printable("next: gpuci reaper sweep"+l.flags()+" ends the leaked ones; with --dry-run it only says which") + "\n")
	}
	if l.testable {
		b.WriteString(buildlock.Printable("next: gpuci reaper sweep"+l.flags()+" --test-binaries ends orphaned test binaries too; with --dry-run it only says which") + "\n")
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// onlyListed says that there are orphans of a target directory, which a sweep
// ends only where it is asked to.
func (l reaperLook) onlyListed() bool {
	return slices.ContainsFunc(l.trees, func(t suspectTree) bool { return t.top().Kind == reaper.InTarget && l.meant[t.top().Lane] })
}

// judgeTests says whether --test-binaries would end any of those.
func (l reaperLook) judgeTests(p reaper.Picture) (any bool, err error) {
	if !l.onlyListed() {
		return false, nil
	}
	o := l.options()
	o.Rules.TestBinaries = true
	j, err := reaper.Judge(p, o.Lanes, o.Wanted, o.Rules)
	return slices.ContainsFunc(j.Judged, func(x reaper.Judged) bool { return x.Leaked && x.Kind == reaper.InTarget }), err
}

// of are the trees of a lane, of none for "".
func (l reaperLook) of(lane string) (out reaperLook) {
	for _, t := range l.trees {
		if t.top().Lane == lane {
			out.trees = append(out.trees, t)
		}
	}
	return out
}

// writeLane prints the trees of a lane. In a build that was killed there are
// dozens, and all for one reason: it is said once.
func (l reaperLook) writeLane(b *strings.Builder, lane worktrees.Tree) {
	mine := l.of(lane.Name)
	all, leaked := mine.count()
	text, root := "none seen", lane.Root
	switch {
	case all > 0:
		text = fmt.Sprintf("%s, %d leaked", count(all, "process", "processes"), leaked)
	case lane.Removed && l.all: // git can have dozens of them in its books
		return
	}
	if lane.Removed {
		root += ", removed"
	}
	b.WriteString(buildlock.Printable(fmt.Sprintf("lane %s (%s): %s", lane.Name, root, text)) + "\n")
	said := ""
	var w *tabwriter.Writer
	for _, t := range mine.sorted() {
		if why := verdictText(t.top().Judged); why != said || w == nil {
			if w != nil {
				_ = w.Flush()
			}
			fmt.Fprintf(b, "  %s\n", buildlock.Printable(why))
			said, w = why, tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		}
		for _, s := range t {
			fmt.Fprintf(w, "    %s\n", s.row(t.top()))
		}
	}
	if w != nil {
		_ = w.Flush()
	}
	for _, t := range mine.trees {
		if t.top().Served {
			fmt.Fprintf(b, "  %s\n", buildlock.Printable(fmt.Sprintf("pid %d may be a service's; if it is to go: %s", t.top().PID, serviceEnd(t.top().PID))))
		}
	}
}

// sorted has the trees of one reason together, leaked ones first.
func (l reaperLook) sorted() []suspectTree {
	out := slices.Clone(l.trees)
	slices.SortStableFunc(out, func(x, y suspectTree) int {
		return cmp.Or(rank(x.top().Leaked)-rank(y.top().Leaked), cmp.Compare(verdictText(x.top().Judged), verdictText(y.top().Judged)))
	})
	return out
}

// verdictText says whether one is leaked, and why.
func verdictText(j reaper.Judged) string {
	switch {
	case j.Leaked:
		return "leaked: " + j.Why
	case j.Young:
		return "not leaked yet: " + j.Why
	}
	return "not leaked: " + j.Why
}

// row is one process, in cells. Its verdict is there where it is not that of
// its top.
func (s suspect) row(top suspect) string {
	name := s.Program()
	switch s.Kind {
	case reaper.Wrapper:
		name += " (a script)"
	case reaper.Started, reaper.InTarget:
		name += " (" + string(s.Kind) + ")"
	}
	cells := []string{strings.Repeat("  ", s.depth) + name, s.who(), s.stateText(), buildlock.Round(s.Age).String() + " old", s.ioText(), s.whoseText(top.Lane), s.dirText()}
	if why := verdictText(s.Judged); s.Leaked != top.Leaked || !strings.HasSuffix(s.Why, top.Why) {
		cells = append(cells, why)
	}
	for i, c := range cells {
		cells[i] = buildlock.Printable(c)
	}
	return strings.Join(cells, "\t")
}

// who is its pid and its user.
func (s suspect) who() string {
	text := fmt.Sprintf("pid %d", s.PID)
	if s.UIDKnown {
		text += " " + buildlock.UserName(int(s.UID))
	}
	return text
}

// ioText is what it has read from storage and sent there, so far.
func (s suspect) ioText() string {
	if s.io == nil {
		return "reads and writes unknown: " + s.noIO
	}
	return fmt.Sprintf("read %s, wrote %s", pressure.Bytes(int64(s.io.Fetched)), pressure.Bytes(int64(s.io.Sent)))
}

// whoseText says by what it is a lane's; which one is said above, unless it is
// another one.
func (s suspect) whoseText(lane string) string {
	text := "by its " + s.Evidence
	switch {
	case s.Evidence == "":
		return "whose is not known"
	case strings.HasPrefix(s.Evidence, "open"):
		text = "by an " + s.Evidence
	}
	if s.Lane != lane {
		text = "lane " + s.Lane + " " + text
	}
	return text
}

// dirText is its working directory.
func (s suspect) dirText() string {
	switch {
	case !s.Cwd.Known():
		return "in an unknown directory"
	case s.Cwd.Deleted:
		return "in " + s.Cwd.Path + ", which was removed"
	}
	return "in " + s.Cwd.Path
}
