package worktrees

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// errUnproven says that the quick look cannot speak for the whole lane.
var errUnproven = errors.New("state not proven by the index")

// hexSHA1 is the length of the object names the index parser knows.
const hexSHA1 = 40

// candidates returns the paths that may differ from commit; all others are
// proven not to. A directory stands for all that is below it. None means that
// the lane is clean.
//
// The proof has three parts: the index's tree is the commit's (or what is
// staged is among the candidates), every tracked file is as the index has it,
// and every other name on disk is ignored. Any error means that nothing is
// proven. watched says that w has a mark on every directory that was read.
func candidates(ctx context.Context, l Lane, commit string, w *Watch) (ask []string, watched bool, err error) {
	if len(commit) != hexSHA1 {
		return nil, false, fmt.Errorf("%w: HEAD is %q", errUnproven, commit)
	}
	x, err := readIndex(l.GitDir)
	if err != nil {
		return nil, false, err
	}
	w = w.open(len(x.entries))
	var staged []string
	var seen survey
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		staged, err = stagedPaths(gctx, l, commit, x)
		return err
	})
	group.Go(func() (err error) {
		// Where git is to be asked about some anyway, it says which are ignored too.
		if seen, err = surveyTree(gctx, l.Root, x, w); err == nil && !seen.askable() {
			seen.untracked, err = notIgnored(gctx, l, seen.untracked, x.skips)
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, false, err
	}
	all := slices.Concat(staged, seen.suspects, seen.untracked)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > 0 && all[0] == "" {
		return nil, false, fmt.Errorf("%w: %s was not readable", errUnproven, l.Root)
	}
	return all, w != nil && !seen.unwatched, nil
}

// askable says that git is to be asked about some paths, and can be asked about
// all of them by name.
func (s survey) askable() bool {
	return len(s.suspects) > 0 && len(s.suspects)+len(s.untracked) <= maxAsked
}

// stagedPaths returns the paths at which the index differs from the commit.
// Mostly the index knows its tree and one comparison does; after git add it
// does not, and git compares without looking at the files.
func stagedPaths(ctx context.Context, l Lane, commit string, x *index) ([]string, error) {
	if x.tree != "" {
		tree, err := surveyedTree(ctx, l, commit)
		if err != nil || tree == x.tree {
			return nil, err
		}
	}
	out, err := runGit(ctx, l, nil, "diff-index", "--cached", "--name-only", "-z",
		"--no-renames", "--ignore-submodules=none", commit, "--")
	return splitNUL(out), err
}

// notIgnored returns the paths that git does not ignore. The index is left
// out of it, for speed, unless a sparse checkout may have left a .gitignore
// there alone.
func notIgnored(ctx context.Context, l Lane, paths []string, sparse bool) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"check-ignore", "-z", "--stdin"}
	if !sparse {
		args = append(args, "--no-index")
	}
	// A name that begins with ":" would be taken for a pattern, and this
	// command knows no literal ones; "./" before it makes it a name.
	const dot = "./"
	input := dot + strings.Join(paths, "\x00"+dot) + "\x00"
	out, err := runGit(ctx, l, []byte(input), args...)
	if exitCode(err) == 1 { // none is ignored
		return paths, nil
	}
	if err != nil {
		return nil, err
	}
	ignored := make(map[string]bool)
	for _, path := range splitNUL(out) {
		ignored[strings.TrimPrefix(path, dot)] = true
	}
	return slices.DeleteFunc(paths, func(path string) bool { return ignored[path] }), nil
}

// splitNUL splits output in which every item ends in a NUL.
func splitNUL(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
