package worktrees

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OwnChanges says whether a merge has changes of its own: another content than git
// makes of its parents by itself. A replay, which leaves merges out, would lose
// them. A merge that git cannot make by itself has them. Where git is older than
// 2.38, or there are more than two parents, the difference from all of them
// decides, and a merge that took one side whole counts as well.
func OwnChanges(ctx context.Context, l Lane, merge string) (bool, error) {
	out, err := runGit(ctx, l, nil, "rev-parse", merge+"^{tree}", merge+"^@")
	ids := strings.Fields(string(out))
	if err != nil || len(ids) < 3 {
		return false, fmt.Errorf("read merge %.10s: %w", merge, err)
	}
	tree, parents := ids[0], ids[1:]
	if len(parents) == 2 {
		auto, how, err := mergedTree(ctx, l, parents[0], parents[1])
		if err != nil || how != mergeUnknown {
			return auto != tree, err
		}
	}
	return ownByDiff(ctx, l, merge, tree, parents)
}

// ownByDiff is OwnChanges by what git shows of a merge.
func ownByDiff(ctx context.Context, l Lane, merge, tree string, parents []string) (bool, error) {
	out, err := runGit(ctx, l, nil, "diff-tree", "--cc", "--no-commit-id", "--no-ext-diff", "--no-textconv", merge)
	if err != nil || len(out) > 0 {
		return true, err
	}
	for _, p := range parents {
		if side, err := headTree(ctx, l, p); err != nil || side == tree {
			return true, err
		}
	}
	return false, nil
}

// HasAll says whether base has all that tip changed since their histories parted:
// merging the two would change nothing of it.
func HasAll(ctx context.Context, l Lane, base, tip string) (bool, error) {
	tree, err := headTree(ctx, l, base)
	if err != nil {
		return false, fmt.Errorf("read the tree of %.10s: %w", base, err)
	}
	auto, how, err := mergedTree(ctx, l, base, tip)
	if err != nil || how != mergeUnknown {
		return auto == tree, err
	}
	return hasPaths(ctx, l, base, tip)
}

// hasPaths is HasAll where git is older than 2.38: the paths that tip changed are
// the same in both.
func hasPaths(ctx context.Context, l Lane, base, tip string) (bool, error) {
	from, err := MergeBase(ctx, l, base, tip)
	if err != nil || from == "" {
		return false, err
	}
	differ, err := runGit(ctx, l, nil, "diff-tree", "-r", "-z", "--no-renames", "--name-only", base, tip)
	if err != nil {
		return false, fmt.Errorf("hold %.10s against %.10s: %w", tip, base, err)
	}
	changed, err := runGit(ctx, l, nil, "diff-tree", "-r", "-z", "--no-renames", "--name-only", from, tip)
	if err != nil {
		return false, fmt.Errorf("hold %.10s against %.10s: %w", tip, from, err)
	}
	theirs := splitNUL(differ)
	return !slices.ContainsFunc(splitNUL(changed), func(p string) bool { return slices.Contains(theirs, p) }), nil
}

// SameAsMerged says whether a commit's content is what merging two others comes to;
// it is so where git cannot tell: older than 2.38, or a conflict.
func SameAsMerged(ctx context.Context, l Lane, commit, base, tip string) (bool, error) {
	tree, err := headTree(ctx, l, commit)
	if err != nil {
		return false, fmt.Errorf("read the tree of %.10s: %w", commit, err)
	}
	auto, how, err := mergedTree(ctx, l, base, tip)
	return how != mergeClean || auto == tree, err
}

// CountBetween is how many commits tip has and base has not.
func CountBetween(ctx context.Context, l Lane, base, tip string) (int, error) {
	out, err := runGit(ctx, l, nil, "rev-list", "--count", tip, "^"+base, "--")
	if err == nil {
		var n int
		if n, err = strconv.Atoi(strings.TrimSpace(string(out))); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("count the commits from %.10s to %.10s: %w", base, tip, err)
}

// mergeKind is how an automatic merge went.
type mergeKind int

const (
	mergeClean mergeKind = iota
	mergeConflicts
	mergeUnknown // this git has no such thing
)

// mergedTree is the tree that git makes of two commits by itself, "" where they
// conflict or have nothing in common.
func mergedTree(ctx context.Context, l Lane, a, b string) (tree string, how mergeKind, err error) {
	// --no-messages makes it more arguments than an older git takes for a merge.
	out, err := runGitSet(ctx, l, nil, replaySettings(), "merge-tree", "--write-tree", "--no-messages", a, b)
	switch {
	case err == nil:
		return strings.TrimSpace(string(out)), mergeClean, nil
	case exitCode(err) == 1, exitCode(err) == 128 && strings.Contains(err.Error(), "unrelated histories"):
		return "", mergeConflicts, nil
	case exitCode(err) == 129:
		return "", mergeUnknown, nil
	}
	return "", mergeUnknown, fmt.Errorf("merge %.10s and %.10s: %w", a, b, err)
}
