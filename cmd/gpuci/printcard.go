package main

import (
	"fmt"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device"
	"gpuci/pressure"
)

// cardRows says which cards a gate had, and what they did meanwhile.
func cardRows(u *gates.CardUse, row func(key, text string)) {
	if u == nil {
		return
	}
	for i, c := range u.Cards {
		text := buildlock.Printable(c.Card.Label())
		if parts := meanwhile(c); len(parts) > 0 {
			text += ": " + strings.Join(parts, ", ")
		}
		if i == 0 {
			text += cardsHad(u)
		}
		row("card", text)
	}
}

// meanwhile is what a card did while the gate ran.
func meanwhile(c device.Summary) (out []string) {
	if r := c.SM; r.Count > 0 && r.Low == r.High {
		out = append(out, fmt.Sprintf("%.0f MHz", r.Low))
	} else if r.Count > 0 {
		out = append(out, fmt.Sprintf("%.0f to %.0f MHz, median %.0f", r.Low, r.High, r.Median))
	}
	if r := c.Temperature; r.Count > 0 {
		out = append(out, fmt.Sprintf("%.0f °C at most", r.High))
	}
	if c.PeakOwn.Known {
		out = append(out, pressure.Bytes(c.PeakOwn.Value)+" in use by the gate at most")
	}
	return out
}

// cardsHad says how the gate came by its cards, where that is not the usual way.
func cardsHad(u *gates.CardUse) (text string) {
	if u.Waited >= 1 { // less is the look and the lock
		text += fmt.Sprintf("; waited %s for it", buildlock.Round(time.Duration(u.Waited*float64(time.Second))))
	}
	if u.Passed {
		text += "; a process above this gate has it"
	}
	if u.Source != "" && u.Source != "nvml" {
		text += "; asked through " + u.Source
	}
	return text
}
