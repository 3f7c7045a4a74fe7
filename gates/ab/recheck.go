package ab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// Again is how the arms of a decision are compared again.
type Again struct {
	Arms []Arm
	What string // in words: of which trees, and with what in them
}

// Recheck finds that for a lane as it is today; root is the directory of gpuci.toml in it.
//
// Where the arm was a commit of its own that the base branch has by now, by itself or
// replayed, the branch is no
// base for it any more: compared are the two commits of the decision as they were then.
// Where it was an edit that stands in the lane by now, its base is the lane with the edit
// taken back. Else the arms are those that were written, on today's trees. The error is
// an *ArmError where what makes the arm is in both by now, and cannot be taken out, and a
// *GoneError where a commit that is named is not there any more.
func Recheck(ctx context.Context, lane worktrees.Lane, root, branch string, g config.Gate, d history.Decision) (Again, error) {
	arms, err := ArmsOf(d)
	if err != nil {
		return Again{}, err
	}
	base, arm := arms[0], arms[1]
	if d.Arm.Commit != d.Base.Commit {
		into, merged, err := mergedInto(ctx, lane, branch, d.Arm.Commit)
		if err != nil {
			return Again{}, err
		}
		if merged {
			return asTheyWere(d, base, arm, into), nil
		}
	}
	for _, a := range []Arm{base, arm} {
		if _, err := worktrees.CommitOf(ctx, lane, a.Commit); a.Commit != "" && errors.Is(err, worktrees.ErrGone) {
			return Again{}, &GoneError{ArmError{
				fmt.Sprintf("arm %s: there is no commit %s any more", a.Name, a.Commit),
				fmt.Sprintf("say what it is today: gpuci ab %s --arm %s=… --arm %s=…, and bank that", d.Gate, base.Name, arm.Name),
			}}
		}
	}
	if on := inBoth(g, base, arm); on != "" {
		return Again{}, &ArmError{
			fmt.Sprintf("%s is in both arms by now: gpuci.toml has it", on),
			fmt.Sprintf("say what is off: gpuci ab %s --arm off=env:K=V --arm on=., and bank that", d.Gate),
		}
	}
	if back, ok := takenBack(root, base, arm); ok {
		return Again{back, fmt.Sprintf("lane %s as it is today, which has the edit of arm %s, against the same with it taken back", lane.Name, arm.Name)}, nil
	}
	return Again{arms, fmt.Sprintf("%s, and %s, on today's trees (lane %s where none is named)", base.Spec(), arm.Spec(), lane.Name)}, nil
}

// mergedInto says whether the base branch has a commit, or its changes by others, as a
// landing replays them, and which branch that is.
func mergedInto(ctx context.Context, lane worktrees.Lane, branch, commit string) (name string, merged bool, err error) {
	b, err := worktrees.BaseOf(ctx, lane, branch)
	if err == nil {
		merged, err = worktrees.Landed(ctx, lane, b.Commit, commit)
	}
	return b.Name, merged, err
}

// asTheyWere are the two commits of a decision.
func asTheyWere(d history.Decision, base, arm Arm, into string) Again {
	base.Lane, base.Commit, arm.Lane, arm.Commit = "", d.Base.Commit, "", d.Arm.Commit
	return Again{[]Arm{base, arm}, fmt.Sprintf("the commits of the decision as they were, %.10s and %.10s: %s has the second by now, so that neither is today's tree", d.Base.Commit, d.Arm.Commit, into)}
}

// inBoth names a variable or a word of an arm that the gate has by itself by now.
func inBoth(g config.Gate, base, arm Arm) string {
	sets := func(name string) bool {
		return slices.ContainsFunc(base.Env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	for _, v := range arm.Env {
		if name, value, _ := strings.Cut(v, "="); !sets(name) && g.Env[name] == value {
			return "env:" + v
		}
	}
	last := g.Run[len(g.Run)-1]
	words := append(strings.Fields(last.Shell), last.Argv...)
	for _, w := range arm.Args {
		if slices.Contains(words, w) {
			return "arg:" + w
		}
	}
	return ""
}

// takenBack are arms whose edits of this lane stand there by now: the base takes them back.
func takenBack(root string, base, arm Arm) ([]Arm, bool) {
	if arm.Commit+arm.Lane+base.Commit+base.Lane != "" || len(arm.Edits) == 0 {
		return nil, false
	}
	base.Edits = slices.Clone(base.Edits)
	for _, e := range arm.Edits {
		text, why := textOf(filepath.Join(root, e.File))
		if why != "" || strings.Count(text, e.To) != 1 || strings.Contains(text, e.From) && !strings.Contains(e.To, e.From) {
			return nil, false
		}
		base.Edits = append(base.Edits, Edit{e.File, e.To, e.From})
	}
	arm.Edits = nil
	return []Arm{base, arm}, true
}
