package gates

import (
	"context"
	"fmt"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/gates/reader"
)

// doJudge reads what the run left: counts, numbers, witnesses, products.
func (f *flow) doJudge(ctx context.Context) StepState {
	if f.repeats != nil { // each of them was judged by itself
		f.judgeRepeats(ctx)
		return StepDone
	}
	counts, failed, whole := f.read(ctx)
	if !whole {
		return StepDone // the reason is the ending; what was not printed yet is none
	}
	f.products(ctx, counts.Products, failed)
	f.weigh(counts, failed)
	if !failed {
		f.firsts()
		f.gone(ctx)
	}
	return StepDone
}

// read takes what the run left. It is whole where the run came to its own end; it
// failed where its command or a test did.
func (f *flow) read(ctx context.Context) (counts reader.Counts, failed, whole bool) {
	f.judge.close()
	counts = f.judge.total()
	f.tests(counts)
	f.countTrace(ctx, !f.run.ok() || counts.Failed > 0)
	f.v.Bars, f.v.Witnesses, f.v.Metrics = f.bars(ctx), f.witnesses(), f.summaries()
	if f.run.why != byItself {
		return counts, false, false
	}
	return counts, f.exit(counts), true
}

// weigh holds what was read against what was asked for.
func (f *flow) weigh(counts reader.Counts, failed bool) {
	for _, r := range counts.Remarks {
		f.mark(r)
	}
	// A run that failed may well not have printed everything: that it
	// failed is the finding then.
	if !failed {
		f.counted(counts)
	}
	f.judged(failed)
	if f.run.unfit != "" {
		f.refuseUnfit(f.run)
	}
}

func (f *flow) tests(c reader.Counts) {
	if !config.Counts(f.gate.Reader) {
		return
	}
	f.v.Tests = &Tests{
		Reader: f.gate.Reader, Passed: c.Passed, Failed: c.Failed, Ignored: c.Ignored,
		Measured: c.Measured, Filtered: c.Filtered, Suites: c.Suites, Names: c.FailedNames,
	}
}

// exit holds the exit status against the counts; neither is believed alone.
func (f *flow) exit(c reader.Counts) (failed bool) {
	e := f.run.Ended
	how := howEnded(e)
	clean := e.Exit == 0 && e.Signal == ""
	switch {
	case clean && c.Failed > 0:
		f.find(Red, fmt.Sprintf("swallowed failure: %d failed, but the command reported success (exit status 0)", c.Failed)+listed(c.FailedNames))
		f.next("find what turns the failure into success: a pipe, `|| true`, a harness that does not pass its result on")
	case clean, f.gate.Reader == "pytest" && e.Exit == pytestNothing && c.Ran() == 0:
		return false
	case c.Failed > 0:
		f.find(Red, fmt.Sprintf("%d failed", c.Failed)+listed(c.FailedNames))
	case f.run.unfit != "": // weigh refuses the gate
	case !config.Counts(f.gate.Reader):
		f.find(Red, "the command failed: "+how+f.which(e))
	case c.Ran() > 0:
		f.find(Red, fmt.Sprintf("the command failed (%s%s) though %s passed and none failed", how, f.which(e), plural(c.Passed, "test")))
	default:
		f.find(Red, fmt.Sprintf("the command failed (%s%s) and no test ran", how, f.which(e)))
		if len(f.gate.Build) == 0 {
			f.next(f.whyNone())
		}
	}
	for _, text := range c.Contradictions {
		f.find(Red, text)
	}
	return true
}

// whyNone is what to look for where a command failed before any test ran.
func (f *flow) whyNone() string {
	if f.gate.Reader == "libtest" || f.gate.Reader == "gotest" {
		return "does it compile? Put the compiling into `build`, and a failure there is told apart"
	}
	return "is all that it needs installed? Its own words are in the log"
}

// pytestNothing is pytest's word for "no tests ran": nothing was found to be
// wrong, and nothing right.
const pytestNothing = 5

// which names the command that ended, where there are several.
func (f *flow) which(e Ended) string {
	if len(f.gate.Run) < 2 {
		return ""
	}
	return ", in: " + quoteArgv(e.Argv)
}

func howEnded(e Ended) string {
	switch {
	case e.Signal == "SIGKILL":
		return "killed by SIGKILL; out of memory?"
	case e.Signal != "":
		return "killed by " + e.Signal
	case e.Exit == 127 && e.Argv[0] == "bash":
		return "exit status 127: a command was not found"
	}
	return fmt.Sprintf("exit status %d", e.Exit)
}

func listed(names []string) string {
	const most = 5
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return fmt.Sprintf(": %s and more", strings.Join(names[:most], ", "))
	}
	return ": " + strings.Join(names, ", ")
}

