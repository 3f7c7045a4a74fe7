package gates

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/beside"
	"gpuci/buildlock/shim"
	"gpuci/gates/config"
	"gpuci/pressure"
	"gpuci/reaper/proc"
)

// Pressure is how a gate minds the pressure on this machine.
type Pressure struct {
	Rule pressure.Rule // when it is held back, and its links
}

// RuleOf is the rule that a configuration asks for.
func RuleOf(c config.Pressure) pressure.Rule {
	return pressure.Rule{
		Long: float64(c.IOFull.Long), Short: float64(c.IOFull.Short), Resume: float64(c.IOFull.Resume),
		MinFree: c.MinFree, Budget: c.Budget, Refuse: c.Unknown == config.UnknownRefuse,
	}
}

// NoPressureMark is carried by what was let in unseen, and says what switched the look
// off.
func NoPressureMark(r pressure.Rule) string {
	text := "pressure: not looked at"
	if r.OffBy != "" {
		text += " (" + r.OffBy + ")"
	}
	return text
}

// doPressure lets the machine breathe before anything of the gate begins. What
// is waited here is in no time limit; it is of the same budget as the waits of
// the gate's links.
func (f *flow) doPressure(ctx context.Context) StepState {
	p := f.opt.Pressure
	switch {
	case p == nil:
		return StepNone
	case p.Rule.Off:
		f.mark(NoPressureMark(p.Rule))
		return StepNone
	}
	a := pressure.Admission{
		Rule: p.Rule, Others: others(),
		Held: func(h pressure.Hold) { f.opt.note("gate %s is %s", f.gate.Name, h) },
	}
	if q := f.opt.Queue; q != nil && q.Unfit == nil {
		b := buildlock.BudgetOf(q.Values.LockDir, f.budget())
		a.Spent, a.Spend = b.Spent, func(d time.Duration) { _ = b.Spend(d) } // then the links have their own
	}
	in, err := a.Wait(ctx)
	f.v.Held = in.Held.Seconds()
	switch {
	case errors.Is(err, pressure.ErrRefused):
		f.owe(OweBox, err.Error())
		f.refuse(err.Error(), `boot with psi=1, or let gates go on with a mark: unknown = "mark" in [pressure]`)
		return StepFailed
	case err != nil:
		return StepFailed // stopped
	case in.Unknown != nil:
		f.mark("pressure: " + in.Unknown.Error())
	case in.Under != "":
		f.mark("under pressure: " + in.Under)
	}
	return StepDone
}

// budget names the build whose budget is drawn on: of a gate in a gate, or in a
// build, the outer one's.
func (f *flow) budget() string {
	if id := os.Getenv(shim.BudgetVar); id != "" {
		return id
	}
	return f.v.Run
}

// dropBudget takes the gate's own away.
func (f *flow) dropBudget() {
	if q := f.opt.Queue; q != nil && f.budget() == f.v.Run {
		buildlock.BudgetOf(q.Values.LockDir, f.v.Run).Drop()
	}
}

// Waiters are the processes that wait for the disk, ours and others', in groups.
func Waiters() (out []pressure.Waiter) {
	table, err := proc.Real.Table()
	if err != nil {
		return nil
	}
	count := map[[2]string]int{}
	for _, s := range table {
		if s.State != 'D' || s.Kernel || beside.NotDisk(proc.Real, s.PID) {
			continue
		}
		where := "in a directory that cannot be seen"
		if cwd, err := proc.Real.Cwd(s.PID); err == nil && cwd.Known() {
			where = "in " + cwd.Path
		}
		count[[2]string{s.Comm, where}]++
	}
	for k, n := range count {
		out = append(out, pressure.Waiter{Name: k[0], Where: k[1], Count: n})
	}
	slices.SortFunc(out, func(a, b pressure.Waiter) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Where, b.Where))
	})
	return out
}

// others are the processes that wait for the disk and did not come of this
// gpuci.
func others() func() pressure.Others {
	var o beside.Observer
	return func() (seen pressure.Others) {
		seen.Count, seen.Text, seen.Err = o.Others()
		return seen
	}
}
