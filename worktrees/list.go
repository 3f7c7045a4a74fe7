package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Tree is a lane with the directory that its build products go to.
type Tree struct {
	Lane
	// Target is cargo's target directory; see targetDir for what is looked at.
	// It need not exist. Its symbolic links are resolved where it does.
	Target string
}

// List returns the lanes of a lane's repository: every worktree that git lists
// and that is there, the main one first. Left out are a bare repository's own
// entry, worktrees that git calls prunable, and those that are on a device
// which is not mounted.
//
// A worktree whose .git cannot be followed does not hide the others: with an
// error, the list is what could be told. It needs git 2.36 or later, for paths
// with newlines.
func List(ctx context.Context, lane Lane) ([]Tree, error) {
	out, err := runGit(ctx, lane, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list worktrees of %s: %w", lane.CommonDir, err)
	}
	roots, err := parseList(string(out))
	if err != nil {
		return nil, fmt.Errorf("list worktrees of %s: %w", lane.CommonDir, err)
	}
	var trees []Tree
	var broken []error
	for _, root := range roots {
		t, err := treeAt(root, lane)
		switch {
		case err == nil:
			trees = append(trees, t)
		case !errors.Is(err, errNotHere) && !errors.Is(err, fs.ErrNotExist):
			broken = append(broken, fmt.Errorf("read worktree %s: %w", root, err))
		}
	}
	return trees, errors.Join(broken...)
}

// treeAt reads the worktree at root. The variables of our own environment speak
// of here, the lane we were asked from, and of no other one.
func treeAt(root string, here Lane) (Tree, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Tree{}, err
	}
	lane, err := laneAt(root)
	if err != nil {
		return Tree{}, err
	}
	if lane.CommonDir != here.CommonDir { // another repository was put in its place
		return Tree{}, errNotHere
	}
	target := targetDir(root, root == here.Root)
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	return Tree{lane, target}, nil
}

// TreeOf is the lane itself, as List has it; that is found without git.
func TreeOf(lane Lane) Tree {
	target := targetDir(lane.Root, true)
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	return Tree{lane, target}
}

// parseList takes the roots out of what `git worktree list --porcelain -z`
// prints: for each worktree its attributes, each ended by a NUL, and one NUL
// more. The first attribute is "worktree PATH".
func parseList(out string) (roots []string, err error) {
	for out != "" {
		entry, rest, ok := strings.Cut(out, "\x00\x00")
		if !ok {
			return nil, fmt.Errorf("git's list breaks off in %.60q", entry)
		}
		out = rest
		attributes := strings.Split(entry, "\x00")
		root, ok := strings.CutPrefix(attributes[0], "worktree ")
		if !ok || !filepath.IsAbs(root) {
			return nil, fmt.Errorf("git's list has an entry that begins with %.60q", attributes[0])
		}
		if stands(attributes[1:]) {
			roots = append(roots, root)
		}
	}
	return roots, nil
}

// stands says whether an entry has files to work with.
func stands(attributes []string) bool {
	for _, a := range attributes {
		word, _, _ := strings.Cut(a, " ")
		if word == "bare" || word == "prunable" {
			return false
		}
	}
	return true
}

// Of returns the lane that a path is in: below its root, or below its target
// directory where that is elsewhere. Paths are compared by components and must
// be absolute and free of symbolic links, as /proc gives them. The longest
// match wins, so that a worktree inside another one is itself; a target
// directory that two lanes share is nobody's.
func Of(list []Tree, path string) (Tree, bool) {
	var best Tree
	longest, tied := -1, false
	for _, t := range list {
		for _, dir := range []string{t.Root, t.Target} {
			switch n := len(dir); {
			case dir == "" || !within(dir, path) || n < longest:
			case n == longest && t.Root != best.Root:
				tied = true
			case n > longest:
				best, longest, tied = t, n, false
			}
		}
	}
	if longest < 0 || tied {
		return Tree{}, false
	}
	return best, true
}

// within says whether path is dir or below it.
func within(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}
