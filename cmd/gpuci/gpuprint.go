package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device"
	"gpuci/pressure"
)

// gpuText prints all cards for people.
func (a *app) gpuText(l cardLook) error {
	var b strings.Builder
	for _, c := range l.survey.Cards {
		fmt.Fprintf(&b, "%s: %s, %s\n", cardName(c.Card), c.Status, printable(modelText(c.Card)))
		row := rowsBelow(&b)
		if c.Status == gates.CardUnknown { // of the others the rows below tell
			row("because", c.Why)
		}
		row("memory", memoryText(c.Card))
		row("at work", workText(c.Sample))
		l.whoRows(c, row)
		if c.State == device.Unknown {
			row("seen", strings.Join(c.Evidence, "; "))
		}
	}
	l.awayRows(&b)
	if len(l.survey.Cards) == 0 {
		b.WriteString("no card: there is a driver, and it has none\n")
	}
	b.WriteString(printable(driverText(l.survey.Look)) + "\n")
	_, err := io.WriteString(a.out, b.String())
	return err
}

// whoText prints who is on cards and who has them.
func (a *app) whoText(l cardLook) error {
	var b strings.Builder
	for _, c := range l.survey.Cards {
		var rows strings.Builder
		l.whoRows(c, rowsBelow(&rows))
		if rows.Len() > 0 {
			fmt.Fprintf(&b, "%s: %s\n%s", cardName(c.Card), c.Status, rows.String())
		}
	}
	l.awayRows(&b)
	if b.Len() == 0 && l.survey.Look.Silent == "" {
		b.WriteString("nobody is on a card, and nobody has one\n")
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// rowsBelow writes rows below a heading; one without text is left out.
func rowsBelow(b *strings.Builder) func(key, text string) {
	return func(key, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %-9s  %s\n", key, buildlock.Printable(text))
		}
	}
}

// whoRows are the rows about those who are on a card, or have it.
func (l cardLook) whoRows(c gates.CardState, row func(key, text string)) {
	for _, p := range c.Foreign {
		row("process", l.processText(p))
	}
	for _, p := range c.Own {
		row("process", l.processText(p))
	}
	for _, e := range tickets(c) {
		text := e.State + "  " + e.String()
		if e.State == buildlock.StateWaits {
			text += fmt.Sprintf(", %s so far", buildlock.Round(max(0, l.now.Sub(e.Since))))
		}
		row("lock", text)
	}
	for _, r := range c.Reserved {
		row("reserved", strings.TrimPrefix(r.Text(l.now), "reserved "))
	}
	for _, r := range c.Protected {
		row("protected", protectedText(r, l.now))
	}
}

// tickets are those of a card's lock, who has it first.
func tickets(c gates.CardState) []buildlock.Entry {
	if c.Holder == nil {
		return c.Waiters
	}
	return append([]buildlock.Entry{*c.Holder}, c.Waiters...)
}

// cardName is a card as its heading has it.
func cardName(c device.Card) string {
	text := "card " + strconv.Itoa(c.Index)
	if c.Instance != "" {
		text += " " + c.Instance
	}
	return text + " (" + buildlock.ShortCard(cmp.Or(c.UUID, c.Bus, "no UUID")) + ")"
}

// modelText is what a card is.
func modelText(c device.Card) string {
	text := cmp.Or(c.Name, "a model that is not told")
	if c.SM() > 0 {
		text += ", sm_" + strconv.Itoa(c.SM())
	}
	if c.UUID != "" {
		text += ", " + c.UUID
	}
	return text
}

// memoryText is how much of a card's memory is in use.
func memoryText(c device.Card) string {
	switch {
	case !c.Memory.Known:
		return "not told"
	case !c.Used.Known:
		return pressure.Bytes(c.Memory.Value) + "; how much is in use is not told"
	}
	text := fmt.Sprintf("%s of %s in use", pressure.Bytes(c.Used.Value), pressure.Bytes(c.Memory.Value))
	if c.Reserved.Or(0) > 0 {
		text += fmt.Sprintf(", beside %s that the driver keeps", pressure.Bytes(c.Reserved.Value))
	}
	return text
}

// workText is what a card does at the moment.
func workText(s device.Sample) string {
	var parts []string
	add := func(r device.Reading, format string, div float64) {
		if r.Known {
			parts = append(parts, fmt.Sprintf(format, float64(r.Value)/div))
		}
	}
	add(s.Util, "%.0f%% of the time", 1)
	add(s.SM, "%.0f MHz", 1)
	add(s.Temperature, "%.0f °C", 1)
	add(s.Power, "%.0f W", 1000)
	if len(s.Throttle) > 0 {
		parts = append(parts, "slowed down: "+strings.Join(s.Throttle, ", "))
	}
	return strings.Join(parts, ", ")
}

// driverText is who was asked.
func driverText(l device.Look) string {
	if l.Silent != "" {
		return "driver: " + l.Silent
	}
	text := "driver " + cmp.Or(l.Driver, "of a version that is not told")
	if l.CUDA != "" {
		text += ", CUDA " + l.CUDA
	}
	return text + ", asked through " + l.Source
}
