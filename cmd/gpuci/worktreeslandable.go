package main

import (
	"time"

	"gpuci/gates"
)

// landable says what could be landed of a lane, and since when: it has commits
// that the base has not, and every gate that is required came out green for what
// is there now.
type landable struct {
	Commits     int       `json:"commits"`
	Since       time.Time `json:"since"` // both were so
	Attention   []string  `json:"attention,omitempty"`
	Uncommitted int       `json:"uncommitted,omitempty"` // files that the outcomes were judged with
}

func (l laneLook) landable() (found landable, ok bool) {
	if l.Removed || l.Err != nil || !l.Counted || l.Ahead == 0 || len(l.required) == 0 {
		return found, false
	}
	found = landable{Commits: l.Ahead, Since: l.Committed, Uncommitted: l.State.Count}
	for _, name := range l.required {
		last, ran := l.last(name)
		if !ran || last.Stale != "" || last.Unknown != "" {
			return found, false
		}
		switch gates.Outcome(last.Outcome) {
		case gates.Green, gates.KnownRed:
		case gates.Attention:
			found.Attention = append(found.Attention, name)
		default:
			return found, false
		}
		if end := last.Started.Add(seconds(last.Seconds)); end.After(found.Since) {
			found.Since = end
		}
	}
	return found, true
}
