package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates/history"
)

// Debt is a measurement that was refused for the card or the machine, and that
// nobody has taken since. Its JSON form is printed by --json; fields are only ever
// added.
//
// Debts are told from the history and kept nowhere else: what a later run of the
// gate on the same content came to, whatever it was, pays them.
type Debt struct {
	Lane    string `json:"lane"`
	Gate    string `json:"gate"`
	Commit  string `json:"commit"`
	Changes string `json:"changes,omitempty"` // hash of what was not committed, "" for nothing
	Tree    string `json:"tree,omitempty"`    // id of all that was in the lane, "" where git could not say

	Since  time.Time `json:"since"`            // when it was first refused
	Last   time.Time `json:"last"`             // and when it was last
	Times  int       `json:"times"`            // how often
	Why    string    `json:"why"`              // of the last: "card busy", "contended", "box …"
	Detail string    `json:"detail,omitempty"` // who was on it
	Built  bool      `json:"built,omitempty"`  // the last was refused after its build
	Run    string    `json:"run"`              // the last

	Void string `json:"void,omitempty"` // why nobody needs it any more; "" is owed
}

// Clean says that the debt is of a commit, with nothing changed.
func (d Debt) Clean() bool { return d.Changes == "" }

// ForCard says that it was the card that was not to be had, not the machine.
func (d Debt) ForCard() bool { return !strings.HasPrefix(d.Why, "box") }

// Name is the debt for people: its lane and gate.
func (d Debt) Name() string { return d.Lane + " " + d.Gate }

// content is what a gate judged: results with the same one are about the same thing,
// whichever lane they are of.
type content struct{ gate, commit, changes string }

func contentOf(r history.Result) content { return content{r.Gate, r.Commit, r.Changes} }

func (d Debt) content() content { return content{d.Gate, d.Commit, d.Changes} }

// pays says whether a result settles what is owed for its content: it says something,
// be it red or out of time, of a content that is known.
func pays(r history.Result) bool {
	o := Outcome(r.Outcome)
	return o != Refused && o != Interrupted && !r.Partial && !Unsettled(r)
}

// Unsettled says that a result leaves open which content was judged: its lane moved,
// or could not be read. That a file changed does not: the gate itself may have made
// it.
func Unsettled(r history.Result) bool {
	return slices.ContainsFunc(r.Marks, func(mark string) bool {
		return strings.HasPrefix(mark, "the lane moved from") || strings.HasPrefix(mark, "the lane could not be read")
	})
}

// unpaid are the debts that results in the order of time leave, the oldest first.
func unpaid(list []history.Result) (debts []Debt) {
	for _, r := range list {
		switch {
		case r.Outcome == string(Refused) && r.Owed != nil && r.Commit != "":
			debts = refusedOnce(debts, r)
		case pays(r):
			debts = slices.DeleteFunc(debts, func(d Debt) bool { return d.content() == contentOf(r) && sameTree(d.Tree, r.Tree) })
		}
	}
	return debts
}

// sameTree says whether two ids of a tree may be of the same one.
func sameTree(a, b string) bool { return a == b || a == "" || b == "" }

// refusedOnce adds a refused result to the debt that it is one of.
func refusedOnce(debts []Debt, r history.Result) []Debt {
	at := slices.IndexFunc(debts, func(d Debt) bool {
		return d.Lane == r.Lane && d.content() == contentOf(r) && sameTree(d.Tree, r.Tree)
	})
	if at < 0 {
		at = len(debts)
		debts = append(debts, Debt{Lane: r.Lane, Gate: r.Gate, Commit: r.Commit, Changes: r.Changes, Since: r.Started})
	}
	d := &debts[at]
	if r.Tree != "" {
		d.Tree = r.Tree
	}
	d.Times++
	d.Last, d.Why, d.Detail, d.Built, d.Run = r.Started, r.Owed.Why, r.Owed.Detail, r.Built, r.Run
	return debts
}

// Unpaid gives what is owed by the history alone, the oldest first: whether the lanes
// still have that content, Settle says.
func Unpaid(ctx context.Context, p *Past) ([]Debt, error) {
	store, err := p.Store()
	if err != nil {
		return nil, err
	}
	list, err := store.Owing(ctx)
	if err != nil {
		return nil, err
	}
	return unpaid(list), nil
}

// SinceText is since when something is owed and why, for people: "since 14:02 (card
// busy)", with the day where it was not today.
func (d Debt) SinceText(now time.Time) string {
	at, form := d.Since.Local(), "15:04"
	if now = now.Local(); at.YearDay() != now.YearDay() || at.Year() != now.Year() {
		form = "2006-01-02 15:04"
	}
	return fmt.Sprintf("since %s (%s)", at.Format(form), d.Why)
}
