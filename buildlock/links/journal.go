package links

import (
	"fmt"
	"slices"
	"time"

	"gpuci/buildlock"
)

// begin tells the build that this one is part of where our links are written
// down: should we be killed, nobody passes them on.
func (w *Watch) begin() {
	if w.begun {
		return
	}
	w.begun = true
	if w.Outer != "" && w.Log != "" {
		_ = buildlock.LinkEvent{Time: time.Now(), Outcome: buildlock.Inner, Log: w.Log}.Append(w.Outer)
	}
}

// Events reads what the shims wrote, once the build has ended, and adds the
// tickets of ours that were seen in the queue and that are not written down: a
// shim of another user may not reach the file, and it can be removed. With the
// error that something is wanting comes all the same what is there.
func (w *Watch) Events() ([]buildlock.LinkEvent, error) {
	events, err := buildlock.ReadLinkLog(w.Log)
	written := make(map[string]bool)
	for _, e := range events {
		written[e.Ticket] = written[e.Ticket] || e.Outcome == buildlock.Ticketed
	}
	wanting := slices.DeleteFunc(slices.Clone(w.ours), func(t buildlock.Entry) bool { return written[t.ID] })
	for _, t := range wanting {
		events = append(events, buildlock.LinkEvent{
			Time: t.Granted, PID: t.PID, Ticket: t.ID, Waited: max(0, t.Granted.Sub(t.Since)), Outcome: buildlock.Ticketed,
		})
	}
	if err == nil && len(wanting) > 0 {
		err = fmt.Errorf("read links: %d under tickets were seen that are not in %s, and more may be wanting: can every user of the build write there?", len(wanting), w.Log)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unread = err != nil
	return events, err
}
