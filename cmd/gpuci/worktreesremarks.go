package main

import (
	"fmt"
	"strings"
	"time"

	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// remarks are what is to be said of a lane below the table.
func (l lanesLook) remarks(lane laneLook) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if found, ok := lane.landable(); ok {
		out = append(out, l.landableText(found))
	}
	switch {
	case lane.Err != nil:
		add("%s", strings.TrimSpace(lane.Err.Error()))
	case lane.Removed:
		out = append(out, removedText(lane.Standing))
	case lane.Locked:
		add("locked%s", colon(lane.Reason))
	}
	if lane.MovedFrom != "" {
		add("it was moved here from %s: git worktree repair, here, puts git's list right", lane.MovedFrom)
	}
	if lane.CountErr != nil {
		add("%s", lane.CountErr)
	}
	if lane.wrong != "" {
		add("its gpuci.toml is wrong: %s: gpuci -C %s config shows it", lane.wrong, bourneQuote(lane.Root))
	}
	if text := l.owesText(lane); text != "" {
		out = append(out, text)
	}
	if lane.leaked > 0 {
		add("%s: gpuci reaper sweep --lane %s ends them", count(lane.leaked, "leaked process", "leaked processes"), lane.Name)
	}
	return out
}

// colon is a text behind a colon, if there is one.
func colon(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

// removedText is what became of a lane's directory, and what forgets the lane.
// Commits that are on no branch would be forgotten with it.
func removedText(st worktrees.Standing) string {
	var text string
	switch {
	case st.Locked:
		text = fmt.Sprintf("its directory %s is not there, and it is locked%s; git worktree unlock, then git worktree prune, forgets it", st.Root, colon(st.Reason))
	case !st.Prunable:
		text = fmt.Sprintf("its directory was removed, and something else stands at %s: once that is moved away, git worktree prune forgets it", st.Root)
	default:
		text = "its directory was removed: git worktree prune forgets it (git worktree repair DIR, if it was moved there)"
	}
	if st.State.Branch == "" && st.Ahead > 0 {
		text += fmt.Sprintf("; git branch NAME %.10s keeps %s that no branch may have", st.State.Commit, count(st.Ahead, "commit", "commits"))
	}
	return text
}

// landableText is a lane's line of what could be landed.
func (l lanesLook) landableText(found landable) string {
	text := "green"
	if len(found.Attention) > 0 {
		text += " (attention: " + strings.Join(found.Attention, " ") + ")"
	}
	if found.Uncommitted > 0 {
		text += " with " + count(found.Uncommitted, "uncommitted file", "uncommitted files")
	}
	return fmt.Sprintf("%s, %s not in %s, %s", text, count(found.Commits, "commit", "commits"), l.base.Name, lastingText(l.now.Sub(found.Since)))
}

// lastingText is for how long something has been so.
func lastingText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "since just now"
	case d < time.Hour:
		return "for " + count(int(d.Minutes()), "minute", "minutes")
	case d < 48*time.Hour:
		return "for " + count(int(d.Hours()), "hour", "hours")
	}
	return "for " + count(int(d.Hours()/24), "day", "days")
}

// scratchText is the line of a scratch lane: whose it is, and what for.
func (l lanesLook) scratchText(lane laneLook) (text string, ok bool) {
	s, ok := scratchOf(lane.Tree)
	if !ok {
		return "", false
	}
	text = s.ID
	if s.Of != "" {
		text += " of lane " + s.Of
	}
	if lane.State.Commit != "" {
		text += fmt.Sprintf(" at %.10s", lane.State.Commit)
	}
	if s.For != "" {
		text += ", for " + s.For
	}
	if s.PID != 0 && !s.Abandoned {
		text += fmt.Sprintf(" (pid %d %s)", s.PID, s.User)
	}
	if s.PID != 0 {
		text += ", since " + s.Since.Local().Format("2006-01-02 15:04")
	}
	switch {
	case lane.Removed:
		text += "; its directory was removed"
	case s.Abandoned:
		text += fmt.Sprintf("; its gpuci (pid %d %s) is gone: killed, or it kept the lane. The next gpuci falsify, fixtures verify, lint, worktrees land or ci nightly removes it", s.PID, s.User)
	case lane.Err != nil:
		text += "; " + strings.TrimSpace(lane.Err.Error())
	}
	return text, true
}

// scratchLine is whose a scratch lane is.
type scratchLine struct {
	ID        string    `json:"id"`
	Of        string    `json:"of,omitempty"`  // the lane that it was made of
	For       string    `json:"for,omitempty"` // what it is there for
	PID       int       `json:"pid,omitempty"`
	User      string    `json:"user,omitempty"`
	Since     time.Time `json:"since,omitzero"`
	Abandoned bool      `json:"abandoned,omitempty"` // that process is gone
}

func scratchOf(t worktrees.Tree) (s scratchLine, ok bool) {
	id, ok := worktrees.ScratchID(t)
	if !ok {
		return s, false
	}
	s.ID = id
	if h, known := worktrees.HolderOf(t); known {
		s.Of, s.For, s.PID, s.User, s.Since = h.Of, h.For, h.Pid, h.User, h.Since
		now, err := proc.Real.Stat(h.Pid)
		s.Abandoned = err != nil || fmt.Sprint(now.Start) != h.Start || now.Zombie() // whose parent may never ask for it
	}
	return s, true
}
