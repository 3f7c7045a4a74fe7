package main

import (
	"fmt"
	"strconv"
	"time"

	"gpuci/buildlock"
	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
	"gpuci/pressure"
)

// processText is one process on a card.
func (l cardLook) processText(p device.Process) string {
	text := "pid " + strconv.Itoa(p.PID)
	if p.User != "" {
		text += " " + p.User
	}
	memory := "memory not told"
	if p.Memory.Known {
		memory = pressure.Bytes(p.Memory.Value)
	}
	text += "  " + memory
	if p.Kind != "" && p.Kind != "compute" {
		text += ", " + string(p.Kind)
	}
	if !p.Since.IsZero() {
		text += "  since " + clockText(p.Since, l.now)
	}
	if lane := l.laneAt(p.Cwd); lane != "" {
		text += "  lane " + lane
	}
	if p.Command != "" {
		text += "  " + buildlock.Clip(p.Command)
	}
	if !p.Valid && p.Why != "" {
		text += "  (" + p.Why + ")"
	}
	return text
}

// laneAt is the lane of a directory, "" for none.
func (l cardLook) laneAt(dir string) string {
	if l.cards.LaneOf == nil {
		return ""
	}
	return l.cards.LaneOf(dir)
}

// protectedText is a protected run with when it may be over.
func protectedText(r protected.Run, now time.Time) string {
	text := r.Rule.Name
	if len(r.PIDs) > 0 {
		text += fmt.Sprintf(" (pid %d", r.PIDs[0])
		if n := len(r.PIDs) - 1; n > 0 {
			text += fmt.Sprintf(" and %d below it", n)
		}
		text += ")"
	}
	if !r.Since.IsZero() {
		text += " since " + clockText(r.Since, now)
	}
	if free := r.FreeText(now); free != "" {
		text += ": " + free
	}
	if r.Rule.Share {
		text += "; gates that share may run beside it"
	}
	return text
}
