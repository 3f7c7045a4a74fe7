package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// pair is a run with graphs, and the one without.
type pair struct {
	graphs, eager *tracing
	set           []string // what the second one is given
	dir           string   // for what is held until the two are compared
	files         []*pairFile
	stdin         stdinTwice
	out           [2]*heldOutput
}

// openPair gets ready what the first run needs, and looks whether the second one could be
// kept, before anything runs.
func openPair(t *tracing) (*pair, error) {
	if out := t.flags.secondOut(); out != "" && holdsMore(t.store.path(out)) {
		return nil, coded{gates.ExitUsage, fmt.Sprintf("-o %s: there is something in %s already, where the second run would go", t.flags.out, out), "name another directory"}
	}
	dir, err := os.MkdirTemp(t.rec.dir, ".ab-")
	if err != nil {
		return nil, coded{exitUnfit, fmt.Sprintf("hold the output of two runs: %v", err), "-o DIR keeps the recordings elsewhere"}
	}
	p := &pair{graphs: t, dir: dir, stdin: stdinOnce(os.Stdin)}
	for i, name := range t.flags.compare {
		p.files = append(p.files, newPairFile(t.store, name, filepath.Join(dir, fmt.Sprint("file-", i))))
	}
	for i, name := range []string{withGraphs, eager} {
		if p.out[i], err = holdOutput(filepath.Join(dir, name)); err != nil {
			p.close()
			return nil, coded{exitUnfit, err.Error(), "-o DIR keeps the recordings elsewhere"}
		}
	}
	p.out[0].to, p.out[0].tty = t.app.out, terminal(t.app.out)
	p.out[1].to, p.out[1].tty = t.console, terminal(t.console.w)
	t.half = &half{out: p.out[0]}
	return p, nil
}

func (p *pair) close() {
	for _, o := range p.out {
		if o != nil {
			_ = o.f.Close() // it is removed
		}
	}
	_ = os.RemoveAll(p.dir)
}

// second runs the program without graphs. Its stdout goes where all that is no answer goes:
// who reads ours is to get the program's output once.
func (p *pair) second(ctx context.Context) error {
	t := p.graphs
	for _, f := range p.files {
		f.between()
	}
	stdin, note, err := p.stdin.again()
	if err != nil {
		return err
	}
	if note != "" {
		t.console.note(note)
	}
	if stdin != os.Stdin {
		defer stdin.Close()
	}
	e := &tracing{app: t.app, flags: t.flags, store: t.store, pattern: t.pattern, half: &half{out: p.out[1], stdin: stdin}}
	e.flags.out, e.argv = t.flags.secondOut(), t.flags.argvOf(t.given, eager)
	e.env, p.set = t.flags.eagerEnv(os.Environ())
	if e.set = p.set; len(p.set) == 0 {
		return errors.New("all switches that are known are set in the first run already; --eager-env or --eager-arg names the program's own")
	}
	t.console.note("once more with graphs off: " + strings.Join(p.set, " ") + besides(p.set))
	if err := e.prepare(ctx); err != nil {
		return err
	}
	p.eager = e
	if _, err := e.run(ctx); err != nil {
		e.rec.close(true)
		return err
	}
	e.tell()
	return nil
}

// besides warns of what a switch changes that is no graph.
func besides(set []string) string {
	var other []string
	for _, s := range trace.Switches() {
		if s.Besides != "" && slices.Contains(set, s.Name+"="+s.Value) && !slices.Contains(other, s.Besides) {
			other = append(other, s.Besides)
		}
	}
	if len(other) == 0 {
		return ""
	}
	return "; a program that uses it also goes without " + strings.Join(other, ", ")
}

// tell says how the two compare.
func (p *pair) tell() {
	t, e := p.graphs, p.eager
	if e.meta.Code != t.meta.Code {
		t.console.note(fmt.Sprintf("the run without graphs ended with %s, and that with them with %s", endText(e.meta), endText(t.meta)))
	}
	none := trace.Report{Dir: e.rec.dir, Run: &e.meta}
	if e.told != nil {
		none = *e.told
	}
	ab := trace.Beside(*t.told, none)
	ab.Switch = p.set
	ab.Output = p.output()
	for _, f := range p.files {
		ab.Files = append(ab.Files, f.compared())
	}
	var b strings.Builder
	if err := ab.Text(&b, trace.Page{Width: t.beside()}); err != nil {
		t.console.note(err.Error())
		return
	}
	t.console.note(regexp.MustCompile(`\n\n+`).ReplaceAllString(b.String(), "\n"))
	t.console.note(fmt.Sprintf("next: gpuci trace diff %s %s", t.name(), e.name()))
	p.answer(ab)
}

func endText(m trace.Meta) string {
	if m.Signal != "" {
		return m.Signal
	}
	return fmt.Sprintf("exit status %d", m.Code)
}
