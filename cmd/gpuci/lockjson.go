package main

import "gpuci/buildlock"

// lockLine is a lock in `gpuci lock status --json`.
type lockLine struct {
	Type  string         `json:"type"` // always "lock"
	Lock  buildlock.Lock `json:"lock"` // link, build, card.UUID, name.NAME
	Slots int            `json:"slots"`
}

// ticketLine is a ticket.
type ticketLine struct {
	Type string         `json:"type"` // always "ticket"
	Lock buildlock.Lock `json:"lock"`
	buildlock.Entry
	User   string  `json:"user"`
	Place  int     `json:"place,omitempty"`          // of one that waits; 1 goes next
	Waited float64 `json:"waited-seconds,omitempty"` // of one that waits
}

// linkerLine is a linker without a ticket, or one of another user.
type linkerLine struct {
	Type   string `json:"type"` // always "linker"
	Tool   string `json:"tool"`
	Path   string `json:"path,omitempty"`   // as it was called
	Caller string `json:"caller,omitempty"` // the compiler that called it, as it was called
	PID    int    `json:"pid"`
	State  string `json:"state"`
	Ticket string `json:"ticket"` // none, or unknown where it is not ours to see
	Lane   string `json:"lane,omitempty"`
	Dir    string `json:"dir,omitempty"`
	Reason string `json:"reason,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// pressureLine is the pressure on the disk; what is not known is left out.
type pressureLine struct {
	Type     string   `json:"type"` // always "pressure"
	Resource string   `json:"resource"`
	Some     *float64 `json:"some-avg10,omitempty"` // percent
	Full     *float64 `json:"full-avg10,omitempty"` // percent
	Unknown  string   `json:"unknown,omitempty"`    // why nothing is known
}

// statusJSON prints the state of the locks for programs.
func (a *app) statusJSON(s lockState) error {
	var lines []any
	for _, q := range s.queues {
		lines = append(lines, lockLine{"lock", q.Lock, q.Slots})
		for _, e := range q.Entries {
			t := ticketLine{Type: "ticket", Lock: q.Lock, Entry: e, User: buildlock.UserName(e.UID), Place: q.Place(e.Number)}
			if t.Place > 0 {
				t.Waited = s.waited(e).Seconds()
			}
			lines = append(lines, t)
		}
	}
	for _, l := range s.linkers {
		lines = append(lines, l.line())
	}
	for _, line := range append(lines, s.pressureLine()) {
		if err := a.jsonLine(line); err != nil {
			return err
		}
	}
	return nil
}

func (l linkerState) line() linkerLine {
	out := linkerLine{
		Type: "linker", Tool: l.Tool, PID: l.PID, State: string(l.State),
		Ticket: "none", Lane: l.lane, Dir: l.dir,
	}
	if l.Hidden {
		out.Ticket = "unknown"
		return out
	}
	out.Path, out.Caller = l.past.Path, l.past.Caller
	out.Reason, out.Remedy = string(l.past.Reason), l.past.WouldCatch(false)
	return out
}

func (s lockState) pressureLine() pressureLine {
	out := pressureLine{Type: "pressure", Resource: "io"}
	if s.io.Unknown != nil {
		out.Unknown = s.io.Unknown.Error()
	}
	if s.io.Some != nil {
		out.Some = &s.io.Some.Avg10
	}
	if s.io.Full != nil {
		out.Full = &s.io.Full.Avg10
	}
	return out
}
