package worktrees

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// draftDate is when every commit of a draft is made: the same draft is the same commit.
const draftDate = "1980-01-01T00:00:00Z"

// commit makes a commit of the draft upon the one that the lane is at, in the packer's own
// repository. The files go through the lane's filters, as git add has them.
func (k *packer) commit(ctx context.Context, l Lane) error {
	if k.o.Draft.Commit != k.o.Commit {
		return fmt.Errorf("%w: it is at %.10s", ErrAltered, k.o.Draft.Commit)
	}
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(k.tmp, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(k.dir(), "objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quotePath(filepath.Join(k.common, "objects")),
	}
	plain := []string{"-c", "core.sparseCheckout=false", "-c", "core.splitIndex=false"}
	git := func(stdin []byte, args ...string) (string, error) {
		options := append(gitOptions(l), plain...)
		out, err := outputOf(ctx, gitIn(ctx, l.Root, env, append(options, args...)...), stdin, args[0])
		return strings.TrimSpace(string(out)), err
	}
	if _, err := git(nil, "read-tree", k.o.Commit); err != nil {
		return err
	}
	var gone, kept strings.Builder
	for _, leaf := range k.o.Draft.Leaves {
		if leaf.Gone() { // git would look for it on disk, also where a link or a file is now
			gone.WriteString(leaf.Path + "\x00")
		} else {
			kept.WriteString(leaf.Path + "\x00")
		}
	}
	if _, err := git([]byte(gone.String()), "update-index", "-z", "--force-remove", "--stdin"); err != nil {
		return err
	}
	if _, err := git([]byte(kept.String()), "update-index", "-z", "--add", "--replace", "--stdin"); err != nil {
		return err
	}
	tree, err := git(nil, "write-tree")
	if err != nil {
		return err
	}
	if tree != k.o.Draft.Tree {
		return fmt.Errorf("%w: its content was %.10s and is %.10s", ErrAltered, k.o.Draft.Tree, tree)
	}
	k.p.Tree = tree
	cmd := gitIn(ctx, k.tmp, []string{
		"GIT_DIR=" + k.dir(), "GIT_AUTHOR_NAME=gpuci", "GIT_AUTHOR_EMAIL=gpuci", "GIT_AUTHOR_DATE=" + draftDate,
		"GIT_COMMITTER_NAME=gpuci", "GIT_COMMITTER_EMAIL=gpuci", "GIT_COMMITTER_DATE=" + draftDate,
	}, append(quietOptions(), "-c", "commit.gpgSign=false", "commit-tree", "-p", k.o.Commit, "-m", "what is not committed", tree)...)
	out, err := outputOf(ctx, cmd, nil, "commit-tree")
	k.p.Draft = strings.TrimSpace(string(out))
	return err
}
