package ci

import (
	"context"
	"fmt"

	"gpuci/ci/executor/local"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// load reads the configuration in the scratch lane.
func (l *landing) load() (*config.Config, error) {
	path, err := config.Find(l.root(), l.scratch.Root)
	if err != nil {
		return nil, err
	}
	return config.Load(config.DefaultSources(path))
}

// run runs a gate in the scratch lane, which is at a commit, in somebody's name.
func (l *landing) run(ctx context.Context, cfg *config.Config, g config.Gate, commit string, as gates.As) (v gates.Verdict, err error) {
	if err := local.Settle(ctx, l.scratch, commit); err != nil {
		return v, err
	}
	o, err := l.o.Prepare(l.scratch.Lane, cfg, g)
	if err != nil {
		return v, err
	}
	o.Gate, o.Root, o.Lane, o.As = g, cfg.Root, l.scratch.Lane, as
	o.Env = append(o.Env, l.scratch.Env...)
	l.o.note("gate %s", g.Name)
	v = gates.Run(ctx, o)
	if v.Outcome != gates.Interrupted && ctx.Err() == nil {
		l.believe(ctx, &v, commit)
	}
	if l.o.Verdict != nil {
		l.o.Verdict(v)
	}
	return v, nil
}

// believe makes broken of what a gate says that did not stay at the commit: nobody
// knows which it has judged. Files that it left are no such thing; settle takes
// them away.
func (l *landing) believe(ctx context.Context, v *gates.Verdict, commit string) {
	st, err := worktrees.ReadState(ctx, l.scratch.Lane)
	why := ""
	switch {
	case err != nil:
		why = fmt.Sprintf("the gate left the lane so that it cannot be read: %v", err)
	case st.Commit != commit:
		why = fmt.Sprintf("the gate moved the lane to %.10s, from %.10s, which it was to judge", st.Commit, commit)
	case st.Branch != "":
		why = "the gate moved the lane to branch " + st.Branch
	default:
		return
	}
	v.Outcome, v.Exit = gates.Broken, gates.Broken.ExitCode()
	v.Findings = append([]gates.Finding{{Outcome: gates.Broken, Text: why}}, v.Findings...)
	v.Next = []string{"let gate " + v.Gate + " leave HEAD where it is: no commit, checkout or reset"}
}
