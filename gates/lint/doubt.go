package lint

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
)

// doubt asks of a red whether it comes of the planted failure. It does where the gate ends
// with a status that only the planted command has. Otherwise the edit is tried without the
// failure, in the lane as the runs before have left it: a gate that is red then, too, sees
// the edit, or what an earlier run left, or is red by chance, and shows nothing. The first
// time for a gate that is tried twice: one that is red every second time would pass once.
func (p *prover) doubt(ctx context.Context, f *Finding, g config.Gate, e edit) error {
	if !e.succeed && e.language != pythonCode {
		v, reached, err := p.run(ctx, f, g, e, tells)
		if err != nil {
			return err
		}
		if v.Outcome == gates.Red && v.Command != nil && v.Command.Exit == ownStatus {
			return nil
		}
		if state, proof := f.judge(v, e, reached); state != Withdrawn {
			f.State, f.Proof, f.Log = state, proof, v.Log
			return nil
		}
	}
	times := 1
	if !p.steady[g.Name] {
		times++
	}
	for range times {
		v, reached, err := p.run(ctx, f, g, e, neutral)
		if err != nil {
			return err
		}
		if !ended(v, 0) || !reached {
			f.State, f.Log = NotProven, v.Log
			f.Proof = fmt.Sprintf("the commands of gate %s are %s with `%s` not failing, too%s: they see the edit, or what an earlier run left, or are red now and then", v.Gate, v.Outcome, f.Command, reason(v))
			return nil
		}
	}
	p.steady[g.Name] = true
	v, reached, err := p.run(ctx, f, g, e, fails)
	if err != nil {
		return err
	}
	if state, proof := f.judge(v, e, reached); state != Withdrawn {
		f.State, f.Proof, f.Log = state, proof, v.Log
	}
	return nil
}

// gitTime is how long git may take to say or mark something.
const gitTime = 10 * time.Second

// hide has git take an edited file for one that is as it was, so that a gate which asks
// git whether anything was changed sees what it always sees. A file that git does not
// know is none of its business.
func (p *prover) hide(ctx context.Context, path string, hidden bool) {
	option := "--assume-unchanged"
	if !hidden {
		option = "--no-assume-unchanged"
		ctx = context.WithoutCancel(ctx)
	}
	_, _, _ = ask(ctx, gitTime, p.scratch.Root, nil, "git", "update-index", option, "--", path)
}

// ignored are the files and directories that git ignores, those in such a directory left
// out: what a build keeps there is its own.
func (p *prover) ignored(ctx context.Context) []string {
	out, exit, err := ask(ctx, gitTime, p.scratch.Root, nil, "git", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil || exit == nil || exit.Code != 0 {
		return nil
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
}

// tidy puts the lane back behind a run with a plant. What git ignores and was not there
// before goes, too: a mark of the failure would have every later run fail.
func (p *prover) tidy(ctx context.Context, before []string) error {
	root, err := os.OpenRoot(p.scratch.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range p.ignored(ctx) {
		if !slices.Contains(before, path) {
			if err := root.RemoveAll(strings.TrimSuffix(path, "/")); err != nil {
				return fmt.Errorf("remove what a planted run left: %w", err)
			}
		}
	}
	return p.scratch.Restore(ctx)
}

// refs are the branches, tags and other names of the repository, with what they stand for.
func (p *prover) refs(ctx context.Context) []string {
	out, exit, err := ask(ctx, gitTime, p.scratch.Root, nil, "git", "for-each-ref", "--format=%(refname) %(objectname:short)")
	if err != nil || exit == nil || exit.Code != 0 {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// leftBehind notes the names that came to be in the repository, which a scratch lane
// shares with the lane, while gates ran.
func (p *prover) leftBehind(ctx context.Context, r *Report) {
	const most = 5
	var made []string
	for _, ref := range p.refs(ctx) {
		if ref != "" && !slices.Contains(p.named, ref) {
			name, at, _ := strings.Cut(ref, " ")
			made = append(made, name+" at "+at)
		}
	}
	if len(made) == 0 {
		return
	}
	text := strings.Join(made[:min(most, len(made))], ", ")
	if len(made) > most {
		text += fmt.Sprintf(" and %d more", len(made)-most)
	}
	r.Beyond = append(r.Beyond, "the proofs: while they ran, the lane's own repository got "+text+": where a gate's commands make these, they stay (git update-ref -d NAME takes one away)")
}
