package link

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/beside"
	"gpuci/buildlock/shim"
	"gpuci/pressure"
	"gpuci/reaper/proc"
)

// blindRemedy is what to do where the pressure cannot be told.
const blindRemedy = `boot with psi=1, or let builds go on with a mark: unknown = "mark" in [pressure]`

// admit is what the link at the head of the queue asks before it begins:
// whether somebody else's stall is better waited out. How it went in is put
// into in.
func (c Call) admit(plan shim.Plan, o buildlock.Options, in *pressure.Admitted) (func(context.Context, buildlock.Turn) (bool, error), error) {
	text, ok := shim.Lookup(c.Env, shim.PressureVar)
	rule := pressure.DefaultRule()
	if ok {
		var err error
		if rule, err = pressure.ParseRule(text); err != nil {
			return nil, fmt.Errorf("read %s: %w", shim.PressureVar, err)
		}
	}
	return func(ctx context.Context, turn buildlock.Turn) (alone bool, err error) {
		said := false
		a := pressure.Admission{
			Rule: rule, Others: others(), Looking: func() { turn.Held("") },
			Held: func(h pressure.Hold) {
				turn.Held(h.String())
				if !said {
					said = true
					c.write(plan, buildlock.LinkEvent{Outcome: buildlock.Holding, Under: h.Why})
				}
				if o.Waiting != nil {
					o.Waiting(buildlock.Line{Held: true, Note: "the next link is " + h.String()})
				}
			},
		}
		budget := sync.OnceValue(func() buildlock.Budget { return buildlock.BudgetOf(o.Dir, c.budgetOf(o.Who)) })
		a.Spent = func() time.Duration {
			_ = budget().SpendAtLeast(min(turn.Behind, rule.Budget)) // the machine was no better while we were in line
			return max(budget().Spent(), turn.Behind)
		}
		a.Spend = func(d time.Duration) { _ = budget().Spend(d) } // then it is this link's own
		*in, err = a.Wait(ctx)
		return in.Under != "", err
	}, nil
}

// budgetOf names the build whose budget a link draws on: by the id that the
// outermost gpuci gave it, or by the job in which it runs.
func (c Call) budgetOf(w buildlock.Who) string {
	if id, _ := shim.Lookup(c.Env, shim.BudgetVar); id != "" {
		return id
	}
	if w.Build != "" {
		return w.Build
	}
	job := beside.Job(proc.Real, os.Getpid())
	return fmt.Sprintf("job-%d-%d", job.PID, job.Start)
}

// others are the processes beside this link's own build that wait for the disk.
func others() func() pressure.Others {
	var o beside.Observer
	return func() (seen pressure.Others) {
		seen.Count, seen.Text, seen.Err = o.Others()
		return seen
	}
}
