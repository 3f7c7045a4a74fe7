package gates

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// PayOptions say which debts are paid and how. Past, State, Lanes and Prepare are
// required.
type PayOptions struct {
	Past    *Past
	State   string            // directory of the runs; the locks of what is paid are in it
	Lanes   []worktrees.Tree  // of the repository, that are there
	Fits    func(d Debt) bool // which are meant; nil for all
	Wait    time.Duration     // for the card or the machine to become quiet, all in all; 0 waits for nothing
	Root    string            // of /proc, for how busy the machine is; "" for the real one
	Prepare func(ctx context.Context, d Debt, lane worktrees.Lane) (Job, error)
	Told    func(p Payment) // each debt as it is done with; may be nil
	Note    func(string)    // one line for the person who watches; may be nil
}

// Job is a debt's gate, made ready in its lane.
type Job struct {
	Need config.CardNeed
	// Run runs the gate, which may wait so long for the card; less than 0 is for as
	// long as its configuration says.
	Run func(ctx context.Context, wait time.Duration) Verdict
}

// Payment is what came of a debt that was to be paid.
type Payment struct {
	Debt
	Outcome Outcome `json:"outcome,omitempty"` // of the run, "" where there was none
	Exit    int     `json:"exit"`
	Paid    bool    `json:"paid"`
	By      string  `json:"by,omitempty"`   // the run
	Left    string  `json:"left,omitempty"` // why it was not run, or not paid
}

// Pay runs the gates of debts in their lanes, the oldest first, on what is there then.
// One that is refused again stays owed, and those behind it that ask for no less of the
// card are left: the others have their turn. With Wait, what is owed still is then waited
// for, in the same order. A debt that another gpuci pays at the same time is left to it,
// or with Wait waited for.
//
// ctx ends it early; what was not paid is owed still. The error is of the history.
func Pay(ctx context.Context, o PayOptions) ([]Payment, error) {
	p := &payer{o: o}
	err := p.round(ctx, 0)
	if err == nil && o.Wait > 0 && p.owing() {
		p.waits, p.until, p.refused = true, time.Now().Add(o.Wait), nil
		err = p.round(ctx, 1)
	}
	return p.payments, err
}

// payer is one who pays.
type payer struct {
	o        PayOptions
	waits    bool              // in the second round
	until    time.Time         // then
	refused  []config.CardNeed // for the card, in this round
	payments []Payment
	tries    []int // of payments: the round in which each was tried last
}

// round tries each debt once. The history is asked again each time: a run may pay
// debts of several lanes, and others pay too.
func (p *payer) round(ctx context.Context, number int) error {
	for ctx.Err() == nil {
		debts, err := p.owed(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(debts, func(d Debt) bool { return !p.tried(d, number) })
		if at < 0 {
			return nil
		}
		done := p.pay(ctx, debts[at])
		p.keep(done, number)
		if p.o.Told != nil {
			p.o.Told(done)
		}
	}
	return nil
}

// owed are the debts that are meant, as things are now.
func (p *payer) owed(ctx context.Context) ([]Debt, error) {
	debts, err := p.all(ctx)
	return StillOwed(debts), err
}

// all are those that are void among them.
func (p *payer) all(ctx context.Context) ([]Debt, error) {
	defer p.o.Past.Rest()
	debts, err := Unpaid(ctx, p.o.Past)
	if err != nil {
		return nil, err
	}
	debts = slices.DeleteFunc(debts, func(d Debt) bool { return p.o.Fits != nil && !p.o.Fits(d) })
	return Settle(ctx, p.o.Past, p.o.Lanes, debts), nil
}

func (p *payer) of(d Debt) int {
	return slices.IndexFunc(p.payments, func(done Payment) bool { return done.Name() == d.Name() })
}

func (p *payer) tried(d Debt, round int) bool {
	at := p.of(d)
	return at >= 0 && p.tries[at] >= round
}

// keep puts what came of a debt in the place of what came of it in the round before.
func (p *payer) keep(done Payment, round int) {
	if at := p.of(done.Debt); at >= 0 {
		p.payments[at], p.tries[at] = done, round
		return
	}
	p.payments, p.tries = append(p.payments, done), append(p.tries, round)
}

// owing says whether something was refused or left that waiting can help.
func (p *payer) owing() bool {
	return slices.ContainsFunc(p.payments, func(done Payment) bool { return !done.Paid && done.Exit == Refused.ExitCode() })
}

// pay tries one debt.
func (p *payer) pay(ctx context.Context, d Debt) Payment {
	left := func(exit int, format string, args ...any) Payment {
		return Payment{Debt: d, Exit: exit, Left: fmt.Sprintf(format, args...)}
	}
	lane, _ := laneNamed(p.o.Lanes, d.Lane)
	job, err := p.o.Prepare(ctx, d, lane)
	switch {
	case err != nil:
		return left(ExitConfig, "%v", err)
	case p.inVain(job.Need):
		return left(Refused.ExitCode(), "the card was not to be had for a gate before it")
	}
	release, busy, err := p.lock(ctx, d)
	if err != nil {
		return left(ExitUnexpected, "%v", err)
	}
	if busy {
		return left(Refused.ExitCode(), "another gpuci pays it")
	}
	defer release()
	now, paid, by := p.again(ctx, d)
	switch {
	case paid:
		return Payment{Debt: now, Outcome: Outcome(by.Outcome), Exit: by.Exit, Paid: true, By: by.Run, Left: "another gpuci has just paid it"}
	case now.Void != "":
		return Payment{Debt: now, Left: "it is void: " + now.Void}
	}
	if why := p.awaitQuiet(ctx, now); why != "" {
		return left(Refused.ExitCode(), "%s", why)
	}
	return p.run(ctx, now, job)
}

// inVain says that a gate which asked for no more was refused for the card in this
// round.
func (p *payer) inVain(need config.CardNeed) bool {
	return need.Count > 0 && slices.ContainsFunc(p.refused, func(r config.CardNeed) bool {
		return need.Count >= r.Count && need.VRAM >= r.VRAM && need.SM >= r.SM
	})
}

// run runs the gate. What it came to pays the debt where it says something of the same
// content.
func (p *payer) run(ctx context.Context, d Debt, job Job) Payment {
	wait := time.Duration(0)
	switch {
	case p.waits:
		wait = max(time.Until(p.until), 0)
	case p.o.Wait == 0:
		wait = -1
	}
	v := job.Run(ctx, wait)
	done := Payment{Debt: d, Outcome: v.Outcome, Exit: v.Exit, By: v.Run}
	now, paid, _ := p.again(context.WithoutCancel(ctx), d)
	switch done.Paid = paid; {
	case now.Void != "" && !paid:
		done.Left = "it is void: " + now.Void
	case !paid && v.Exit == 0:
		done.Exit, done.Left = Refused.ExitCode(), "the run has not paid it: the lane went on under it, or it could not be recorded; gpuci debt pay "+d.Lane+" runs it again"
	}
	if v.Outcome == Refused && v.Owed != nil && v.Owed.Why != OweBox {
		p.refused = append(p.refused, job.Need)
	}
	return done
}
