package gates

import (
	"context"
	"fmt"
	"path/filepath"

	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/gates/reader"
)

// Repeat is what came of a run that was run several times. All of them count: the
// gate is green only where every one is, and where they do not differ in what must
// not differ.
type Repeat struct {
	Times    int         `json:"times"`              // how often it was to run
	Runs     []RepeatRun `json:"runs"`               // those that were started
	Values   int         `json:"values,omitempty"`   // numbers of each run that were held against those of the others
	Spread   int         `json:"spread,omitempty"`   // of these, those that may differ by a spread
	Files    int         `json:"files,omitempty"`    // the same of files
	Bytes    int64       `json:"bytes,omitempty"`    // in them
	Widest   *Unstable   `json:"widest,omitempty"`   // of the numbers with a spread the one that came nearest to it, where all held
	Unstable []Unstable  `json:"unstable,omitempty"` // what differs between the runs
}

// RepeatRun is one of the runs.
type RepeatRun struct {
	Run     int     `json:"run"` // from 1
	Outcome Outcome `json:"outcome"`
	Exit    int     `json:"exit"`
	Signal  string  `json:"signal,omitempty"`
	Seconds float64 `json:"seconds"`
	Tests   *Tests  `json:"tests,omitempty"`
	Log     string  `json:"log"`
}

// Unstable is something in which the runs differ.
type Unstable struct {
	Kind   string   `json:"kind"` // test, count, status, metric, file or finding
	Name   string   `json:"name"` // of the test, the metric, the file
	Labels string   `json:"labels,omitempty"`
	Runs   []int    `json:"runs,omitempty"`   // those that are not like most of them
	Differ int      `json:"differ,omitempty"` // how many values, elements or blocks
	Of     int      `json:"of,omitempty"`     // of so many in a run
	Spread *float64 `json:"spread,omitempty"` // (max - min) / |median|; none where the median is 0
	Limit  float64  `json:"limit,omitempty"`  // that it may be
	Text   string   `json:"text"`
}

// repetition is one of the runs, as it is judged by itself.
type repetition struct {
	run      ended
	counts   reader.Counts
	failed   bool // its command or a test did
	tape     *tape
	log      string
	findings []Finding
	marks    []string
	next     []string

	tests     *Tests
	bars      []metric.Result
	witnesses []WitnessResult
	metrics   []MetricSummary
	scope     []AxisScope
}

// repeats are the runs of a gate that is repeated.
type repeats struct {
	config.Repeat
	done  []repetition
	files *comparedFiles // nil where none are declared

	reports *reportsAside
}

// doRepeats runs the run so often as is asked for, and judges each by itself. One
// that is red does not end it: whether the others are red, too, is what the repeats
// are for. One that is out of time does, for each of the others could take as long.
func (f *flow) doRepeats(ctx context.Context) StepState {
	f.repeats = &repeats{Repeat: *f.gate.Repeat}
	if len(f.repeats.Files) > 0 {
		f.repeats.files = newComparedFiles(f.opt.Root, f.rec.dir, f.repeats.Repeat)
	}
	over := f.overRun()
	aside := f.newReportsAside()
	defer aside.back()
	f.repeats.reports = aside
	state := StepDone
	for i := 1; i <= f.repeats.Times && state == StepDone; i++ {
		if i > 1 && ctx.Err() != nil {
			f.run = &ended{Ended: Ended{Step: "run", Argv: argvOf(f.gate.Run[0]), Exit: -1}, why: byInterrupt}
			state = StepFailed
			break
		}
		state = f.repeatOnce(ctx, i)
	}
	f.stayedQuiet(over())
	if state == StepFailed {
		f.mergeRepeats(ctx)
	}
	return state
}

// repeatOnce runs and judges one of the runs.
func (f *flow) repeatOnce(ctx context.Context, i int) StepState {
	f.opt.note("run %d of %d", i, f.repeats.Times)
	r := repetition{tape: newTape(f.repeats.Times)}
	outer := *f.v
	f.v.Findings, f.v.Marks, f.v.Next, f.v.Scope = nil, nil, nil, nil
	state := f.repeatInto(ctx, i, &r)
	r.findings, r.marks, r.next, r.scope = f.v.Findings, f.v.Marks, f.v.Next, f.v.Scope
	r.tests, r.bars, r.witnesses, r.metrics = f.v.Tests, f.v.Bars, f.v.Witnesses, f.v.Metrics
	f.v.Findings, f.v.Marks, f.v.Next, f.v.Scope = outer.Findings, outer.Marks, outer.Next, outer.Scope
	f.v.Tests, f.v.Bars, f.v.Witnesses, f.v.Metrics = outer.Tests, outer.Bars, outer.Witnesses, outer.Metrics
	f.repeats.done = append(f.repeats.done, r)
	return state
}

func (f *flow) repeatInto(ctx context.Context, i int, r *repetition) StepState {
	var err error
	if f.judge, err = newJudge(f.gate, func(s metric.Sample) {
		r.tape.add(s)
		f.rec.sample(s)
	}); err != nil {
		f.find(Broken, err.Error()) // it was made before, from the same settings
		return StepFailed
	}
	if err := f.repeats.files.before(); err != nil {
		f.find(Broken, err.Error())
		f.next("can the files that identical names be read?")
		r.run.why = notStarted
		return StepFailed
	}
	if err := f.repeats.reports.before(ctx, i); err != nil {
		f.find(Broken, err.Error())
		f.next("let the run write its reports where gpuci may move them")
		r.run.why = notStarted
		return StepFailed
	}
	first := len(f.v.Commands)
	state := f.runOnce(ctx, logName("run", i), logName("raw", i))
	if f.run == nil { // its log could not be made
		r.run.why = notStarted
		return state
	}
	for n := range f.v.Commands[first:] {
		f.v.Commands[first+n].Repeat = i
	}
	r.run, r.log = *f.run, f.v.Log
	r.run.Ended.Repeat = i
	if state != StepDone {
		return state
	}
	r.counts, r.failed, _ = f.read(ctx)
	f.weigh(r.counts, r.failed)
	if err := f.repeats.files.after(ctx, i); err != nil && ctx.Err() == nil && !r.failed {
		f.find(Broken, err.Error())
		f.next("let every run write the files that identical names, or name others" + f.fromDir())
	}
	return StepDone
}

// fromDir says how a file in the directory of the run is named.
func (f *flow) fromDir() string {
	if dir := filepath.Clean(f.gate.Dir); dir != "." {
		return fmt.Sprintf(": one in dir is %s/…", dir)
	}
	return ""
}

// logName is the name of a log of one of the runs: the first has that of a gate
// which is run once.
func logName(name string, i int) string {
	if i > 1 {
		return fmt.Sprintf("%s-%d.log", name, i)
	}
	return name + ".log"
}

// inRepeat says in which of the runs something was, where there are several.
func (f *flow) inRepeat() string {
	if f.repeats == nil || len(f.repeats.done) == 0 {
		return ""
	}
	return fmt.Sprintf(" (run %d of %d)", len(f.repeats.done), f.repeats.Times)
}
