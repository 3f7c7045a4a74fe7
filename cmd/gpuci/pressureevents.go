package main

import (
	"time"

	"gpuci/pressure"
)

// eventLine is an event in `gpuci pressure watch --json`; the shares are percent
// of the time since the event before.
type eventLine struct {
	Type     string             `json:"type"` // always "event"
	Event    pressure.EventKind `json:"event"`
	Time     time.Time          `json:"time"`
	Resource string             `json:"resource,omitempty"` // that stalled
	Over     float64            `json:"over,omitempty"`     // percent from which it is called that
	Seconds  float64            `json:"seconds"`
	CPU      eventShares        `json:"cpu,omitzero"`
	IO       eventShares        `json:"io,omitzero"`
	Memory   eventShares        `json:"memory,omitzero"`
	IRQ      eventShares        `json:"irq,omitzero"`
	Who      []crowd            `json:"who,omitempty"` // takes part in the stall that begins
	Note     string             `json:"note,omitempty"`
}

// sharesLine are the two shares of a resource in percent, left out where they
// are not known.
type sharesLine struct {
	Some *float64 `json:"some,omitempty"`
	Full *float64 `json:"full,omitempty"`
}

func sharesOf(s pressure.Shares) sharesLine {
	return sharesLine{percentOf(s.Some), percentOf(s.Full)}
}

// eventShares are those, and the kernel's averages over 10 s.
type eventShares struct {
	sharesLine
	Some10 *float64 `json:"some-avg10,omitempty"`
	Full10 *float64 `json:"full-avg10,omitempty"`
}

func eventSharesOf(s pressure.Shares, r pressure.Resource) eventShares {
	out := eventShares{sharesLine: sharesOf(s)}
	if r.Some != nil {
		out.Some10 = &r.Some.Avg10
	}
	if r.Full != nil {
		out.Full10 = &r.Full.Avg10
	}
	return out
}

// eventLines prints every event as JSON.
type eventLines struct{ a *app }

func (w eventLines) show(e sight) error {
	s, r := e.Span, e.Reading
	line := eventLine{
		Type: "event", Event: e.Kind, Time: s.To, Resource: e.Resource, Seconds: round(s.Length().Seconds()),
		CPU: eventSharesOf(s.CPU, r.CPU), IO: eventSharesOf(s.IO, r.IO),
		Memory: eventSharesOf(s.Memory, r.Memory), IRQ: eventSharesOf(s.IRQ, r.IRQ), Who: e.who,
	}
	if e.Kind == pressure.EventStalled {
		_, line.Over = overOf(e.Resource)
	}
	if e.Note != nil {
		line.Note = e.Note.Error()
	}
	return w.a.jsonLine(line)
}

func (w eventLines) end() {}
