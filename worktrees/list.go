package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a lane with the directory that its build products go to.
type Tree struct {
	Lane
	// Target is cargo's target directory; see targetDir for what is looked at.
	// It need not exist. Its symbolic links are resolved where it does.
	Target string
	// Removed says that it is not there, though git has it in its books still:
	// its directory was removed, or something else stands in its place. Only
	// ListAll has such lanes.
	Removed bool
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
	trees, err := ListAll(ctx, lane)
	return slices.DeleteFunc(trees, func(t Tree) bool { return t.Removed }), err
}

// ListAll is List with the lanes that were removed after those that are there,
// by the same call of git: worktrees that are gone, and neither pruned nor
// removed by git worktree remove, which forget them.
func ListAll(ctx context.Context, lane Lane) ([]Tree, error) {
	var out []byte
	err := amid(ctx, func() (err error) {
		out, err = runGit(ctx, lane, nil, "worktree", "list", "--porcelain", "-z")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list worktrees of %s: %w", lane.CommonDir, err)
	}
	entries, err := parseList(string(out))
	if err != nil {
		return nil, fmt.Errorf("list worktrees of %s: %w", lane.CommonDir, err)
	}
	var trees, removed []Tree
	var broken []error
	for _, e := range entries {
		t, err := Tree{}, errNotHere
		if !e.prunable {
			t, err = treeAt(e.root, lane)
		}
		switch {
		case err == nil:
			trees = append(trees, t)
		case !errors.Is(err, errNotHere) && !errors.Is(err, fs.ErrNotExist):
			broken = append(broken, fmt.Errorf("read worktree %s: %w", e.root, err))
		default:
			if t, ok := removedTree(e.root, lane); ok {
				removed = append(removed, t)
			}
		}
	}
	return append(trees, removed...), errors.Join(broken...)
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
	return Tree{Lane: lane, Target: target}, nil
}

// TreeOf is the lane itself, as List has it; that is found without git.
func TreeOf(lane Lane) Tree {
	target := targetDir(lane.Root, true)
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	return Tree{Lane: lane, Target: target}
}

// listed is a worktree in git's list.
type listed struct {
	root     string
	prunable bool
}

// parseList takes the entries out of what `git worktree list --porcelain -z`
// prints, less that of a bare repository: for each worktree its attributes, each
// ended by a NUL, and one NUL more. The first attribute is "worktree PATH".
func parseList(out string) (list []listed, err error) {
	for out != "" {
		text, rest, ok := strings.Cut(out, "\x00\x00")
		if !ok {
			return nil, fmt.Errorf("git's list breaks off in %.60q", text)
		}
		out = rest
		attributes := strings.Split(text, "\x00")
		root, ok := strings.CutPrefix(attributes[0], "worktree ")
		if !ok || !filepath.IsAbs(root) {
			return nil, fmt.Errorf("git's list has an entry that begins with %.60q", attributes[0])
		}
		if !marked(attributes, "bare") {
			list = append(list, listed{root, marked(attributes, "prunable")})
		}
	}
	return list, nil
}

// marked says whether one of an entry's attributes begins with a word.
func marked(attributes []string, word string) bool {
	return slices.ContainsFunc(attributes[1:], func(a string) bool {
		first, _, _ := strings.Cut(a, " ")
		return first == word
	})
}

// Of returns the lane that a path is in: below its root, or below its target
// directory where that is elsewhere. Paths are compared by components and must
// be absolute and free of symbolic links, as /proc gives them. The longest
// match wins, so that a worktree inside another one is itself; a target
// directory that two lanes share is nobody's. Nothing is in a removed lane.
func Of(list []Tree, path string) (Tree, bool) {
	var best Tree
	longest, tied := -1, false
	for _, t := range list {
		for _, dir := range []string{t.Root, t.Target} {
			switch n := len(dir); {
			case t.Removed || dir == "" || !within(dir, path) || n < longest:
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
