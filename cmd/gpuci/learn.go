package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/propose"
)

// learn prints what the output of a run of a gate is worth, as a patch of
// gpuci.toml. It changes nothing: a limit that nobody has thought about is no
// limit.
func (a *app) learn(cfg *config.Config, g config.Gate, v gates.Verdict) error {
	if v.Dir == "" {
		return coded{gates.ExitNothing, "there is nothing to learn from: gate " + g.Name + " did not run", "see its outcome above"}
	}
	log, err := os.Open(filepath.Join(v.Dir, "run.log"))
	if errors.Is(err, fs.ErrNotExist) {
		return coded{gates.ExitNothing, "there is nothing to learn from: gate " + g.Name + " came to no output", "see its outcome above"}
	}
	if err != nil {
		return fmt.Errorf("learn from gate %s: %w", g.Name, err)
	}
	defer log.Close()
	text, err := os.ReadFile(filepath.Join(cfg.Root, config.FileName))
	if err != nil {
		return fmt.Errorf("learn from gate %s: %w", g.Name, err)
	}
	facts := propose.Facts{Config: string(text)}
	if v.Tests != nil && v.Outcome == gates.Green {
		facts.Ran = v.Tests.Ran()
	}
	p, err := propose.Learn(g, log, facts)
	if err != nil {
		return err
	}
	return a.printPatch(cfg.Root, g, v, p)
}

// printPatch prints the patch to stdout, and what it means to stderr.
func (a *app) printPatch(root string, g config.Gate, v gates.Verdict, p propose.Patch) error {
	for _, l := range p.Left {
		a.console.note("not proposed: " + printable(l.String()))
	}
	if p.Empty() {
		a.console.note(fmt.Sprintf("gate %s prints nothing new that a limit could be put on", g.Name))
		return nil
	}
	for _, f := range p.Found {
		a.console.note("proposed: " + printable(f))
	}
	if v.Outcome != gates.Green {
		a.console.note(fmt.Sprintf("the run was %s: look twice at limits that come from it", v.Outcome))
	}
	text, next := p.Diff, "nothing was changed; read it, then in "+root+": gpuci gate "+g.Name+" --learn | git apply"
	if text == "" {
		text, next = p.Toml, "nothing was changed; put these lines below the gate"
	}
	a.console.note(next)
	_, err := a.out.Write([]byte(text))
	return err
}
