package gates

import (
	"context"
	"fmt"
	"os"
	"time"
)

// step is one stage of the pipeline. A nil do is a stage whose package is not
// part of this version: it is recorded as absent, never as passed.
type step struct {
	name string
	do   func(*flow, context.Context) StepState
}

// pipeline is the way of every gate, in this order.
func pipeline() []step {
	return []step{
		{"sweep", (*flow).doSweep},       // reaper: what leaked in this lane
		{"pressure", (*flow).doPressure}, // let the box breathe
		{"queue", (*flow).doQueue},       // buildlock: one link at a time, from here on
		{"machine", (*flow).doMachine},   // refuses what can never run here, before it is built
		{"kernels", (*flow).doKernels},   // compiled and checked, before anything launches one
		{"build", (*flow).doBuild},
		{"quiet", (*flow).doQuiet}, // of a gate with quiet-box
		{"card", (*flow).doCard},   // taken after the build, and looked at
		{"run", (*flow).doRun},
		{"judge", (*flow).doJudge},
		{"compare", (*flow).doCompare}, // with its base, where a bar asks for that
	}
}

// way is the way of this gate: from a bundle, that is looked at before all else.
func (f *flow) way() []step {
	if f.opt.Bundle == nil {
		return pipeline()
	}
	return append([]step{{"bundle", (*flow).doBundle}}, pipeline()...)
}

// walk takes the steps until one fails.
func (f *flow) walk(ctx context.Context, steps []step) {
	on := true
	for _, s := range steps {
		st := Step{Name: s.name, State: StepSkipped}
		switch {
		case s.do == nil:
			st.State = StepAbsent
		case on && ctx.Err() != nil && f.run == nil: // nothing begins once we are asked to stop
			on = false
		case on:
			began := time.Now()
			st.State = s.do(f, ctx)
			st.Seconds = time.Since(began).Seconds()
			on = st.State != StepFailed
		}
		f.v.Steps = append(f.v.Steps, st)
		f.opt.detail("step %s: %s", st.Name, st.State)
	}
}

func (f *flow) doBuild(ctx context.Context) StepState {
	if len(f.gate.Build) == 0 {
		return f.bundled(len(f.opt.Gate.Build))
	}
	if !f.takeBuildLock(ctx) {
		return StepFailed
	}
	defer f.endQueue()
	log := f.openLog("build.log")
	if log == nil {
		return StepFailed
	}
	defer log.Close()
	f.v.Log = log.Name()
	last := f.phase(ctx, phase{"build", f.gate.Build, max(f.gate.BuildTimeout-f.kernelTime, time.Nanosecond), &output{log: log, live: f.opt.Live}})
	f.build = &last
	if !last.ok() {
		f.v.Command = &last.Ended
		f.hint(log.Name())
		return StepFailed
	}
	return StepDone
}

// openLog makes a log of this run; where that fails, the gate is refused.
func (f *flow) openLog(name string) *os.File {
	log, err := f.rec.create(name)
	if err != nil {
		f.refuse("its log cannot be written: "+err.Error(), "free space for "+f.rec.dir)
		return nil
	}
	return log
}

func (f *flow) doRun(ctx context.Context) StepState {
	defer f.endCards()
	limited, watch := f.watchCards(ctx)
	return f.stillLocked(f.endWatch(watch, f.runs(limited)))
}

// runs runs the run, as often as is asked for.
func (f *flow) runs(ctx context.Context) StepState {
	if f.gate.Repeat != nil {
		return f.doRepeats(ctx)
	}
	over := f.overRun()
	state := f.runOnce(ctx, "run.log", "raw.log")
	whole := over()
	f.stayedQuiet(whole)
	f.lookBeside(whole)
	return state
}

// runOnce runs the run, with its output in a log of that name.
func (f *flow) runOnce(ctx context.Context, name, rawName string) StepState {
	log := f.openLog(name)
	if log == nil {
		return StepFailed
	}
	defer log.Close()
	f.v.Log = log.Name()
	f.giveKernels()
	out := &output{log: log, live: f.opt.Live, judge: f.judge}
	if f.gate.Reader == "gotest" { // its JSON is for us; a person reads the text
		if out.raw = f.openLog(rawName); out.raw == nil {
			return StepFailed
		}
		defer out.raw.Close()
	}
	if !f.beginTrace(out) {
		return StepFailed
	}
	last := f.phase(ctx, phase{"run", f.gate.Run, f.gate.Timeout, out})
	f.endTrace(last)
	f.run, f.v.Command = &last, &last.Ended
	switch {
	case last.why != byItself:
		return StepFailed
	case !last.ok():
		f.hint(log.Name())
	}
	return StepDone
}

// outputMarks carries what happened to the output into the verdict.
func (f *flow) outputMarks(o *output) {
	o.errs.Lock()
	defer o.errs.Unlock()
	if o.fault != nil {
		f.v.Unwritten = true
		f.find(Broken, "the log is not whole: "+o.fault.Error())
		f.next("free space for " + f.rec.dir)
	}
	if o.long == 0 {
		return
	}
	text := fmt.Sprintf("%s longer than %d KiB, looked at only that far", plural(o.long, "line"), maxLine>>10)
	if len(f.gate.Bars)+len(f.gate.Witnesses) == 0 || o.judge == nil {
		f.mark(text)
		return
	}
	f.find(Broken, text+": a number may stand behind that")
	f.next("print numbers on lines of their own")
}
