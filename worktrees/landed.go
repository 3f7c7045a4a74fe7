package worktrees

import (
	"context"
	"fmt"
	"strings"
)

// Landed says whether a commit is in the history that ends at tip, or all of its own
// commits are there as others of the same changes: replayed, as a rebase does. One that
// the repository has not is in none.
func Landed(ctx context.Context, l Lane, tip, commit string) (bool, error) {
	there, err := Contains(ctx, l, tip, commit)
	if there || err != nil || commit == "" || tip == "" || !has(ctx, l, commit) {
		return there, err
	}
	out, err := runGit(ctx, l, nil, "cherry", tip, commit)
	if err != nil {
		return false, fmt.Errorf("ask whether the changes of %.10s are in the history of %.10s: %w", commit, tip, err)
	}
	lines := strings.Fields(string(out)) // "+" or "-" before each commit: it is there by no other, or is
	return len(lines) > 0 && !strings.Contains(" "+strings.Join(lines, " ")+" ", " + "), nil
}
