package gates

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"gpuci/gates/config"
	"gpuci/pressure"
)

const (
	// quietLook is how long it takes to say that a machine is quiet, and
	// quietLooks how often it is asked: what the gate's own build has left to
	// the disk is given that time to go there.
	quietLook  = time.Second
	quietLooks = 5
	// quietCPU is the part of one processor, and quietShare of all of them, that
	// a quiet machine may use for itself.
	quietCPU   = 0.25
	quietShare = 0.02
	// quietStall is how much waiting a quiet machine shows: a daemon that
	// writes its log.
	quietStall = 0.05
	// tooShort is a run, in seconds, in which processor time cannot be told: it
	// is counted in hundredths.
	tooShort = 0.1
	// foreignStall is how much more the machine may wait for the disk during a
	// run than the run does itself.
	foreignStall = 0.2
)

// doQuiet looks, just before the run, whether others are at work: after the
// build, which is not quiet itself.
func (f *flow) doQuiet(ctx context.Context) StepState {
	if f.gate.QuietBox == "" {
		return StepNone
	}
	var why string
	for range quietLooks {
		if why = busyNow(ctx, f.pressureRoot()); why == "" || ctx.Err() != nil {
			break
		}
	}
	if why == "" {
		return StepDone
	}
	return f.notQuiet("the machine is not quiet: " + why)
}

func (f *flow) pressureRoot() string {
	if f.opt.Pressure == nil {
		return ""
	}
	return f.opt.Pressure.Rule.Root
}

// quietMark is what the marks of a machine that was not quiet begin with.
const quietMark = "the machine "

// notQuiet refuses the gate, or marks it, as configured.
func (f *flow) notQuiet(text string) StepState {
	if f.gate.QuietBox == config.QuietMark {
		f.mark(text)
		return StepDone
	}
	f.owe(OweBox, text)
	f.refuse(text, `run it again when the machine is quiet (gpuci pressure says who is at work); quiet-box = "mark" in gpuci.toml judges it all the same`)
	return StepFailed
}

// busyNow says who or what is at work on the machine, "" for nothing.
func busyNow(ctx context.Context, root string) string {
	ctx, cancel := context.WithTimeout(ctx, quietLook)
	defer cancel()
	var points pressure.Timeline
	_ = pressure.Record(ctx, pressure.RecordOptions{Root: root, Every: 2 * quietLook, Sink: func(p pressure.Point) { points = append(points, p) }})
	if len(points) == 0 {
		return "it was not looked at long enough"
	}
	return busyText(points[0])
}

// busyText judges a look. What is not known is not quiet.
func busyText(p pressure.Point) string {
	var parts []string
	add := func(name string, s pressure.Share, most float64) {
		switch {
		case !s.Known:
			parts = append(parts, name+" unknown")
		case s.Value > most:
			is, limit := percentTexts(s.Value, most)
			parts = append(parts, fmt.Sprintf("%s %s (%s at most)", name, is, limit))
		}
	}
	add("processors busy", p.Busy, busyLimit())
	add("cpu some", p.CPU.Some, quietStall)
	add("io full", p.IO.Full, quietStall)
	add("memory some", p.Memory.Some, quietStall)
	return strings.Join(parts, ", ")
}

// busyLimit is the share of all processors that a quiet machine may use.
func busyLimit() float64 { return max(quietCPU/float64(runtime.NumCPU()), quietShare) }

// overRun takes the run down as one step, until it is called again.
func (f *flow) overRun() (end func() pressure.Timeline) {
	if f.gate.QuietBox == "" && !f.opt.Sample {
		return func() pressure.Timeline { return nil }
	}
	f.pressure.beginRun()
	ctx, stop := context.WithCancel(context.Background())
	var whole pressure.Timeline
	done := make(chan struct{})
	ready := make(chan struct{})
	go func() {
		defer close(done)
		first := sync.OnceFunc(func() { close(ready) })
		_ = pressure.Record(ctx, pressure.RecordOptions{
			Root: f.pressureRoot(), Every: never, CPU: func() (time.Duration, error) { defer first(); return f.pressure.cpu() },
			Sink: func(p pressure.Point) { whole = append(whole, p) },
		})
	}()
	<-ready
	return func() pressure.Timeline {
		stop()
		<-done
		return whole
	}
}

// stalls are the share of the run in which nothing on the machine moved for want
// of the disk, and nothing of the run itself. Where the machine hardly stalled,
// the latter does not matter and need not be known.
func (f *flow) stalls(run pressure.Timeline) (full, own float64, known bool) {
	s := run.Summary()
	if s.IOFull == nil {
		return 0, 0, false
	}
	if s.IOFull.Mean <= foreignStall {
		return s.IOFull.Mean, 0, true
	}
	waited, ok := f.pressure.ownStall()
	if !ok || s.Seconds <= 0 {
		return s.IOFull.Mean, 0, false
	}
	return s.IOFull.Mean, min(1, waited.Seconds()/s.Seconds), true
}

// never is longer than any run.
const never = 365 * 24 * time.Hour

// stayedQuiet looks back at the run: a gate that wants a quiet machine is not
// judged by numbers that were taken beside somebody else's work.
//
// run is the whole of it in one step.
func (f *flow) stayedQuiet(run pressure.Timeline) {
	if f.gate.QuietBox == "" || run.Summary().Seconds < tooShort {
		return // then the look just before it says all there is to say
	}
	var parts []string
	if cpu := run.Summary().OthersCPU; cpu == nil {
		f.mark("whether the machine stayed quiet is not known: what others used of the processors could not be told")
	} else if cpu.Mean > busyLimit() {
		is, limit := percentTexts(cpu.Mean, busyLimit())
		parts = append(parts, fmt.Sprintf("others used %s of the processors (%s at most)", is, limit))
	}
	full, own, known := f.stalls(run)
	switch {
	case !known:
		f.mark("whether the machine stayed quiet is not known: what the run itself waited for the disk could not be told apart")
	case full > own+foreignStall:
		parts = append(parts, fmt.Sprintf("io full %.0f%%, of that %.0f%% in the run itself", 100*full, 100*own))
	}
	if len(parts) > 0 {
		f.notQuiet("the machine did not stay quiet: " + strings.Join(parts, ", ") + "; the numbers do not stand")
	}
}
