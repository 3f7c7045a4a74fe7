package falsify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// command runs the commands of a fault as a gate's are run: supervised, with a time
// limit and a log. They must succeed, and change something that git sees.
func (s *session) command(ctx context.Context, f config.Fault, p *Planted) (paths []string, ok bool, err error) {
	g := s.o.Gate
	before := s.around(ctx)
	v, err := s.trial(ctx, config.Gate{
		Name: g.Name, Run: f.Command, Dir: g.Dir, Env: g.Env, Leave: g.Leave, Reader: "none",
		Timeout: g.BuildTimeout, BuildTimeout: g.BuildTimeout, NoProgress: g.NoProgress, Grace: g.Grace,
	}, "planting of "+f.Name)
	if err != nil || ctx.Err() != nil {
		return nil, false, err
	}
	p.Run, p.Log = v.Run, v.Log
	if why := s.reachedOut(ctx, f, before); why != "" {
		s.spoilt = why
		p.answer(gates.FaultBroken, why, "let the command name files by paths from where it runs, and run it again when nobody writes in the lane; see "+v.Log)
		return nil, false, nil
	}
	if v.Outcome == gates.Red {
		p.answer(gates.FaultRotted, "its command does not plant it: "+reason(v), "see "+v.Log)
		return nil, false, nil
	}
	if v.Outcome != gates.Green {
		p.answer(gates.FaultBroken, fmt.Sprintf("its command is %s: %s", v.Outcome, reason(v)), append(v.Next, "see "+v.Log)...)
		return nil, false, nil
	}
	paths, err = s.scratch.Changed(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, false, nil
	case errors.Is(err, worktrees.ErrCommitted):
		p.answer(gates.FaultRotted, "its command commits, or checks something out: "+err.Error(), "let it change files, and leave the commit away; see "+v.Log)
	case err != nil: // the scratch lane is made anew
		p.answer(gates.FaultBroken, "its command leaves no lane to judge: "+err.Error(), "let it change files of the workspace, and nothing of git's; see "+v.Log)
	case len(paths) == 0:
		p.answer(gates.FaultRotted, "its command changes nothing that git sees", "let it change a file of the workspace, by a path from where it runs; see "+v.Log)
	default:
		return paths, true, nil
	}
	return nil, false, nil
}

// around is what lies around the scratch lane that a command could reach.
type around struct {
	lane  worktrees.State
	books worktrees.Books
}

// around reads it. What cannot be read is not compared.
func (s *session) around(ctx context.Context) (a around) {
	a.lane, _ = worktrees.ReadState(ctx, s.o.Lane)
	a.books, _ = worktrees.ReadBooks(ctx, s.o.Lane)
	return a
}

// reachedOut says why a lane that changed while a command ran can judge nothing more:
// the gate may read it, by whatever path the command found it by. What all lanes share
// is marked: whoever has a stash they do not know is to be told.
func (s *session) reachedOut(ctx context.Context, f config.Fault, before around) string {
	now := s.around(ctx)
	if before.books != nil && now.books != nil {
		if names := now.books.Since(before.books); len(names) > 0 {
			s.mark(fmt.Sprintf("while the command of fault %s ran, the repository that all lanes share was changed, by it or by somebody else: %s", f.Name, few(names)))
		}
	}
	if now.lane.Changes == before.lane.Changes && now.lane.Commit == before.lane.Commit {
		return ""
	}
	return fmt.Sprintf("lane %s changed while the command of fault %s ran: by the command, or by somebody who works there", s.o.Lane.Name, f.Name)
}

// few names the first of some.
func few(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
