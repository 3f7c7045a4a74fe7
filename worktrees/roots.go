package worktrees

import (
	"os"
	"path/filepath"
)

// Roots are the directories that git's books name as worktrees of a lane's
// repository, whether they are there or not, and the one that holds the books.
// None but the last is touched: each can be on a file system of its own, whose
// server may be dead, and whoever lists the worktrees looks into all of them.
func Roots(lane Lane) []string {
	out := []string{filepath.Dir(lane.CommonDir)}
	books := filepath.Join(lane.CommonDir, "worktrees")
	ids, err := os.ReadDir(books)
	if err != nil {
		return out // there are no others
	}
	for _, id := range ids {
		if path, err := readPointer(filepath.Join(books, id.Name(), "gitdir"), ""); err == nil && filepath.IsAbs(path) {
			out = append(out, filepath.Dir(filepath.Clean(path)))
		}
	}
	return out
}
