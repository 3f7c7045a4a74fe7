package worktrees

import (
	"context"
	"strings"
)

// TrackedIn are the names of the files right in a directory that git tracks, in
// whichever repository the directory is: a lane's own, a submodule's, another one's.
func TrackedIn(ctx context.Context, dir string) (map[string]bool, error) {
	args := []string{"--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "ls-files", "-z", "--", ":(glob)*"}
	out, err := outputOf(ctx, gitIn(ctx, dir, nil, args...), nil, "ls-files")
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			names[name] = true
		}
	}
	return names, nil
}
