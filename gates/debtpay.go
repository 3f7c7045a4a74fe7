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
	State   string              // directory of the runs; the locks of what is paid are in it
	Lanes   []worktrees.Tree    // of the repository, that are there
	Fits    func(d Debt) bool   // which are meant; nil for all
	Never   func(d Debt) string // why one can never be paid here, "" where it can; may be nil
	Wait    time.Duration       // for the card or the machine to become quiet, all in all; 0 waits for nothing
	Root    string              // of /proc, for how busy the machine is; "" for the real one
	Prepare func(ctx context.Context, d Debt, lane worktrees.Lane) (Job, error)
	Told    func(p Payment) // each debt as it is done with; may be nil
	Note    func(string)    // one line for the person who watches; may be nil
}

// Job is a debt's gate, made ready in its lane.
type Job struct {
	Need   config.CardNeed
	Shares bool // it may be on a card with somebody else
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

	passes bool // what it was refused or left for passes by itself
}

// Pay runs the gates of debts in their lanes, the oldest first, on what is there then.
// One that is refused again stays owed. Where the card was not to be had for it, those
// behind it that ask for no less of the card are left: the others have their turn. With
// Wait, what is owed still is then waited for, in the same order, and what is refused
// again for something that passes is tried again until the time is up. A debt that another
// gpuci pays at the same time is left to it, or with Wait waited for.
//
// ctx ends it early; what was not paid is owed still, and listed with what was not tried.
// The error is of the history.
func Pay(ctx context.Context, o PayOptions) ([]Payment, error) {
	p := &payer{o: o}
	err := p.round(ctx, 0)
	if err == nil && o.Wait > 0 && p.owing() {
		p.waits, p.until = true, time.Now().Add(o.Wait)
		err = p.waitingRounds(ctx)
	}
	if ctx.Err() != nil {
		err = p.cutOff(context.WithoutCancel(ctx))
	}
	return p.payments, err
}

// payer is one who pays.
type payer struct {
	o        PayOptions
	waits    bool      // in the rounds after the first
	until    time.Time // then
	refused  []Job     // the card was not to be had for them, in this round
	payments []Payment
	tries    []int // of payments: the round in which each was tried last
}

// round tries each debt once, from the third round on those alone that time can help. The
// history is asked again each time: a run may pay debts of several lanes, and others pay
// too.
func (p *payer) round(ctx context.Context, number int) error {
	p.refused = nil
	for ctx.Err() == nil {
		debts, err := p.owed(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(debts, func(d Debt) bool { return !p.tried(d, number) && (number <= firstWaiting || p.helped(d)) })
		if at < 0 || ctx.Err() != nil { // who looks up under an end finds less than there is
			return nil
		}
		done := p.pay(ctx, debts[at])
		p.keep(done, number)
		p.tell(done)
	}
	return nil
}

func (p *payer) tell(done Payment) {
	if p.o.Told != nil {
		p.o.Told(done)
	}
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
	return Unrunnable(Settle(ctx, p.o.Past, p.o.Lanes, debts), p.o.Never), nil
}

func (p *payer) of(d Debt) int {
	return slices.IndexFunc(p.payments, func(done Payment) bool { return done.sameGate(d) })
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
		return Payment{Debt: d, Exit: exit, Left: fmt.Sprintf(format, args...), passes: exit == Refused.ExitCode()}
	}
	lane, _ := laneNamed(p.o.Lanes, d.Lane)
	job, err := p.o.Prepare(ctx, d, lane)
	switch {
	case err != nil:
		return left(ExitConfig, "%v", err)
	case p.inVain(job):
		return left(Refused.ExitCode(), "the card was not to be had for a gate before it")
	}
	release, busy, err := p.lock(ctx, d)
	if err != nil {
		return left(ExitUnexpected, "%v", err)
	}
	if busy && ctx.Err() != nil {
		return left(Refused.ExitCode(), notTried)
	}
	if busy {
		return left(Refused.ExitCode(), "another gpuci pays it")
	}
	defer release()
	done, over := p.settled(ctx, d, "another gpuci has just paid it")
	if over {
		return done
	}
	if why := p.awaitQuiet(ctx, done.Debt); why != "" {
		return left(Refused.ExitCode(), "%s", why)
	}
	if ctx.Err() != nil {
		return left(Refused.ExitCode(), notTried)
	}
	return p.run(ctx, done.Debt, job)
}

// inVain says that the card was not to be had in this round for a gate which asked for
// no more. One that may share is never behind others: whether there is room for it beside
// somebody is of its own numbers.
func (p *payer) inVain(job Job) bool {
	need := job.Need
	return need.Count > 0 && !job.Shares && slices.ContainsFunc(p.refused, func(r Job) bool {
		return need.Count >= r.Need.Count && need.VRAM >= r.Need.VRAM && need.SM >= r.Need.SM
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
	done.passes = !paid && v.Outcome == Refused && v.Owed != nil
	if done.passes && v.Owed.Why == OweCard { // a run that was disturbed, or not sure, says nothing of the next
		p.refused = append(p.refused, job)
	}
	return done
}
