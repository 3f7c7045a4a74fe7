package config

import (
	"fmt"
	"strings"
	"time"
)

// Gate is one named check.
type Gate struct {
	Name, About string

	Build, Run []Command // in order; Build can be empty, Run cannot
	Dir        string    // where they run, relative to Root
	Env        map[string]string
	Products   []string // globs of build products to hash, relative to Root
	Kernels    []string `json:",omitempty"` // sets that are compiled and checked before Build
	KernelsID  string   `json:",omitempty"` // identifies what these sets say: a verdict is bound to it
	Leave      []string // names of daemons that may outlive the commands

	Profile, Backend string   // part of the series of its numbers
	Needs            []string // "gpu", "gpu:2", "vram>=40GiB", "sm>=90"
	Card             CardNeed `json:"-"`          // the same, read
	ShareGPU         bool     `json:",omitempty"` // its numbers stand beside somebody else on the card
	VRAM             int64    `json:",omitempty"` // bytes of each card that it uses at most; 0: not said
	Measures         string   `json:",omitempty"` // MeasuresNumbers and so on, "" leaves it to the bars: see Measured
	Bundle           []string `json:"-"`          // globs of files that go into an archive of it beside what is known, relative to Root
	QuietBox         string   // "", QuietRefuse or QuietMark: what happens where somebody else is at work

	BuildTimeout time.Duration // of all of Build
	Timeout      time.Duration // of all of Run
	NoProgress   time.Duration // no output and no CPU for so long; 0 is off
	Grace        time.Duration // between TERM and KILL

	Repeat *Repeat `json:",omitempty"` // nil: it is run once
	Trace  *Trace  `json:",omitempty"` // nil: what it asks of CUDA is not counted

	Reader   string // how tests are counted: libtest, gotest or none
	MinTests int    // at least 1; 0 with reader none

	Bars      []Bar
	Metrics   []Metric
	Witnesses []Witness
	Scope     map[string]Axis
	Subject   string  `json:"-"` // gates of one subject are read together; no part of what one says itself
	Faults    []Fault `json:"-"` // what shows that it can be red is no part of what it says, either

	Expect string    // "" or "red"
	Owner  string    // of a known red
	Until  time.Time // its last day: midnight UTC at the start of that day

	// What comes before a gate is no part of what it says: a verdict's hash of
	// the settings has none of this.
	After   []string `json:"-"` // gates that a night runs before it, and without which it does not run
	DayOnly bool     `json:"-"` // nightly = false: a night leaves it out

	Slurm *GateSlurm `json:"-"` // nil: what [slurm] says. Where it runs is no part of what it says
}

// The defaults of a gate. Two minutes are a long link, so that five without
// output or CPU are no progress; a test that handles TERM is done in five seconds.
const (
	defaultTimeout    = 20 * time.Minute
	defaultNoProgress = 5 * time.Minute
	defaultGrace      = 5 * time.Second
	defaultDir        = "."
)

// gates reads every [[gate]], wrong ones too, so that all mistakes are shown.
func (l *layer) gates(f *fields) {
	if !f.only("gate", l.role == workspace, "the workspace's "+FileName) {
		return
	}
	lines := make(map[string]int) // of the names so far
	var afters []*afterOf
	for _, table := range f.tables("gate") {
		g, after := l.gate(f, table)
		at := table.span
		if e := table.get("name"); e != nil {
			at = e.value.span
		}
		if first, ok := lines[g.Name]; ok && g.Name != "" {
			l.add(at, "give it another name", "a second gate %q, the first is on line %d", g.Name, first)
			continue
		}
		lines[g.Name] = l.line(at.from)
		if after != nil {
			after.gate = len(l.config.Gates)
			afters = append(afters, after)
		}
		l.config.Gates = append(l.config.Gates, g)
	}
	l.orders(afters)
}

