package notes

import (
	"fmt"
	"time"
)

// Fall is a condition that does not hold any more, or of which nobody can say.
type Fall struct {
	Condition string    `json:"condition"`
	Why       string    `json:"why"`
	Commit    string    `json:"commit,omitempty"`      // by which it fell
	Changed   bool      `json:"uncommitted,omitempty"` // and what was not committed on it
	When      time.Time `json:"when,omitzero"`         // when, where that is known
	Now       string    `json:"now,omitempty"`         // what a gate came to last, where that is another outcome than the one by which it fell
	Unknown   bool      `json:"unknown,omitempty"`
	Next      string    `json:"next,omitempty"` // where it is another thing than to renew the note
}

// Text is why a condition fell, with what did it.
func (f Fall) Text(now time.Time) string {
	text := f.Condition + ": " + f.Why
	if f.Commit != "" {
		text += " by " + short(f.Commit)
		if f.Changed {
			text += "+"
		}
	}
	if !f.When.IsZero() {
		text += fmt.Sprintf(" (%s, %s)", f.When.Local().Format("2006-01-02 15:04"), ago(now.Sub(f.When)))
	}
	if f.Now != "" {
		text += ", and " + f.Now + " now"
	}
	return text
}

// ago is how long something has been so, as people say it.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
