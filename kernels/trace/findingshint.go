package trace

import "fmt"

// hints are what was written and perhaps never read. They are marked as hints: a recording
// does not tell who reads what.
func hints(p *ProcessReport) (list []Finding) {
	labels := map[string]string{}
	for i := range p.Stages {
		labels[p.Stages[i].Name] = p.Stages[i].Label()
	}
	for _, u := range p.Unread {
		list = append(list, Finding{Kind: "hint-unread", Stage: u.Stage, rank: 4, Text: fmt.Sprintf(
			"hint: %s: %s, %s by %s, %s: %s", labels[u.Stage], many(u.N, "write"), size(u.Bytes), u.Call, u.became(), u.unseen())})
	}
	return list
}

// became is what came of it.
func (u *Unread) became() string {
	switch {
	case u.Why == Freed:
		return "to memory that " + u.By + " released with nothing between that reads it"
	case u.Why == OnHost && u.By == u.Call:
		return "that the next one wrote over on the host, with no call between that waits"
	case u.By == u.Call:
		return "that the next one wrote over, with nothing between that reads it"
	}
	return "that " + u.By + " wrote over, with nothing between that reads it"
}

// unseen is who may have read it nevertheless.
func (u *Unread) unseen() string {
	if u.Why == OnHost {
		return "perhaps read by nobody; that a copy waits by itself where the memory is not page-locked, an event that is asked for, and not waited for, and a function of the host are not seen"
	}
	return "perhaps read by nobody; a kernel that runs on, or another process, is not seen"
}
