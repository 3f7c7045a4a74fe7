package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"gpuci/kernels/trace"
)

// tell says at the end what was counted. Nothing that goes wrong here is the program's.
func (t *tracing) tell() {
	r, err := trace.ReadDir(t.rec.dir)
	var none *trace.NoRecording
	if errors.As(err, &none) {
		t.nothing(none.Why)
		return
	}
	t.rec.close(false)
	if err != nil {
		t.console.note(err.Error())
		return
	}
	report, err := t.report(r)
	if err != nil {
		t.console.note(err.Error())
		return
	}
	t.summary(report)
	t.timeline()
	t.answer(report)
}

// nothing says that no CUDA was used, and why that may be. No recording stays, and none is
// named, but where the user has named its place: how the program ran is there then.
func (t *tracing) nothing(missing []string) {
	why := "nothing was counted: neither the program nor what it started used CUDA" + t.early() + ", or they were not told of the library: sudo, containers and env -i lose CUDA_INJECTION64_PATH"
	switch {
	case len(missing) > 0:
		why = "nothing was counted: " + printable(strings.Join(missing, "; "))
	case t.noDriver():
		t.meta.NoDriver = true
		if err := t.meta.Write(t.rec.dir); err != nil {
			t.console.note(err.Error())
		}
		why = "nothing was counted: there is no CUDA driver here: the loader finds no " + cudaDriver + ", which every program needs to use a card; nvidia-smi, or gpuci doctor, says more"
	}
	t.console.note(why)
	t.rec.close(!t.rec.kept)
	dir := ""
	if t.rec.kept {
		dir = t.rec.dir
	}
	t.answer(trace.Report{Type: "trace-report", Dir: dir, Run: &t.meta, Notes: []string{why}, Processes: []trace.ProcessReport{}})
}

// early says how a program ended that may not have come to use CUDA; "" where it ended well.
func (t *tracing) early() string {
	switch {
	case t.meta.Signal != "":
		return " before " + t.meta.Signal + " ended it"
	case t.meta.Code != 0:
		return fmt.Sprintf(" before it ended with exit status %d", t.meta.Code)
	}
	return ""
}

// slowCount is when it is said that it takes a while: five seconds are ten million
// launches.
const slowCount = 2 * time.Second

// counted is what came of counting.
type counted struct {
	report trace.Report
	err    error
}

// report counts, unless somebody is in a hurry.
func (t *tracing) report(r trace.Recording) (trace.Report, error) {
	ctx, cancel := context.WithCancel(context.Background()) // a Ctrl-C was the program's
	defer cancel()
	done := make(chan counted, 1)
	go func() {
		report, err := trace.NewReport(ctx, r, &t.meta, t.flags.counting())
		done <- counted{report, err}
	}()
	slow := time.After(slowCount)
	for {
		select {
		case c := <-done:
			return c.report, c.err
		case <-slow:
			t.console.note("counting; Ctrl-C twice leaves that to gpuci trace report")
		case <-t.hurry:
			return trace.Report{}, fmt.Errorf("the recording is not counted yet: gpuci trace report %s does it", t.name())
		}
	}
}

// name is what the recording is called in the next command.
func (t *tracing) name() string {
	name := t.rec.id
	if t.rec.kept {
		name = t.rec.dir
	}
	if t.rec.kept && t.dir == "" { // we stand where the user does
		name = t.flags.out
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(plainWord, r) }) {
		return printable(bourneQuote(name))
	}
	return name
}

// plainWord are the characters that no shell takes for anything else.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"

// toldProcesses are how many a summary has: with 8 ranks they say the same.
const toldProcesses = 2

// summary is for a person who has just seen the program end.
func (t *tracing) summary(r trace.Report) {
	all := len(r.Processes)
	notes := r.Notes
	r.Run, r.Notes, r.Processes = nil, nil, busiest(r.Processes)
	var b strings.Builder
	if err := r.Text(&b, trace.Page{Width: t.beside(), Brief: true}); err != nil {
		t.console.note(err.Error())
		return
	}
	t.console.note(regexp.MustCompile(`\n\n+`).ReplaceAllString(b.String(), "\n")) // each line has our prefix, a blank one nothing else
	if more := all - len(r.Processes); more > 0 {
		t.console.note("and " + count(more, "process more that used CUDA", "processes more that used CUDA"))
	}
	for _, note := range notes {
		t.console.note("note: " + note)
	}
	if t.meta.Signal != "" {
		t.console.note("the program was ended by " + t.meta.Signal + ": this is what there was until then")
	}
	t.console.note(fmt.Sprintf("the recording is %s; next: gpuci trace report %s", printable(t.rec.dir), t.name()))
}

// answer is what --json asks for.
func (t *tracing) answer(r trace.Report) {
	t.told = &r
	if !t.flags.json {
		return
	}
	t.wholeLine()
	if err := t.deviceLine(r); err != nil && !unheard(err) {
		t.console.note(err.Error())
	}
}

// busiest are the processes that asked for most, the most first.
func busiest(list []trace.ProcessReport) []trace.ProcessReport {
	if len(list) <= toldProcesses {
		return list
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b trace.ProcessReport) int { return cmp.Compare(b.Events, a.Events) })
	return sorted[:toldProcesses]
}

// prefixed are the columns of "gpuci: ".
const prefixed = 7

// beside is how wide a line can be behind our prefix, 0 where nobody knows.
func (t *tracing) beside() int {
	if tty := t.console.tty; tty != nil {
		if columns, _, err := term.GetSize(int(tty.Fd())); err == nil && columns > prefixed {
			return columns - prefixed
		}
	}
	return 0
}
