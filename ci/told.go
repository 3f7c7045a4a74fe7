package ci

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/history"
)

// told is what a lane came to before this night, by one gate.
type told struct {
	outcome gates.Outcome
	since   time.Time // of a red: when it began
	commit  string    // then
	last    time.Time // of the run itself
	of      string    // its commit
}

// previous is the last outcome of a cell's gate in a lane before this night that says
// something of a commit: from the history, or from the last night's report, which
// has it where the lane shared another one's run. What stands from before is told
// from night to night, else against what is older than its run: nothing comes before
// what was later.
//
// What the last night's report says of a gate that it has not run either is what was
// known then.
func (p *past) previous(ctx context.Context, lane string, now Cell) (t told, ok bool) {
	end, stood := p.plan.Began, now.State == Stands && now.Started.Before(p.plan.Began)
	if stood {
		end = now.Started
	}
	for _, r := range p.runs[now.Gate] {
		if r.Lane == lane && r.Started.Before(end) && leaning(gates.Outcome(r.Outcome)) != 0 && p.committed(r) {
			t, ok = told{gates.Outcome(r.Outcome), r.Started, r.Commit, r.Started, r.Commit}, true
			break
		}
	}
	c, reported := p.before.cell(lane, now.Gate)
	if c.Last != nil && (!ok || c.Last.Started.After(t.last)) {
		c.Outcome, c.Since, c.From, c.Started, c.Commit = c.Last.Outcome, c.Last.Since, c.Last.From, c.Last.Started, c.Last.Commit
	}
	if reported && leaning(c.Outcome) != 0 && (!ok || stood || !t.last.After(p.before.Ended)) {
		t = told{c.Outcome, c.Since, c.From, c.Started, c.Commit}
		if t.since.IsZero() {
			t.since, t.commit = c.Started, c.Commit
		}
		return t, true
	}
	if ok && leaning(t.outcome) < 0 {
		p.streak(ctx, lane, now.Gate, &t)
	}
	return t, ok
}

// committed says that a result is of what is committed, as those of nights are: what
// a person tries out says nothing of a lane's commit.
func (p *past) committed(r history.Result) bool {
	return (r.Changes == "" || inScratch(p.scratch, r)) && !Unsettled(r)
}

// known is the last outcome of a gate that says something of a content, in whichever
// lane it was judged, before this night.
func (p *past) known(tree, gate string) (t told, ok bool) {
	for _, r := range p.runs[gate] {
		if tree != "" && r.Tree == tree && r.Started.Before(p.plan.Began) && leaning(gates.Outcome(r.Outcome)) != 0 && !Unsettled(r) {
			return told{gates.Outcome(r.Outcome), r.Started, r.Commit, r.Started, r.Commit}, true
		}
	}
	return t, false
}

// missed adds to a cell that has no outcome which one is known: of its content if there
// is one, else the lane's last.
func (p *past) missed(ctx context.Context, h Head, c *Cell) {
	t, same := p.known(h.Tree, c.Gate)
	if !same {
		var ok bool
		if t, ok = p.previous(ctx, h.Lane, *c); !ok {
			return
		}
	}
	if same {
		c.Still = strings.TrimSpace(fmt.Sprintf("%s as before, on %s %s", t.outcome, t.last.Local().Format(time.DateOnly), atCommit(t.of)))
	} else {
		c.Stale = t.text()
	}
	c.Last = &Last{t.outcome, t.since, t.commit, t.last, t.of}
}

// streak goes back to where a red began.
func (p *past) streak(ctx context.Context, lane, gate string, t *told) {
	for r, err := range p.store.Results(ctx, history.Query{Gate: gate, Lane: lane, Until: t.last, Believed: true, Limit: lookedAt}) {
		if err != nil {
			return
		}
		if !p.committed(r) {
			continue
		}
		switch side := leaning(gates.Outcome(r.Outcome)); {
		case side > 0 && p.store.Believes(r.UID, r.Started):
			return
		case side < 0 && p.store.Believes(r.UID, r.Started):
			t.since, t.commit = r.Started, r.Commit
		}
	}
}

func (t told) text() string {
	return strings.TrimSpace(fmt.Sprintf("%s on %s %s", t.outcome, t.last.Local().Format(time.DateOnly), atCommit(t.of)))
}

func atCommit(commit string) string {
	if commit == "" {
		return ""
	}
	return fmt.Sprintf("at %.10s", commit)
}
