package main

import (
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device"
)

// cardLine is a card in `gpuci gpu status --json`.
type cardLine struct {
	Type     string         `json:"type"` // always "card"
	UUID     string         `json:"uuid"`
	Index    int            `json:"index"`
	Name     string         `json:"name,omitempty"`
	SM       int            `json:"sm,omitempty"` // as in sm_90
	Parent   string         `json:"parent,omitempty"`
	Instance string         `json:"instance,omitempty"`
	Bus      string         `json:"bus,omitempty"`
	State    string         `json:"state"` // quiet, busy, held, unknown, reserved, protected
	Free     bool           `json:"free"`  // a gate could have it now
	Why      string         `json:"why,omitempty"`
	FreeAt   time.Time      `json:"free-at,omitzero"` // when it may be free, where that can be told
	Basis    string         `json:"free-basis,omitempty"`
	Memory   device.Reading `json:"memory-bytes,omitzero"`
	Used     device.Reading `json:"used-bytes,omitzero"`
	Kept     device.Reading `json:"driver-bytes,omitzero"` // that the driver keeps, not in used
	Unowned  device.Reading `json:"unowned-bytes,omitzero"`
	Evidence []string       `json:"evidence,omitempty"`
	Sample   cardSampleLine `json:"sample"`
}

// cardSampleLine is what a card does.
type cardSampleLine struct {
	Util        device.Reading `json:"util-percent,omitzero"`
	MemoryUtil  device.Reading `json:"memory-util-percent,omitzero"`
	SM          device.Reading `json:"sm-mhz,omitzero"`
	SMMax       device.Reading `json:"sm-max-mhz,omitzero"`
	Memory      device.Reading `json:"memory-mhz,omitzero"`
	Temperature device.Reading `json:"temperature-celsius,omitzero"`
	Power       device.Reading `json:"power-milliwatts,omitzero"`
	Throttle    []string       `json:"throttle,omitempty"`
}

// cardProcessLine is a process on a card.
type cardProcessLine struct {
	Type    string         `json:"type"` // always "process"
	Card    string         `json:"card"`
	PID     int            `json:"pid"`
	Start   uint64         `json:"start,omitempty"` // ticks since boot
	User    string         `json:"user,omitempty"`
	Command string         `json:"command,omitempty"`
	Dir     string         `json:"dir,omitempty"`
	Lane    string         `json:"lane,omitempty"`
	Memory  device.Reading `json:"memory-bytes,omitzero"`
	Kind    string         `json:"kind,omitempty"` // compute, graphics, mps, joined by +
	Since   time.Time      `json:"since,omitzero"`
	Valid   bool           `json:"valid"` // it is the process that the driver means
	Why     string         `json:"why,omitempty"`
}

// cardTicketLine is a ticket of a card's lock.
type cardTicketLine struct {
	ticketLine
	Card string `json:"card"`
}

// reservationLine is a reservation of a card.
type reservationLine struct {
	Type string `json:"type"` // always "reservation"
	buildlock.Reservation
}

// protectedLine is a protected run on a card.
type protectedLine struct {
	Type   string    `json:"type"` // always "protected"
	Card   string    `json:"card"`
	Name   string    `json:"name"`
	PIDs   []int     `json:"pids"` // the topmost first
	Since  time.Time `json:"since,omitzero"`
	Share  bool      `json:"share"`
	FreeAt time.Time `json:"free-at,omitzero"`
	Basis  string    `json:"free-basis,omitempty"` // how that is known, or why it is not
}

// driverLine is who was asked.
type driverLine struct {
	Type   string `json:"type"` // always "driver"
	Source string `json:"source"`
	Driver string `json:"driver,omitempty"`
	CUDA   string `json:"cuda,omitempty"`
	Silent string `json:"silent,omitempty"` // why it did not answer
}

// gpuJSON prints all cards for programs.
func (a *app) gpuJSON(l cardLook) error {
	var lines []any
	for _, c := range l.survey.Cards {
		lines = append(append(lines, cardLineOf(c)), l.whoLines(c)...)
	}
	lines = append(lines, l.awayLines()...)
	k := l.survey.Look
	return a.jsonLines(append(lines, driverLine{"driver", k.Source, k.Driver, k.CUDA, k.Silent}))
}

// whoJSON prints who is on cards, for programs.
func (a *app) whoJSON(l cardLook) error {
	var lines []any
	for _, c := range l.survey.Cards {
		lines = append(lines, l.whoLines(c)...)
	}
	return a.jsonLines(append(lines, l.awayLines()...))
}

// awayLines are the reservations of cards that the driver does not show.
func (l cardLook) awayLines() (out []any) {
	for _, r := range l.survey.Away {
		out = append(out, reservationLine{"reservation", r})
	}
	return out
}

func cardLineOf(c gates.CardState) cardLine {
	s := c.Sample
	return cardLine{
		Type: "card", UUID: c.UUID, Index: c.Index, Name: c.Name, SM: c.SM(), Parent: c.Parent, Instance: c.Instance, Bus: c.Bus,
		State: string(c.Status), Free: c.Free(), Why: c.Why, FreeAt: c.Until, Basis: c.Basis,
		Memory: c.Memory, Used: c.Used, Kept: c.Card.Reserved, Unowned: c.Unowned, Evidence: c.Evidence,
		Sample: cardSampleLine{s.Util, s.MemoryUtil, s.SM, s.SMMax, s.Mem, s.Temperature, s.Power, s.Throttle},
	}
}

// whoLines are the lines about those who are on a card, or have it.
func (l cardLook) whoLines(c gates.CardState) (out []any) {
	for _, list := range [][]device.Process{c.Foreign, c.Own} {
		for _, p := range list {
			out = append(out, cardProcessLine{
				"process", c.UUID, p.PID, p.Start, p.User, p.Command, p.Cwd, l.laneAt(p.Cwd), p.Memory, string(p.Kind), p.Since, p.Valid, p.Why,
			})
		}
	}
	lock, _ := buildlock.Card(c.UUID)
	for _, e := range tickets(c) {
		t := cardTicketLine{ticketLine{Type: "ticket", Lock: lock, Entry: e, User: buildlock.UserName(e.UID)}, c.UUID}
		if e.State == buildlock.StateWaits {
			t.Waited = max(0, l.now.Sub(e.Since)).Seconds()
		}
		out = append(out, t)
	}
	for _, r := range c.Reserved {
		out = append(out, reservationLine{"reservation", r})
	}
	for _, r := range c.Protected {
		line := protectedLine{Type: "protected", Card: c.UUID, Name: r.Rule.Name, PIDs: r.PIDs, Since: r.Since, Share: r.Rule.Share}
		at, basis, ok := r.FreeAt(l.now)
		if line.Basis = basis; ok {
			line.FreeAt = at
		}
		out = append(out, line)
	}
	return out
}
