package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"gpuci/gates"
	"gpuci/kernels/trace"
	"gpuci/worktrees"
)

// tracing is one run of a program that is counted.
type tracing struct {
	*app
	flags   traceFlags
	store   traceStore
	pattern *trace.Pattern
	given   []string // the command as the user wrote it
	argv    []string
	env     []string
	set     []string // what the second run of --ab was given
	half    *half    // of --ab; nil: it is a run alone
	told    *trace.Report
	mid     bool // stdout ends in the midst of a line
	rec     openTrace
	meta    trace.Meta
}

// trace runs a program and counts it.
func (a *app) trace(cmd *cobra.Command, f traceFlags, pattern *trace.Pattern, argv []string) error {
	ctx := cmd.Context()
	store, err := a.traceStore(ctx)
	if err != nil {
		return err
	}
	t := &tracing{app: a, flags: f, store: store, pattern: pattern, given: argv, argv: f.argvOf(argv, withGraphs), env: os.Environ()}
	err = t.prepare(ctx)
	if other := (*trace.OtherInjection)(nil); errors.As(err, &other) {
		return t.uncounted(ctx, other)
	}
	if err != nil {
		return err
	}
	if f.ab != "" {
		return t.traceAB(ctx)
	}
	end, err := t.run(ctx)
	if err != nil {
		t.rec.close(true)
		return err
	}
	t.tell()
	return coded{code: end.code}
}

// uncounted runs the program as it would run without us: another tool's library is to be
// loaded in the place of ours.
func (t *tracing) uncounted(ctx context.Context, why error) error {
	text := fmt.Sprintf("nothing is counted: %v; the program runs as it would without gpuci", why)
	t.console.note(text)
	end, err := t.runThrough(ctx, child{argv: t.argv, dir: t.childDir(t.store.place), env: t.env}, func([]byte, trace.Came) {})
	if err == nil && t.flags.json {
		t.wholeLine()
		err = t.jsonLine(errorLine{"error", end.code, text, ""})
	}
	return endOf(end.code, err)
}

// prepare gets ready what the program is to load.
func (t *tracing) prepare(ctx context.Context) (err error) {
	var a trace.Attachment
	if _, err := trace.Attach(a, t.env); err != nil { // before anything is made
		return err
	}
	if a.Library, err = traceLibrary(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return coded{exitUnfit, err.Error(), "the program was not started; " + libraryHint(err)}
	}
	if t.rec, err = t.store.make(t.flags.out); err != nil {
		return err
	}
	a.Dir, a.Timed = t.rec.dir, t.flags.timeline.step != ""
	a.CUPTI, _ = trace.FindCUPTI(t.env, gates.PythonOf(t.argv, t.store.place.dir, t.env)) // the program may have loaded one by itself
	if t.env, err = trace.Attach(a, t.env); err != nil {
		t.rec.close(true)
		return err
	}
	return t.begin(ctx)
}

// libraryHint is the way out where there is no library.
func libraryHint(err error) string {
	var none *trace.NoCompiler
	var refused *trace.NotCompiled
	switch {
	case errors.As(err, &none) && none.Named != "":
		return fmt.Sprintf("CC is set to %s: unset it, or name a compiler that is there", printable(none.Named))
	case errors.As(err, &none):
		return "apt-get install gcc has a compiler"
	case errors.As(err, &refused) && os.Getenv("CC") != "":
		return fmt.Sprintf("CC is set to %s: without it cc, gcc or clang is taken", printable(os.Getenv("CC")))
	case errors.As(err, &refused):
		return "CC=clang takes another compiler; apt-get install gcc libc6-dev has one with its headers"
	}
	return "XDG_CACHE_HOME names another place for what is compiled"
}

// traceLibrary is the library that the driver loads.
func traceLibrary(ctx context.Context) (string, error) {
	return trace.Library(ctx, traceLibraryOptions())
}

// begin writes down what is run.
func (t *tracing) begin(ctx context.Context) error {
	t.meta = trace.Meta{Type: "trace-run", Command: t.argv, Cwd: t.store.place.dir, Lane: t.store.lane.Name, Began: time.Now(), Pattern: t.flags.pattern, Warm: t.flags.warm, Range: t.flags.step, Set: t.set, Version: versionText()}
	t.meta.Host, _ = os.Hostname()
	if t.store.lane.Root != "" {
		if c, err := worktrees.CommitOf(ctx, t.store.lane, "HEAD"); err == nil { // there may be none yet
			t.meta.Commit = c.ID
		}
	}
	if err := cmp.Or(trace.Ready(t.rec.dir), t.meta.Write(t.rec.dir)); err != nil {
		t.rec.close(true)
		return coded{exitUnfit, err.Error(), "-o DIR keeps it on another disk; the program was not started"}
	}
	if err := errors.Join(t.store.noteNamed(t.rec), t.store.prune()); err != nil {
		t.console.note(err.Error())
	}
	return nil
}

// run runs the program, and writes down how it ended.
func (t *tracing) run(ctx context.Context) (tracedEnd, error) {
	c := child{argv: t.argv, dir: t.childDir(t.store.place), env: t.env}
	end, lines, err := t.runSteps(ctx, c)
	if err != nil {
		return end, err
	}
	t.meta.Ended, t.meta.PID, t.meta.Code, t.meta.Lines = time.Now(), end.pid, end.code, lines
	if end.exit.Signal != 0 {
		t.meta.Signal = unix.SignalName(end.exit.Signal)
	}
	if err := t.meta.Write(t.rec.dir); err != nil {
		t.console.note(err.Error())
	}
	return end, nil
}

// runSteps has the program's output looked through for steps where they are asked for.
func (t *tracing) runSteps(ctx context.Context, c child) (end tracedEnd, lines int, err error) {
	if t.pattern == nil {
		end, err = t.runThrough(ctx, c, func([]byte, trace.Came) {})
		return end, 0, err
	}
	var fresh bool
	if c.env, fresh = gates.Unbuffer(c.env); fresh {
		t.console.note(gates.Unbuffered + "=1 is set, so that Python keeps no line back; set it yourself, to nothing, to have it otherwise")
	}
	log, err := trace.NewStepLog(t.rec.dir)
	if err != nil {
		return end, 0, err
	}
	end, err = t.runThrough(ctx, c, func(line []byte, came trace.Came) {
		if n, ok := t.pattern.Step(line); ok {
			log.Add(came.Line(n))
		}
	})
	lines, lerr := log.Close()
	if lerr != nil {
		t.console.note(lerr.Error())
	}
	return end, lines, err
}

// runThrough runs it with its streams handed on where somebody is to see them.
func (t *tracing) runThrough(ctx context.Context, c child, take func(line []byte, came trace.Came)) (tracedEnd, error) {
	var through *passing
	var err error
	switch {
	case t.half != nil:
		through, err = t.half.open(t.app, take)
	case t.pattern != nil:
		through, err = t.pass(take)
	case t.flags.json && terminal(t.out) == nil:
		through, err = t.passOut()
	default:
		return t.runTraced(ctx, c, nil)
	}
	if err != nil {
		return tracedEnd{}, err
	}
	defer through.close()
	end, err := t.runTraced(ctx, c, through)
	t.mid = through.midLine() && (t.half == nil || t.half.out.to == t.out)
	return end, err
}

// wholeLine ends a line of the program's that it did not, before one of ours.
func (t *tracing) wholeLine() {
	if t.mid {
		_, _ = t.out.Write([]byte{'\n'}) // the next write has its error
	}
	t.mid = false
}
