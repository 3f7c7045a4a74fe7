package ci

import (
	"slices"
	"time"
)

// Comparison is one of two arms that was refused, and is owed: as whoever begins a night
// knows it. A night tells of it and does not pay it, for its arms are of a lane as it is.
type Comparison struct {
	ID    string    `json:"id"`
	Lane  string    `json:"lane"`
	Gate  string    `json:"gate"`
	Since time.Time `json:"since"`
	Why   string    `json:"why"`
}

// owedComparisons are those of the lanes of the night.
func (n *night) owedComparisons() []Comparison {
	if n.o.Comparisons == nil || !n.plan.Nightly {
		return nil
	}
	return slices.DeleteFunc(n.o.Comparisons(), func(c Comparison) bool {
		return !slices.ContainsFunc(n.plan.Heads, func(h Head) bool { return h.Lane == c.Lane })
	})
}

// comparisonItems tell of them.
func (r Report) comparisonItems() (list []item) {
	for _, c := range r.Comparisons {
		list = append(list, item{
			lane: c.Lane, gate: c.Gate, text: "comparison " + c.ID + " owed since " + sinceWord(c.Since, r.Began) + ": " + c.Why,
			next: "gpuci debt pay " + c.Lane + " goes on with it", level: warning,
		})
	}
	return list
}

// sinceWord is a time of day, with the day where it was not that of now.
func sinceWord(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}
