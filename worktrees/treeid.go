package worktrees

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Draft is the commit that everything in a lane would make, as it is on disk:
// what `git add -A` takes, tracked and untracked and not ignored. Nothing of it
// is written anywhere in the repository.
type Draft struct {
	// Commit is HEAD in hex, "" when the branch is unborn.
	Commit string
	// Tree is the id of the git tree that the commit would have. Committing the
	// lane as it is keeps it, and so does going back to a commit of it. It is ""
	// where git could not commit all of it: a submodule or a repository within
	// the lane that has changes of its own or no commit, a file that cannot be
	// read, a pipe in the place of a file.
	Tree string
	// Leaves are what is there otherwise than in Commit, by path.
	Leaves []Leaf
}

// Leaf is one path of a Draft.
type Leaf struct {
	// Path counts from the lane's root.
	Path string
	// Mode is git's, in six digits ("100644"), "000000" where the path is gone,
	// and a word where git has none for what is there.
	Mode string
	// ID is the blob's id in hex, a submodule's commit, or, where that has
	// changes of its own, its commit and their hash.
	ID string
}

// Gone says that nothing is at the path.
func (l Leaf) Gone() bool { return l.Mode == absent }

// ContentID is the tree of ReadDraft: equal for two states of one repository's
// lanes exactly when git would commit the same from both, and "" where that
// cannot be told.
func ContentID(ctx context.Context, l Lane, st State) (string, error) {
	d, err := ReadDraft(ctx, l, st)
	return d.Tree, err
}

// ReadDraft reads the draft of a lane in a state that ReadState returned just
// before. A clean lane costs one question to git, about HEAD's tree; another
// one a second look at its changed paths and their content.
//
// Git's conversions of content on its way in count, as they do for git add:
// line ends, ident, encodings, and clean filters, which run for the changed
// files that have one. What such a filter itself keeps (LFS puts the content
// beside the repository's objects) is the filter's affair.
//
// The error wraps exec.ErrNotFound when git is needed and not installed, and
// the context's error when that ended it.
func ReadDraft(ctx context.Context, l Lane, st State) (Draft, error) {
	var d Draft
	var err error
	if st.Dirty || st.Commit == "" {
		d, err = draft(ctx, l, st)
	} else {
		d.Commit = st.Commit
		d.Tree, err = headTree(ctx, l, st.Commit)
	}
	if err != nil {
		return Draft{}, fmt.Errorf("read content of lane %s: %w", l.Name, err)
	}
	return d, nil
}

// draft puts what is on disk at the changed paths into HEAD's tree.
func draft(ctx context.Context, l Lane, st State) (Draft, error) {
	commit, records, err := readRecords(ctx, l, st)
	if err != nil {
		return Draft{}, err
	}
	return draftOf(ctx, l, commit, records)
}

// draftOf is the draft that comes of what git says of the changed paths.
func draftOf(ctx context.Context, l Lane, commit string, records []record) (Draft, error) {
	base, width, err := baseTree(ctx, l, commit)
	if err != nil {
		return Draft{}, err
	}
	leaves, err := readLeaves(ctx, l, width, records)
	if err != nil {
		return Draft{}, err
	}
	objects, err := openObjects(ctx, l)
	if err != nil {
		return Draft{}, err
	}
	defer objects.close()
	g := graft{trees: objects.tree, width: width}
	tree, err := g.onto(base, leaves)
	if err != nil {
		return Draft{}, err
	}
	slices.SortFunc(g.differing, func(a, b Leaf) int { return strings.Compare(a.Path, b.Path) })
	return Draft{Commit: commit, Tree: tree, Leaves: g.differing}, nil
}

// baseTree returns HEAD's tree, "" on an unborn branch, and how long the
// repository's ids are in hex.
func baseTree(ctx context.Context, l Lane, commit string) (tree string, width int, err error) {
	if commit != "" {
		tree, err = headTree(ctx, l, commit)
		return tree, len(tree), err
	}
	out, err := runGit(ctx, l, nil, "rev-parse", "--show-object-format")
	if strings.TrimSpace(string(out)) == "sha256" {
		return "", hexSHA256, err
	}
	return "", hexSHA1, err
}
