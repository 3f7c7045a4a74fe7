package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrGone is what Between's error wraps when a commit is not in the repository
// any more, or never was: collected after an amend or a rebase, beyond the
// border of a shallow clone.
var ErrGone = errors.New("it is not there any more")

// Difference is one path at which two commits differ.
type Difference struct {
	From, To Leaf // of the same path; one of them may be gone
}

// Between says at which paths two commits or trees of a lane's repository
// differ, by path; "" is the commit of an unborn branch. The error wraps ErrGone
// when the repository lacks one.
func Between(ctx context.Context, l Lane, from, to string) ([]Difference, error) {
	if from == to {
		return nil, nil
	}
	// Git knows the empty tree whether or not it was ever written.
	empty := objectID(max(len(from), len(to)), "tree", nil)
	from, to = cmp.Or(from, empty), cmp.Or(to, empty)
	out, err := runGit(ctx, l, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
		"--ignore-submodules=none", from, to, "--")
	if err == nil {
		return parseDifferences(splitNUL(out))
	}
	for _, id := range []string{from, to} {
		if ctx.Err() == nil && lacks(ctx, l, id) {
			return nil, fmt.Errorf("compare %s with %s: %s: %w", from, to, id, ErrGone)
		}
	}
	return nil, fmt.Errorf("compare %s with %s: %w", from, to, err)
}

// lacks says whether git has no such commit or tree.
func lacks(ctx context.Context, l Lane, id string) bool {
	_, err := runGit(ctx, l, nil, "rev-parse", "--verify", "--quiet", id+"^{tree}")
	return exitCode(err) > 0
}

// parseDifferences reads the raw form of git diff-tree: for each path a colon,
// two modes, two ids and a letter, and then the path.
func parseDifferences(fields []string) ([]Difference, error) {
	var all []Difference
	for ; len(fields) > 1; fields = fields[2:] {
		parts, path := strings.Split(fields[0], " "), fields[1]
		mode, ok := strings.CutPrefix(parts[0], ":")
		if !ok || len(parts) != 5 || path == "" {
			break
		}
		all = append(all, Difference{leafOf(path, mode, parts[2]), leafOf(path, parts[1], parts[3])})
	}
	if len(fields) > 0 {
		return nil, fmt.Errorf("read git diff-tree: %.100q is not a record of it", fields[0])
	}
	return all, nil
}

// leafOf is a leaf as git writes it, who gives the id of nothing in zeros.
func leafOf(path, mode, id string) Leaf {
	if mode == absent {
		id = ""
	}
	return Leaf{path, mode, id}
}

// Ignored returns those of some paths, counted from the lane's root, that git
// does not know and would not take: what its ignore rules leave out. A tracked
// path is none of them.
func Ignored(ctx context.Context, l Lane, paths []string) ([]string, error) {
	kept, err := notIgnored(ctx, l, append([]string(nil), paths...), true)
	if err != nil {
		return nil, fmt.Errorf("ask git what it ignores in lane %s: %w", l.Name, err)
	}
	known := make(map[string]bool, len(kept))
	for _, path := range kept {
		known[path] = true
	}
	var ignored []string
	for _, path := range paths {
		if !known[path] {
			ignored = append(ignored, path)
		}
	}
	return ignored, nil
}
