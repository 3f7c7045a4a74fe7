package ci

import (
	"fmt"
	"time"
)

// tell says what came of a gate, to who watches and to the journal.
func (n *night) tell(w *work, c Cell) {
	text := fmt.Sprintf("%s %s: %s", w.lead().Lane, c.Gate, c.word())
	if c.State == Ran {
		text += " (" + lasted(c.Seconds) + ")"
	}
	if c.Why != "" && c.State != NotRun {
		text += ": " + c.reason()
	} else if c.Why != "" {
		text += ", " + c.Why
	}
	n.note("%s", text)
	n.add(line{Type: done, Lane: w.lead().Lane, Tree: w.lead().Tree, Cells: []Cell{c}})
}

// lasted is a time in seconds as people say it.
func lasted(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// word is the outcome as people call it.
func (c Cell) word() string {
	if c.State == NotRun {
		return string(NotRun)
	}
	return string(c.Outcome)
}
