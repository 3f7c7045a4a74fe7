package reaper

import (
	"fmt"
	"slices"
	"strings"
)

// strange says that a tree is one only by the tools of another lane, "" when it
// is one of its own: its top, and a member in it.
func (t *trial) strange(tr *tree, lane string) string {
	if t.familyOf == nil {
		return ""
	}
	own, top := t.familyOf(lane), tr.top
	member := func(pid int) bool { return own.tool(base(t.Processes[pid].Exe)) != "" }
	if member(top.PID) || t.script[top.PID] && own.tool(top.Comm) != "" && slices.ContainsFunc(tr.members, member) {
		return ""
	}
	return fmt.Sprintf("%s is no tool of lane %s", t.tool[top.PID], lane)
}

// disguised says what speaks against a wrapper at the top of a leaked tree, ""
// when nothing does: what it goes by is its own to choose, so the script that it
// runs must have the name of a tool too. Elsewhere in a tree it stands above
// members and below one, and goes with that.
func (t *trial) disguised(top Process) string {
	if !t.script[top.PID] {
		return ""
	}
	switch path, known := t.Facts.Script(top.PID); {
	case !known:
		return "which script it runs is not known"
	case t.family.tool(path[strings.LastIndexByte(path, '/')+1:]) == "":
		return fmt.Sprintf("it calls itself %s, and runs no script of such a name", top.Comm)
	}
	return ""
}
