package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/history"
)

// Debt is a measurement that was refused for the card or the machine, and that
// nobody has taken since. Its JSON form is printed by --json; fields are only ever
// added.
//
// Debts are told from the history and kept nowhere else: what a later run of the
// gate on the same content came to, whatever it was, pays them. Where the lane has gone
// on, they are owed for what is in it now.
type Debt struct {
	Lane    string `json:"lane"`
	Gate    string `json:"gate"`
	Commit  string `json:"commit"`            // where it was refused, with the two below
	Changes string `json:"changes,omitempty"` // hash of what was not committed, "" for nothing
	Tree    string `json:"tree,omitempty"`    // id of all that was in the lane, "" where git could not say
	User    string `json:"user,omitempty"`    // who was refused, where that is another user, whose runs pay no debts but his own

	Since  time.Time `json:"since"`            // when it was first refused
	Last   time.Time `json:"last"`             // and when it was last
	Times  int       `json:"times"`            // how often
	Why    string    `json:"why"`              // of the last: "card busy", "contended", "box …"
	Detail string    `json:"detail,omitempty"` // who was on it
	Built  bool      `json:"built,omitempty"`  // the last was refused after its build
	Run    string    `json:"run"`              // the last

	Moved string   `json:"moved,omitempty"` // how the lane has gone on since, where the gate has not been run yet; "" where it has not
	Now   *Content `json:"now,omitempty"`   // then: what is there, for which it is owed
	Void  string   `json:"void,omitempty"`  // why nobody needs it any more, or it can never run here; "" is owed
	By    string   `json:"by,omitempty"`    // of a void one: the run that has judged what came after

	uid int // of User
}

// Clean says that the debt is of a commit, with nothing changed.
func (d Debt) Clean() bool { return d.Content().Changes == "" }

// ForCard says that it was the card that was not to be had, not the machine.
func (d Debt) ForCard() bool { return !strings.HasPrefix(d.Why, "box") }

// Name is the debt for people: its lane and gate.
func (d Debt) Name() string { return d.Lane + " " + d.Gate }

// sameGate says whether two debts are of one gate in one lane, refused to one user.
func (d Debt) sameGate(o Debt) bool {
	return d.Name() == o.Name() && d.User == o.User && d.uid == o.uid
}

// Content is what the gate is owed for: what is in the lane now, where it has gone on.
func (d Debt) Content() Content {
	if d.Now != nil {
		return *d.Now
	}
	return d.refusedAt()
}

func (d Debt) refusedAt() Content { return Content{d.Commit, d.Changes, d.Tree} }

// pays says whether a result settles what is owed for its content: it says something,
// be it red or out of time, of a content that is known.
func pays(r history.Result) bool {
	o := Outcome(r.Outcome)
	return o != Refused && o != Interrupted && !r.Partial && !Unsettled(r) && r.Commit != ""
}

// Unsettled says that a result leaves open which content was judged: its lane moved,
// or could not be read. That a file changed does not: the gate itself may have made
// it.
func Unsettled(r history.Result) bool {
	return slices.ContainsFunc(r.Marks, func(mark string) bool {
		return strings.HasPrefix(mark, "the lane moved from") || strings.HasPrefix(mark, "the lane could not be read")
	})
}

// unpaid are the debts that results in the order of time leave, the oldest first. What
// is not believed pays only what its own user owes.
func unpaid(list []history.Result, believed func(uid int, at time.Time) bool) (debts []Debt) {
	for _, r := range list {
		other := !believed(r.UID, r.Started)
		switch {
		case r.Outcome == string(Refused) && r.Owed != nil && r.Commit != "":
			debts = refusedOnce(debts, r, other)
		case pays(r):
			debts = slices.DeleteFunc(debts, func(d Debt) bool {
				return d.Gate == r.Gate && d.refusedAt().same(contentOf(r)) && (!other || d.of(r, other))
			})
		}
	}
	return debts
}

// of says whether a debt is of the user of a result.
func (d Debt) of(r history.Result, other bool) bool {
	return (d.User != "") == other && (!other || d.uid == r.UID)
}

// refusedOnce adds a refused result to the debt that it is one of.
func refusedOnce(debts []Debt, r history.Result, other bool) []Debt {
	c := contentOf(r)
	at := slices.IndexFunc(debts, func(d Debt) bool {
		return d.Lane == r.Lane && d.Gate == r.Gate && d.refusedAt().same(c) && d.of(r, other)
	})
	if at < 0 {
		at = len(debts)
		debts = append(debts, Debt{Lane: r.Lane, Gate: r.Gate, Since: r.Started})
	}
	d := &debts[at]
	if other {
		d.User, d.uid = buildlock.UserName(r.UID), r.UID
	}
	if c.Tree != "" {
		d.Tree = c.Tree
	}
	d.Commit, d.Changes = c.Commit, c.Changes
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
	looked := newOutcomes(ctx, store)
	return slices.DeleteFunc(unpaid(list, store.Believes), func(d Debt) bool {
		_, paid := looked.onContent(d, d.refusedAt(), d.Last)
		return paid
	}), nil
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
