package gates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/gates/reader"
	"gpuci/kernels"
	"gpuci/worktrees"
)

// Options says which gate to run, where, and who watches. Root, Gate and
// State are required.
type Options struct {
	Gate      config.Gate
	Root      string         // directory of gpuci.toml
	Lane      worktrees.Lane // zero outside git
	Reach     Reach          // how who reads the verdict reaches the gate from where he stands
	As        As             // whose run it is, where Lane is a scratch lane
	Trial     string         // what for, where a fault is planted in what it judges: it is kept as no outcome of the gate
	State     string         // directory for runs/<run-id>/
	Workspace *config.Config // that the gate is of; nil: no notes, and no other gates of its subject
	Kernels   []kernels.Set  // those that the gate names, as KernelSets gives them; built below Root
	Args      []string       // appended to the last command of the run: the verdict is partial
	Env       []string       // "k=v" for its commands, stronger than the gate's own: where a scratch lane's products go
	Strict    bool           // any mark makes a green need attention
	Sample    bool           // one of many runs that are compared: nothing of ours runs beside it, and what others did is taken down (Verdict.Beside)
	Tools     []string       // of [reaper]
	Version   string         // of gpuci
	Base      string         // the branch that numbers are held against; "" for the usual one
	KeepRuns  int            // directories of runs, with their logs; 0 keeps all
	History   *Past          // what other runs gave; nil for none: then nothing is kept
	Queue     *Queue         // of the links; nil lets them run as they come
	Cards     *Cards         // of this machine; nil refuses a gate that needs one
	Bundle    *Bundled       // that the gate is run from, in place of a lane and a build; nil for none
	Pressure  *Pressure      // on the machine; nil looks at none

	// TraceLibrary gives the library that a run loads which the atlas counts; nil: there is
	// none, and a gate with [gate.trace] is refused.
	TraceLibrary func(context.Context) (string, error)

	// Compare compares the lane with a base; nil: a gate with such a bar is broken.
	Compare Comparer

	Live     io.Writer       // the child's output as it comes; nil for none
	Terminal *os.File        // the terminal that Live writes to, if it is one
	Note     func(string)    // one line for the person who watches; may be nil
	Detail   func(string)    // the same for -v; may be nil
	Hurry    <-chan struct{} // closed: end what runs at once, without grace
}

