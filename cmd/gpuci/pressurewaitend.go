package main

import "errors"

// waitLine is the end of a wait in JSON. Shares are percent of the last second.
type waitLine struct {
	Type      string     `json:"type"` // always "wait"
	Kept      bool       `json:"kept"`
	Exit      int        `json:"exit"`
	Waited    float64    `json:"waited-seconds"`
	Limits    limitsLine `json:"limits"`
	CPU       sharesLine `json:"cpu"`
	IO        sharesLine `json:"io"`
	Memory    sharesLine `json:"memory"`
	IOFull10  *float64   `json:"io-full-avg10,omitempty"`
	Available *int64     `json:"available-bytes,omitempty"`
	Text      string     `json:"text,omitempty"` // why not
}

// line is the end of the wait, err its error.
func (w *pressureWait) line(err error) waitLine {
	span := w.now.span
	out := waitLine{
		Type: "wait", Kept: err == nil, Waited: round(w.waited().Seconds()), Limits: w.limits.line(),
		CPU: sharesOf(span.CPU), IO: sharesOf(span.IO), Memory: sharesOf(span.Memory),
	}
	if full := w.now.reading.IO.Full; full != nil {
		out.IOFull10 = &full.Avg10
	}
	if w.now.noMemory == nil {
		out.Available = &w.now.memory.Available
	}
	if c := (coded{}); errors.As(err, &c) {
		out.Exit, out.Text = c.code, c.text
	}
	return out
}
