package gates

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// ErrNoneShared says that a lane and its base branch have no commit in common.
var ErrNoneShared = errors.New("the lane has no commit in common with its base branch")

// LeftAt is the commit at which a commit of a lane left the base branch, and the branch's
// name. Bars with source = "ab" that name no base are held against it.
func LeftAt(ctx context.Context, lane worktrees.Lane, commit, branch string) (name, left string, err error) {
	b, err := worktrees.BaseOf(ctx, lane, branch)
	if err != nil {
		return "", "", err
	}
	left, err = worktrees.MergeBase(ctx, lane, commit, b.Commit)
	if err == nil && left == "" {
		err = fmt.Errorf("%w: %s", ErrNoneShared, b.Name)
	}
	return b.Name, left, err
}

// commitForm finds the commit that an arm is of, in the way of gpuci ab.
var commitForm = regexp.MustCompile(`(?:^|,)commit:([^,]+)`)

// BaseMoved says that a run was compared with another base than a run of the same content
// would be now, or that this cannot be told: a branch or a tag that the bar names is at
// another commit, or the lane left its base branch elsewhere. A base that is another lane
// is never known to be what it was. dir is the directory of the run; commit is of the
// content.
func BaseMoved(ctx context.Context, dir string, g config.Gate, lane worktrees.Lane, commit, branch string) bool {
	groups := compared(g)
	if len(groups) == 0 || g.Expect != "" { // that is not compared
		return false
	}
	v, _, err := readVerdict(filepath.Join(dir, "verdict.json"))
	if err != nil {
		return true
	}
	for _, bars := range groups {
		at := slices.IndexFunc(v.Compared, func(c Compared) bool { return c.Metric == bars[0].Metric })
		if at >= 0 && baseMoved(ctx, v.Compared[at], bars[0].AB.Base, lane, commit, branch) { // one that was red before that was not compared
			return true
		}
	}
	return false
}

func baseMoved(ctx context.Context, was Compared, base string, lane worktrees.Lane, commit, branch string) bool {
	ref := commitForm.FindStringSubmatch(base)
	switch {
	case ref != nil:
		now, err := worktrees.CommitOf(ctx, lane, ref[1])
		return err != nil || now.ID != was.Commit
	case base == "":
		_, now, err := LeftAt(ctx, lane, commit, branch)
		return err != nil || now != was.Commit
	}
	return strings.HasPrefix(base, "lane:") || strings.Contains(base, ",lane:")
}
