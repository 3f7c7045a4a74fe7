package reader

import (
	"cmp"
	"context"

	"gpuci/worktrees"
)

// otherLane says of a directory which lane it is in, if that is another worktree
// of the repository that dir is in. Another repository is no lane: a package that
// is developed beside this one may well be installed from there. It reads a few small
// files, of directories that the tests have just read.
func otherLane(dir string) func(string) string {
	here, err := worktrees.Find(context.Background(), cmp.Or(dir, "."))
	if err != nil {
		return func(string) string { return "" } // outside of git there are no lanes
	}
	return func(at string) string {
		there, err := worktrees.Find(context.Background(), at)
		if err != nil || there.CommonDir != here.CommonDir || there.Root == here.Root {
			return ""
		}
		return there.Name + " (" + there.Root + ")"
	}
}
