package gates

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
)

// maxOn is how many processes on a card are named.
const maxOn = 4

// whoIsOn names processes on a card.
func (c *Cards) whoIsOn(list []device.Process) string {
	var parts []string
	for i, p := range list {
		if i == maxOn {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-maxOn))
			break
		}
		parts = append(parts, c.Who(p))
	}
	return strings.Join(parts, ", ")
}

// Who names a process on a card: pid 4711 (alice, python train.py, 31.2 GiB, since
// 14:02, lane kda).
func (c *Cards) Who(p device.Process) string {
	parts := []string{cmp.Or(p.User, "user unknown")}
	if p.UID >= 0 && p.User == "" {
		parts[0] = buildlock.UserName(p.UID)
	}
	parts = append(parts, buildlock.Clip(cmp.Or(p.Command, "command unknown")))
	if p.Memory.Known {
		parts = append(parts, device.Size(p.Memory.Value))
	} else {
		parts = append(parts, "memory unknown")
	}
	if !p.Since.IsZero() {
		parts = append(parts, "since "+protected.Clock(p.Since, time.Now()))
	}
	if c.LaneOf != nil && p.Cwd != "" {
		if lane := c.LaneOf(p.Cwd); lane != "" {
			parts = append(parts, "lane "+lane)
		}
	}
	if !p.Valid && p.Why != "" {
		parts = append(parts, p.Why)
	}
	return buildlock.Printable(fmt.Sprintf("pid %d (%s)", p.PID, strings.Join(parts, ", ")))
}

// Text says of a card what it is and why, for people.
func (s CardState) Text(now time.Time) string {
	text := s.Label() + " is " + string(s.Status)
	switch {
	case s.Why == "":
	case strings.HasPrefix(s.Why, string(s.Status)+" "): // reserved by bob until 07:00
		text = s.Label() + " is " + s.Why
	default:
		text += ": " + s.Why
	}
	if !s.Until.IsZero() && s.Status == CardBusy {
		text += ", until about " + protected.Clock(s.Until, now)
	}
	return text
}