// counted finds a gate that ran too little to say anything.
func (f *flow) counted(c reader.Counts) {
	for _, text := range c.Contradictions {
		f.find(Broken, text)
		f.next("the counts cannot be trusted: read " + f.v.Log)
	}
	if !config.Counts(f.gate.Reader) {
		return
	}
	f.each()
	least := f.gate.MinTests
	if f.v.Partial {
		least = 1 // the arguments are there to narrow it
	}
	switch ran := c.Ran(); {
	case ran == 0 && c.Ignored > 0:
		f.find(Broken, fmt.Sprintf("nothing ran: %s ignored or skipped", plural(c.Ignored, "test")))
		f.next("let at least one test run, or give the gate another command")
	case ran == 0:
		f.find(Broken, "nothing ran: no test was counted"+filtered(c))
		f.next(fmt.Sprintf("check the filter in `run`, and that the reader %q fits the harness", f.gate.Reader))
	case ran < least:
		f.find(Broken, fmt.Sprintf("%s ran, min-tests is %d", plural(ran, "test"), f.gate.MinTests))
		f.next("find the tests that are gone, or lower min-tests")
	}
}

// each finds a command of several that started a harness and ran nothing: the
// tests of the others do not stand in for it.
func (f *flow) each() {
	if len(f.judge.counts) < 2 {
		return
	}
	for i, c := range f.judge.counts {
		if c.Suites > 0 && c.Ran() == 0 {
			f.find(Broken, fmt.Sprintf("nothing ran in %s%s", quoteArgv(argvOf(f.gate.Run[i])), filtered(c)))
			f.next("check the filter of that command")
		}
	}
}

func filtered(c reader.Counts) string {
	if c.Filtered == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d filtered out)", c.Filtered)
}

func (f *flow) bars(ctx context.Context) []metric.Result {
	var out []metric.Result
	for _, b := range f.gate.Bars {
		if b.AB != nil { // doCompare has these
			continue
		}
		bar := metric.Bar{
			Metric: b.Metric, Min: b.Min, Max: b.Max, Floor: b.Floor, Parts: b.Parts,
			Tolerance: b.Tolerance, MinMatches: b.MinMatches, Within: f.within(ctx, b),
		}
		if f.v.Partial {
			bar.MinMatches = 1 // the arguments are there to narrow it
		}
		out = append(out, f.judge.collector.Judge(bar))
	}
	return out
}

func (f *flow) witnesses() []WitnessResult {
	var out []WitnessResult
	for _, w := range f.judge.witnesses {
		out = append(out, w.verdict())
	}
	return out
}

func (f *flow) summaries() []MetricSummary {
	var out []MetricSummary
	for _, name := range f.judge.collector.Names() {
		found := f.judge.collector.Found(name)
		out = append(out, MetricSummary{
			Metric: name, Count: found.Count, Low: found.Low, High: found.High,
			Unit: found.High.Unit, Series: f.judge.collector.Series(name),
		})
	}
	return out
}

// judged turns bars and witnesses into findings.
func (f *flow) judged(failed bool) {
	seen := make(map[string]bool)
	for _, r := range f.v.Bars {
		seen[r.Metric] = true
		if r.Matches == 0 && f.v.Partial && f.judge.collector.Silent(r.Metric) {
			f.mark("not covered by these arguments: " + r.Metric)
			continue
		}
		if f.judgedTraced(r.Metric, r.State, failed, r.Why) {
			continue
		}
		text := r.Metric + ": " + strings.Join(r.Why, "; ")
		if r.Printed && r.State == metric.Unreadable && !failed { // no reference, or below the floor: that is no matter of printing
			f.find(Broken, text)
			continue
		}
		f.state(r.State, failed, text, f.judge.collector.Silent(r.Metric))
	}
	for _, w := range f.v.Witnesses {
		if w.Matches == 0 && f.v.Partial {
			f.mark("not covered by these arguments: witness " + w.Name)
			continue
		}
		if w.Why == notCounted || f.judgedCounters(w, failed) { // why is a finding already
			continue
		}
		f.state(w.State, failed, fmt.Sprintf("witness %s: %s%s", w.Name, w.Why, series(w.Counters)), w.Matches == 0)
	}
	f.judgedRecorded(failed, seen)
	for _, text := range f.judge.collector.Faults(seen) {
		f.state(metric.Unreadable, failed, text, false)
	}
	f.scope(failed)
}

func series(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	return " (" + metric.Sample{Labels: labels}.Series() + ")"
}

// state makes a finding of what is not held; silent says that no line gave it.
func (f *flow) state(s metric.State, failed bool, text string, silent bool) {
	switch {
	case s == metric.Crossed:
		f.find(Red, text)
	case s == metric.Unreadable && !failed:
		f.find(Broken, text)
		if !silent || !f.unhide() {
			f.next("let the gate print every number it is judged by, as a finite number in its unit")
		}
	}
}