func (o *Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

func (o *Options) detail(format string, args ...any) {
	if o.Detail != nil {
		o.Detail(fmt.Sprintf(format, args...))
	}
}

// flow is one gate on its way through the pipeline.
type flow struct {
	opt      Options
	gate     config.Gate
	v        *Verdict
	rec      *record
	judge    *judge
	build    *ended                 // nil when the gate builds nothing
	run      *ended                 // nil when it did not get there
	repeats  *repeats               // nil where the run is run once
	prepared int                    // readers that were made for commands of the run
	lane     *worktrees.Watch       // on the lane, from before the build
	draft    func() worktrees.Draft // what is in it, from the same time; nil where nobody looked
	raw      []worktrees.Raw        // and what of it git has otherwise

	looked    func() noteLook   // at the workspace's notes; nil where nobody looks
	unlook    func()            // ends that look
	stale     int               // of them, so far
	siblings  []sibling         // other gates of its subject, with outcomes of the same tree
	cut       bool              // stopped while it was compared with its base
	against   *references       // of bars with within, once one was asked for
	pressure  *timeline         // nil where it is not taken down
	links     *links.Watch      // from the step queue on
	linkLog   string            // what the shims write to
	buildLock *buildlock.Ticket // while the build has it
	oneByOne  string            // which protected run the build goes one at a time beside; "" for none
	atMachine atMachine         // what the step machine saw of the cards
	aloneOn   map[string]string // why it does not share a card of a model
	card      *onCards          // while the run has them

	traced     *tracing      // nil for a gate that is not counted by the atlas
	kernels    []*setBuild   // the sets that were built
	kernelTime time.Duration // of the build's limit, that they took
}

// Signalled is the cancellation cause for a gpuci that was asked to stop.
type Signalled struct{ Exit int }

func (s Signalled) Error() string { return fmt.Sprintf("stopped by a signal (exit %d)", s.Exit) }

// Run takes one gate through the pipeline. ctx ends it early: its cause is a
// Signalled for the exit code. A run that cannot begin (nowhere to record it)
// is refused, and a green that cannot be recorded is none.
func Run(ctx context.Context, opt Options) Verdict {
	f := newFlow(opt)
	if f.enter(ctx) {
		f.through(ctx, f.way())
		f.decide(ctx)
		f.end()
	}
	return *f.v
}

// newFlow is a gate before its first step.
func newFlow(opt Options) *flow {
	now := time.Now()
	f := &flow{opt: opt, gate: opt.Gate, v: &Verdict{
		Type: kindOf(opt.Trial), Trial: opt.Trial, Schema: schema, Run: NewID(now), Gate: opt.Gate.Name,
		Started: now, Partial: len(opt.Args) > 0, Subject: opt.Gate.Subject,
	}}
	f.v.Bound.Lane, f.v.Bound.Root, f.v.Bound.Unread = opt.lane(), opt.Root, true
	if opt.Bundle != nil { // which holds what they made
		f.gate.Build, f.gate.Kernels = nil, nil
	}
	return f
}

// enter makes the record of the run. A run that cannot begin is refused and decided.
func (f *flow) enter(ctx context.Context) bool {
	if f.recursion() {
		f.refuse("it is running already, above this one: it would call itself for ever", "take gpuci out of its commands")
		f.decide(ctx)
		return false
	}
	if err := f.begin(); err != nil {
		f.refuse("it cannot begin: "+err.Error(), "runs are recorded in "+f.opt.State+": is it writable, and is there space?")
		f.rec.discard()
		f.decide(ctx)
		return false
	}
	return true
}

// through takes the gate through steps, with what stands around them.
func (f *flow) through(ctx context.Context, steps []step) {
	f.endLeftovers(ctx)
	tools := f.askTools(ctx)
	f.bind(ctx)
	f.lookForNotes(ctx)
	f.recordPressure()
	f.walk(ctx, steps)
	f.endCards()
	f.endPressure()
	f.dropBudget()
	f.rebind(context.WithoutCancel(ctx))
	f.v.Bound.Tools = f.kernelTools(f.answers(tools))
}

// begin opens the record and prepares the reader of the output.
func (f *flow) begin() error {
	run, err := withArgs(f.gate.Run, f.opt.Args)
	if err != nil {
		return err
	}
	f.gate.Run = slices.Clone(run)
	for i, c := range f.gate.Run {
		if c.Shell == "" {
			f.gate.Run[i].Argv = reader.Argv(f.gate.Reader, c.Argv)
		}
	}
	if f.judge, err = newJudge(f.gate, func(s metric.Sample) { f.rec.sample(s) }); err != nil {
		return err
	}
	started := startedHere()
	started.Run, started.Gate, started.Lane, started.As = f.v.Run, f.gate.Name, f.opt.Lane.Name, f.opt.As.Lane
	started.Trial = f.opt.Trial
	started.Begun, started.Leave, started.Root = f.v.Started, f.gate.Leave, f.opt.Root
	f.rec, err = newRecord(f.opt.State, started)
	if err != nil {
		return err // f.rec may be there in part
	}
	f.v.Dir = f.rec.dir
	return nil
}

// withArgs appends the arguments of `gpuci gate NAME -- ARGS` to the last
// command. A shell string gets them as "$@", and must use it: arguments that
// nothing reads would make the run look narrower than it was.
func withArgs(run []config.Command, args []string) ([]config.Command, error) {
	if len(args) == 0 {
		return run, nil
	}
	run = slices.Clone(run)
	last := &run[len(run)-1]
	if last.Shell != "" && !usesArgs(last.Shell) {
		return nil, errors.New(`arguments cannot be appended: the gate's run is a shell string that does not use "$@"`)
	}
	last.Argv = append(slices.Clone(last.Argv), args...)
	return run, nil
}

// CheckArgs says whether arguments can be appended to the gate's run.
func CheckArgs(g config.Gate, args []string) error {
	_, err := withArgs(g.Run, args)
	return err
}

// end writes the verdict down. What nobody can look up later is not green.
func (f *flow) end() {
	f.rec.close()
	f.rec.json("verdict.json", f.v)
	kept := f.rec.err == nil
	if kept && f.opt.Trial == "" {
		kept = f.keep()
	}
	if !kept {
		f.notOwed()
	}
	if f.stuck() {
		f.rec.live = "" // it stays for a later run to try again
	}
	f.rec.goDead()
	f.prune()
	f.pruneTraces()
	if f.rec.err == nil {
		return
	}
	f.v.Unwritten = true
	f.find(Broken, "it could not be recorded: "+f.rec.err.Error())
	f.next("is there space in " + f.opt.State + ", and does it still exist?")
	if f.v.Outcome == Green || f.v.Outcome == KnownRed || f.v.Outcome == Attention {
		f.v.Outcome, f.v.Exit = Broken, Broken.ExitCode()
	}
}

func (f *flow) find(o Outcome, text string) {
	f.v.Findings = append(f.v.Findings, Finding{o, text})
}

func (f *flow) mark(text string) { f.v.Marks = append(f.v.Marks, text) }

func (f *flow) next(text string) {
	if text != "" && !slices.Contains(f.v.Next, text) {
		f.v.Next = append(f.v.Next, text)
	}
}

func (f *flow) refuse(why, next string) {
	f.find(Refused, why)
	f.next(next)
}

// stuck says that something of this run could not be ended: its live file
// stays, and a later run tries again.
func (f *flow) stuck() bool {
	return slices.ContainsFunc(f.v.Commands, func(e Ended) bool { return len(e.Survivors) > 0 })
}