func (l *layer) gate(top *fields, table *value) (Gate, *afterOf) {
	g := Gate{
		Dir: defaultDir, Timeout: defaultTimeout, BuildTimeout: l.config.Build.Timeout,
		NoProgress: defaultNoProgress, Grace: defaultGrace,
	}
	f := l.fields(top.place.in("gate"), "[[gate]]", table)
	f.gateName(&g)
	f.text("about", `"what it shows"`, &g.About)
	g.Build = f.commands("build")
	if f.need("run", `["cargo", "test"]`) {
		g.Run = f.commands("run")
	}
	f.dir(&g)
	f.env(&g)
	f.products(&g)
	f.gateKernels(&g)
	f.leave(&g)
	f.text("profile", `"release"`, &g.Profile)
	f.text("backend", `"cuda"`, &g.Backend)
	f.needs(&g)
	f.quietBox(&g)
	f.limits(&g)
	f.repeat(&g)
	f.reader(&g)
	f.trace(&g)
	f.metrics(&g)
	f.witnesses(&g)
	f.scope(&g)
	f.word("subject", `"fused-adjoint"`, &g.Subject)
	f.faults(&g)
	f.onCard(&g)
	f.bundle(&g)
	f.expect(&g)
	f.slurm(&g)
	after := f.night(&g)
	f.done()
	return g, after
}

// What quiet-box can be; true is QuietRefuse.
const (
	QuietRefuse = "refuse"
	QuietMark   = "mark"
)

// quietBox reads true, false or a word.
func (f *fields) quietBox(g *Gate) {
	const hint = `write quiet-box = true (refuse the gate on a machine that is not quiet) or "mark" (judge it, marked)`
	e := f.take("quiet-box")
	switch {
	case e == nil:
		return
	case e.value.kind == isBool && e.value.text == "true":
		g.QuietBox = QuietRefuse
	case e.value.kind == isBool:
		g.QuietBox = ""
	case e.value.kind == isString && (e.value.text == QuietRefuse || e.value.text == QuietMark):
		g.QuietBox = e.value.text
	case e.value.kind == isString:
		f.bad(e, hint, "cannot be %s", quoted(e.value.text))
		return
	default:
		f.add(e.value.span, hint, "%s in %s must be true, false or a word, not %s", quoted(e.key), f.label, e.value)
		return
	}
	f.note(e)
}

// gateName reads the name first, for the messages and places that follow.
func (f *fields) gateName(g *Gate) {
	if e := f.table.get("name"); e != nil && e.value.kind == isString {
		f.place = place{}.named("gate", e.value.text)
		f.label = "[[gate]] " + quoted(e.value.text)
	}
	if !f.need("name", `"unit-tests"`) {
		return
	}
	e := f.word("name", `"unit-tests"`, &g.Name)
	if e != nil && strings.HasPrefix(g.Name, "-") {
		f.bad(e, fmt.Sprintf("write name = %q", strings.TrimLeft(g.Name, "-")), "must not begin with -, or no command line could name it")
	}
}

// limits reads the time limits.
func (f *fields) limits(g *Gate) {
	f.duration("timeout", 1, &g.Timeout)
	if s, ok := f.config.origins["build.timeout"]; ok { // which is the default here
		at := f.place.in("build-timeout")
		s.word = at.word
		f.config.origins[at.key] = s
	}
	f.duration("build-timeout", 1, &g.BuildTimeout)
	f.duration("no-progress", 0, &g.NoProgress)
	f.duration("grace", 0, &g.Grace)
}

// expect reads what is said about a known red.
func (f *fields) expect(g *Gate) {
	e := f.text("expect", `"red"`, &g.Expect)
	if e != nil && g.Expect != "red" {
		f.bad(e, `write expect = "red", or leave the line out`, `can only be "red", not %s`, quoted(g.Expect))
	}
	owner := f.title("owner", `"kernels"`, &g.Owner)
	until := f.date("until", &g.Until)
	red := f.table.get("expect")
	for _, other := range []struct {
		key, example string
		entry        *entry
	}{{"owner", `"kernels"`, owner}, {"until", `"2026-12-15"`, until}} {
		switch {
		case red != nil && f.table.get(other.key) == nil:
			f.add(red.span, fmt.Sprintf("add %s = %s", other.key, other.example), "%q in %s needs %q beside it", red.key, f.label, other.key)
		case red == nil && other.entry != nil:
			f.add(other.entry.span, `add expect = "red", or leave the line out`, "%q in %s means nothing without %q", other.key, f.label, "expect")
		}
	}
}

// date reads a day.
func (f *fields) date(key string, into *time.Time) *entry {
	const example = `until = "2026-12-15"`
	e := f.take(key)
	if e == nil {
		return nil
	}
	if e.value.kind != isString {
		f.wrong(e, "a day in quotes", example)
		return nil
	}
	day, err := time.Parse(time.DateOnly, e.value.text)
	if err != nil {
		f.bad(e, "write "+example, "is no day: %s", quoted(e.value.text))
		return nil
	}
	f.note(e)
	*into = day
	return e
}
