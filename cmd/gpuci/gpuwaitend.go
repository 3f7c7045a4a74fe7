package main

import (
	"errors"
	"time"
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
