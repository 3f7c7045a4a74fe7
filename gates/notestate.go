package gates

import (
	"fmt"
	"strings"
	"time"

	"gpuci/gates/notes"
)

// NoteState is a note about a gate, as a verdict has it.
type NoteState struct {
	ID         string       `json:"id"`
	At         string       `json:"at"` // file:line, from the lane's root
	Text       string       `json:"text"`
	Owner      string       `json:"owner"`
	About      string       `json:"about"`
	Conditions []string     `json:"conditions"`
	Stale      bool         `json:"stale"`
	Fell       []notes.Fall `json:"fell,omitempty"`
	Remarks    []string     `json:"remarks,omitempty"`
	Prediction string       `json:"prediction,omitempty"` // open, confirmed or refuted
}

// What can become of a prediction.
const (
	PredictionOpen      = "open"
	PredictionConfirmed = "confirmed"
	PredictionRefuted   = "refuted"
)

func stateOf(s notes.Standing) NoteState {
	out := NoteState{
		ID: s.ID(), At: s.At(), Text: s.Text, Owner: s.Owner, About: s.About, Conditions: s.Conditions(),
		Stale: s.Stale(), Fell: s.Fell, Remarks: s.Remarks,
	}
	switch {
	case s.Expects == "":
	case s.Awaits:
		out.Prediction = PredictionOpen
	case s.Proven:
		out.Prediction = PredictionConfirmed
	default:
		out.Prediction = PredictionRefuted
	}
	return out
}

// Why is why a note is stale, in one line.
func (n NoteState) Why(now time.Time) string {
	var parts []string
	for _, f := range n.Fell {
		parts = append(parts, f.Text(now))
	}
	return strings.Join(parts, "; ")
}

// Next is what to do about a note that is stale.
func (n NoteState) Next() string {
	for _, f := range n.Fell {
		if f.Next != "" && len(n.Fell) == 1 {
			return f.Next + "; or remove the note: " + n.At
		}
	}
	return fmt.Sprintf("look again, with %s: renew the note or remove it: %s", n.Owner, n.At)
}

// How findings about notes begin, in verdicts and in the history.
const (
	notesUnknown = "its notes are not known: "
	noteStale    = "note is stale: "
)

// finding is what a run says of a note that is stale.
func (n NoteState) finding(now time.Time) string {
	return n.head() + n.Why(now)
}

// head is how that begins, which names the note.
func (n NoteState) head() string {
	return fmt.Sprintf("%s%q (%s, %s): ", noteStale, n.Text, n.Owner, n.At)
}
