package gates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
)

// decide closes the verdict: how the commands ended, then the findings, then
// what the configuration says about a red.
func (f *flow) decide(ctx context.Context) {
	v := f.v
	f.endings()
	f.linksOf()
	f.settleUnfit()
	f.settleShared()
	v.Outcome, v.Exit = f.outcome(), 0
	switch over := f.run != nil && f.run.why == byItself && !f.cut; {
	case over: // a signal that comes after the last command stops no verdict
		ctx = context.WithoutCancel(ctx)
	case ctx.Err() != nil:
		f.stopped(ctx)
	}
	f.expect(v.Started)
	f.disagree()
	f.noted()
	f.falsified(ctx)
	if f.opt.Strict && len(v.Marks) > 0 && (v.Outcome == Green || v.Outcome == KnownRed) {
		v.Outcome = Attention
		f.find(Attention, "it carries a mark, and --strict asks for none")
	}
	f.settleOwed()
	if v.Exit == 0 {
		v.Exit = v.Outcome.ExitCode()
	}
	f.nextOwed(0)
	if built := v.Outcome == Refused && v.Built && f.run == nil; v.Outcome != Green && v.Log != "" && !built { // its log says nothing of why
		f.next("read " + v.Log)
	}
	v.Seconds = time.Since(v.Started).Seconds()
}

// stopped is the verdict of a gate that somebody stopped.
func (f *flow) stopped(ctx context.Context) {
	f.v.Outcome, f.v.Exit = Interrupted, ExitInterrupt
	by := "stopped"
	if sig := (Signalled{}); errors.As(context.Cause(ctx), &sig) {
		f.v.Exit, by = sig.Exit, "stopped by a signal"
	}
	if len(f.v.Commands) == 0 {
		f.find(Interrupted, by+" before any of its commands was started")
	} else {
		f.find(Interrupted, by+" before its commands had ended")
	}
	f.next("run it again")
}

// rank orders the outcomes that findings lead to. Broken stands above red: a
// limit crossed by numbers that cannot be trusted says nothing. After a failed
// command or test nothing is found broken, so that there red decides.
var rank = []Outcome{Refused, BuildFailed, OutOfTime, Broken, Red}

func (f *flow) outcome() Outcome {
	for _, o := range rank {
		if slices.ContainsFunc(f.v.Findings, func(x Finding) bool { return x.Outcome == o }) {
			return o
		}
	}
	return Green
}

// endings turns the way the commands ended into findings and marks.
func (f *flow) endings() {
	f.ending("build", f.build, BuildFailed, f.gate.BuildTimeout)
	f.ending("run", f.run, Broken, f.gate.Timeout)
	for i := range f.v.Commands {
		f.remnants(&f.v.Commands[i])
	}
}

// remnants marks what a command left, whether it decided or not.
func (f *flow) remnants(e *Ended) {
	in := ""
	if len(f.v.Commands) > 1 {
		in = ", of: " + quoteArgv(e.Argv)
	}
	if len(e.Escaped) > 0 {
		f.mark("outlived its " + e.Step + " and was ended: " + strings.Join(e.Escaped, ", ") + in)
	}
	if len(e.Survivors) > 0 {
		f.mark("could not be ended: " + strings.Join(e.Survivors, ", ") + in)
	}
}

func (f *flow) ending(name string, e *ended, unstarted Outcome, limit time.Duration) {
	if e == nil {
		return
	}
	switch e.why {
	case notStarted:
		f.find(unstarted, fmt.Sprintf("the %s could not start: %v", name, e.err))
	case byTimeLimit:
		f.find(OutOfTime, fmt.Sprintf("the %s was ended after its time limit of %s%s", name, buildlock.Round(limit), f.running(e)))
		f.next("see where it was in " + f.v.Dir + "/stacks.txt; raise the limit if it only needs longer")
	case byNoProgress:
		f.find(OutOfTime, fmt.Sprintf("the %s was ended after %s without output and without CPU%s", name, buildlock.Round(e.stall), f.running(e)))
		f.next("see where it hangs in " + f.v.Dir + "/stacks.txt")
	case byItself:
		switch {
		case name != "build": // doJudge says what came of it
		case e.unfit != "":
			f.refuseUnfit(e)
		case !e.ok():
			f.find(BuildFailed, fmt.Sprintf("%s: %s", quoteArgv(e.Argv), howEnded(e.Ended)))
		}
	}
}

// running names the command that was at work when time ran out.
func (f *flow) running(e *ended) string { return ", in: " + quoteArgv(e.Argv) + f.inRepeat() }

// overdue begins the finding about a known red past its end.
const overdue = "it was a known red of "

// Overdue says that a finding is about a known red past its end: not what is wrong,
// but why nobody lets it be any more.
func (x Finding) Overdue() bool { return x.Outcome == Red && strings.HasPrefix(x.Text, overdue) }

// expect applies `expect = "red"`: a known red is one with an owner and an
// end, and only until then.
func (f *flow) expect(now time.Time) {
	g, v := f.gate, f.v
	if g.Expect != "red" {
		return
	}
	until := g.Until.Format(time.DateOnly)
	over := now.Format(time.DateOnly) > until // the last day counts, to its end here
	switch {
	case v.Outcome == Red && over:
		f.find(Red, fmt.Sprintf("%s%s until %s, and that is over", overdue, g.Owner, until))
		f.next("mend it, or agree on a new end with " + g.Owner)
	case v.Outcome == Red && f.unlikely() != "":
		f.find(Red, f.unlikely()+": that is not the red that is known")
	case v.Outcome == Red:
		v.Outcome = KnownRed
		f.next(fmt.Sprintf("%s owns it until %s", g.Owner, until))
	case v.Outcome == Green && !v.Partial: // a part may well be green
		v.Outcome = Attention
		f.find(Attention, "it is expected to be red and is green")
		f.next("take expect, owner and until out of gpuci.toml")
	}
}

// unlikely says why a red is not one that anybody knows: its program is not there,
// died, or was over before it gave what the gate is judged by. Of a reader that counts,
// a test that ran says enough: what the others print may be lost with the one.
func (f *flow) unlikely() string {
	if f.v.Tests != nil {
		if f.v.Tests.Ran() == 0 {
			return "no test ran"
		}
		return ""
	}
	if f.run != nil && f.run.why == byItself {
		switch e := f.run.Ended; {
		case e.Signal != "" || e.Exit == cannotRun || e.Exit == notFound:
			return "the command did not come to its own end (" + howEnded(e) + ")"
		case e.Exit > shellSignal && e.Exit <= shellSignal+lastSignal:
			return fmt.Sprintf("the command did not come to its own end (exit status %d: signal %d, as a shell says it)", e.Exit, e.Exit-shellSignal)
		}
	}
	for _, bar := range f.v.Bars {
		if bar.Matches == 0 {
			return bar.Metric + " was not " + f.howGiven(bar.Metric)
		}
	}
	return ""
}

// Exit statuses of a shell, as POSIX has them: what was found and could not be run,
// what was not found, and 128 and the number of the signal that ended it.
const (
	cannotRun   = 126
	notFound    = 127
	shellSignal = 128
	lastSignal  = 64
)
