package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
)

// gpuWaitLine is the end of the wait in JSON.
type gpuWaitLine struct {
	Type   string   `json:"type"` // always "wait"
	Quiet  bool     `json:"quiet"`
	Exit   int      `json:"exit"`
	Waited float64  `json:"waited-seconds"`
	Cards  []string `json:"cards"` // that are quiet, by UUID
	Text   string   `json:"text,omitempty"`
}

func (w *gpuWait) line(quiet []string, err error) gpuWaitLine {
	out := gpuWaitLine{Type: "wait", Quiet: err == nil, Waited: round(time.Since(w.began).Seconds()), Cards: quiet}
	if out.Cards == nil {
		out.Cards = []string{}
	}
	if c := (coded{}); errors.As(err, &c) {
		out.Exit, out.Text = c.code, c.text
	}
	return out
}

// giveUp ends the wait: with a card that is not quiet, or with a driver that tells
// nothing.
func (w *gpuWait) giveUp(waited time.Duration) error {
	w.over = true
	text := fmt.Sprintf("gave up after %s: %s", buildlock.Round(waited), w.why())
	silent := coded{}
	switch {
	case errors.As(w.silent(), &silent):
		return coded{silent.code, text, silent.hint}
	case w.unfit:
		return coded{exitUnfit, text, "gpuci doctor says what there is"}
	}
	return coded{gates.Refused.ExitCode(), text, "gpuci gpu says who is on it; --wait says how long to wait"}
}

// text is what is waited for.
func (w *gpuWait) text(waited time.Duration) string {
	text := "waiting for a quiet card"
	if w.count > 1 {
		text = fmt.Sprintf("waiting for %d quiet cards", w.count)
	}
	text += ", " + buildlock.Round(waited).String()
	if w.wait >= 0 {
		text += " of " + shortText(w.wait)
	}
	return text + "; " + w.why()
}

// why says of each card what is in the way.
func (w *gpuWait) why() string {
	var out []string
	if w.lack != "" {
		return buildlock.Printable(w.lack)
	}
	if w.survey.Look.Silent != "" {
		return buildlock.Printable(w.survey.Look.Silent)
	}
	for _, c := range w.found {
		if c.Free() {
			out = append(out, cardName(c.Card)+" is quiet")
			continue
		}
		out = append(out, fmt.Sprintf("%s is %s: %s", cardName(c.Card), c.Status, c.Why))
	}
	return buildlock.Printable(strings.Join(out, "; "))
}
