package lint

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// ProveOptions say where findings are proven. All but Note are required.
type ProveOptions struct {
	Lane       worktrees.Lane // that is copied
	Root       string         // directory of gpuci.toml in it
	ScratchDir string         // of scratch lanes
	Gates      []config.Gate

	// Prepare gives the options under which a gate runs in the scratch lane. root is
	// the directory of gpuci.toml in it.
	Prepare func(g config.Gate, scratch worktrees.Lane, root string) (gates.Options, error)

	Note func(string) // one line a change; may be nil
}

// fetchTime bounds how long submodules may be fetched that are nowhere here.
const fetchTime = 10 * time.Minute

// prover proves the findings of a report.
type prover struct {
	o       ProveOptions
	scratch *worktrees.Scratch
	lane    worktrees.Lane
	sub     string            // directory of gpuci.toml in the lane
	reached string            // a file that the planted command leaves
	clean   map[string]string // by gate, why it cannot prove anything; "" where it can
	steady  map[string]bool   // gates that were green twice with an edit that does nothing
	named   []string          // refs of the repository before the first run
}

// Prove plants a failing command in the place of each that was found, one after the
// other in a scratch lane, and writes down what the gate's commands end with then. ctx
// ends it early, and the error is its cause then; an error says that no more can be
// proven.
func Prove(ctx context.Context, o ProveOptions, r *Report) error {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	for i := range r.Findings {
		r.Findings[i].withoutProof()
	}
	if !slices.ContainsFunc(r.Findings, provable) {
		return nil
	}
	p := &prover{o: o, clean: make(map[string]string), steady: make(map[string]bool)}
	err := p.begin(ctx)
	defer p.end(ctx)
	for i := 0; err == nil && i < len(r.Findings); i++ {
		if provable(r.Findings[i]) {
			err = p.prove(ctx, &r.Findings[i])
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.scratch != nil {
		p.leftBehind(ctx, r)
	}
	if err != nil {
		return fmt.Errorf("prove findings: %w", err)
	}
	return nil
}

// withoutProof says of a finding that a proof cannot show why that is.
func (f *Finding) withoutProof() {
	if f.Accepted != "" || len(f.edits) > 0 {
		return
	}
	f.State = NotProven
	switch f.Kind {
	case Ignored, Early:
		f.Proof = "there is no command to replace; the test's own text shows it"
	case Shellcheck:
		f.Proof = "shellcheck says it, and names no command to replace"
	default:
		f.Proof = "there is no command to replace; its own words show it"
	}
}

func provable(f Finding) bool { return f.Accepted == "" && len(f.edits) > 0 }

func (p *prover) begin(ctx context.Context) error {
	rel, err := filepath.Rel(p.o.Lane.Root, p.o.Root)
	if err != nil || !filepath.IsLocal(rel) {
		rel = "."
	}
	p.sub = rel
	if p.scratch, err = worktrees.NewScratch(ctx, p.o.Lane, worktrees.ScratchOptions{Dir: p.o.ScratchDir, Fetch: fetchTime, For: "proofs of gpuci lint", Note: p.o.Note}); err != nil {
		return err
	}
	// Beside the root, so that it goes with it, whoever removes that.
	p.reached = filepath.Join(filepath.Dir(p.scratch.Root), "reached")
	if strings.ContainsAny(p.reached, "'\"\\$`#\n") {
		return fmt.Errorf("the directory of scratch lanes, %s, has signs in its name that mean something to a shell: name another by [ci] scratch", p.o.ScratchDir)
	}
	p.lane = p.scratch.Lane
	if lane, err := worktrees.Find(ctx, p.scratch.Root); err == nil {
		p.lane = lane
	}
	p.named = p.refs(ctx)
	return p.scratch.Keep(ctx)
}

func (p *prover) end(ctx context.Context) {
	if p.scratch == nil {
		return
	}
	if err := p.scratch.Remove(ctx); err != nil {
		p.o.Note(fmt.Sprintf("remove a scratch lane: %v (the next gpuci falsify or night tries again)", err))
	}
}

// prove tries one finding, by one gate after the other. One gate that loses the failure
// proves it; it is withdrawn where every gate that comes by it notices.
func (p *prover) prove(ctx context.Context, f *Finding) error {
	withdrawn, unproven := "", ""
	for i, e := range f.edits {
		g, ok := p.gate(f.Gates[i])
		if !ok {
			continue
		}
		why, err := p.baseline(ctx, g)
		if err != nil {
			return err
		}
		if f.State, f.Proof = NotProven, why; why == "" {
			p.o.Note(fmt.Sprintf("prove %s:%d: %s", f.File, f.Line, f.Command))
			if err := p.plant(ctx, f, g, e); err != nil {
				return err
			}
		}
		switch f.State {
		case Proven:
			return nil
		case Withdrawn:
			withdrawn = or(withdrawn, f.Proof)
		default:
			unproven = or(unproven, f.Proof)
		}
	}
	switch f.State, f.Proof = NotProven, unproven; {
	case unproven != "":
	case withdrawn != "":
		f.State, f.Proof = Withdrawn, withdrawn
	default:
		f.Proof = "none of its gates is run here"
	}
	return nil
}

func (p *prover) gate(name string) (config.Gate, bool) {
	i := slices.IndexFunc(p.o.Gates, func(g config.Gate) bool { return g.Name == name })
	if i < 0 {
		return config.Gate{}, false
	}
	g := p.o.Gates[i]
	return config.Gate{ // its commands alone: how they end is the question
		Name: g.Name, Build: slices.Clone(g.Build), Run: slices.Clone(g.Run), Dir: g.Dir, Env: g.Env, Leave: g.Leave, Needs: g.Needs, Card: g.Card,
		BuildTimeout: g.BuildTimeout, Timeout: g.Timeout, NoProgress: g.NoProgress, Grace: g.Grace, Reader: "none",
	}, true
}

// baseline runs a gate as it is: what fails by itself shows nothing.
func (p *prover) baseline(ctx context.Context, g config.Gate) (why string, err error) {
	if why, ok := p.clean[g.Name]; ok {
		return why, nil
	}
	v, err := p.trial(ctx, g, "nothing")
	if err != nil {
		return "", err
	}
	if !ended(v, 0) {
		why = fmt.Sprintf("the commands of gate %s are %s in the scratch lane as it is%s: see %s", g.Name, v.Outcome, reason(v), v.Log)
	}
	p.clean[g.Name] = why
	return why, p.scratch.Restore(ctx)
}

// trial runs a gate's commands in the scratch lane. What comes of it is no outcome of
// the gate.
func (p *prover) trial(ctx context.Context, g config.Gate, what string) (gates.Verdict, error) {
	root := filepath.Join(p.scratch.Root, p.sub)
	opt, err := p.o.Prepare(g, p.lane, root)
	if err != nil {
		return gates.Verdict{}, err
	}
	opt.Gate, opt.Root, opt.Lane, opt.Trial = g, root, p.lane, "lint of "+what
	opt.As = gates.As{Lane: p.o.Lane.Name}
	opt.Env = append(opt.Env, p.scratch.Env...)
	opt.Strict, opt.Workspace = false, nil
	v := gates.Run(ctx, opt)
	opt.History.Rest()
	if ctx.Err() != nil {
		return v, context.Cause(ctx)
	}
	return v, nil
}
