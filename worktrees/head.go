package worktrees

import (
	"context"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// head is where a lane stands. A commit of "" means unborn, or not learned:
// the proof of cleanness is then left out, and git status says which.
type head struct {
	commit string // hex
	branch string // "" when detached
}

// readHead reads HEAD through go-git, which is ten times quicker than a git
// process, and through git where go-git refuses the repository
// (extensions.worktreeConfig, SHA-256, reftable).
func readHead(ctx context.Context, l Lane) head {
	if h, ok := openHead(l); ok {
		return h
	}
	out, err := runGit(ctx, l, nil, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
	commit, rest, ok := strings.Cut(string(out), "\n")
	if err != nil || !ok {
		return head{}
	}
	h := head{commit: commit}
	if name := strings.TrimSuffix(rest, "\n"); name != "HEAD" {
		h.branch = strings.TrimPrefix(name, "refs/heads/")
	}
	return h
}

// openHead reads HEAD through go-git.
func openHead(l Lane) (head, bool) {
	// Without the common directory go-git finds no branch of a linked worktree.
	repo, err := git.PlainOpenWithOptions(l.Root, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return head{}, false
	}
	ref, err := repo.Reference(plumbing.HEAD, false)
	if err != nil {
		return head{}, false
	}
	if ref.Type() == plumbing.HashReference {
		return head{commit: ref.Hash().String()}, true
	}
	target, err := repo.Reference(ref.Target(), true)
	if err != nil {
		return head{}, false
	}
	return head{commit: target.Hash().String(), branch: ref.Target().Short()}, true
}

// headTree returns the id of a commit's tree. Git is asked first: 2 ms, where
// go-git lists every object of the repository (12 ms at 50,000 objects, and
// growing with the history). Without git go-git has to do.
func headTree(ctx context.Context, l Lane, commit string) (string, error) {
	out, err := runGit(ctx, l, nil, "rev-parse", "--verify", "--quiet", commit+"^{tree}")
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	repo, openErr := git.PlainOpenWithOptions(l.Root, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if openErr != nil {
		return "", err
	}
	c, err := repo.CommitObject(plumbing.NewHash(commit))
	if err != nil {
		return "", err
	}
	return c.TreeHash.String(), nil
}
