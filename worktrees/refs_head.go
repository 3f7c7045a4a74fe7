package worktrees

import (
	"context"
	"strings"
)

// bookedHead is where a worktree stands by the books alone: of one that was
// removed, or does not answer. It is read through go-git, and through git where
// go-git refuses the repository.
func bookedHead(ctx context.Context, here Lane, gitDir string) head {
	if h, ok := openHead(Lane{Root: gitDir}); ok { // go-git opens a git directory as it opens a worktree
		return h
	}
	return gitHead(ctx, here, gitDir)
}

// gitHead asks git, from a lane that is there.
func gitHead(ctx context.Context, here Lane, gitDir string) (h head) {
	dir := "--git-dir=" + gitDir
	if out, err := runGit(ctx, here, nil, dir, "symbolic-ref", "--quiet", "HEAD"); err == nil {
		h.branch = strings.TrimPrefix(strings.TrimSpace(string(out)), "refs/heads/")
	}
	if out, err := runGit(ctx, here, nil, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		h.commit = strings.TrimSpace(string(out))
	}
	return h
}
