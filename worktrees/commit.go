package worktrees

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is one of the repository's commits, for people.
type Commit struct {
	ID      string // in hex, all of it
	When    time.Time
	Subject string
}

// CommitOf finds a commit by its id, which may be short. The error wraps ErrGone
// where the repository has none, or several, that it could be: rewritten and
// cleared away, beyond the border of a shallow clone.
func CommitOf(ctx context.Context, l Lane, id string) (Commit, error) {
	out, err := runGit(ctx, l, nil, "log", "-1", "--no-show-signature", "--format=%H%x00%ct%x00%s", "--end-of-options", id+"^{commit}", "--")
	if err != nil {
		if ctx.Err() == nil && exitCode(err) > 0 {
			err = fmt.Errorf("%w: %w", ErrGone, err)
		}
		return Commit{}, fmt.Errorf("find commit %.10s: %w", id, err)
	}
	parts := strings.SplitN(strings.TrimRight(string(out), "\n"), "\x00", 3)
	if len(parts) != 3 {
		return Commit{}, fmt.Errorf("find commit %.10s: git says %.60q", id, out)
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return Commit{}, fmt.Errorf("find commit %.10s: %w", id, err)
	}
	return Commit{parts[0], time.Unix(seconds, 0), parts[2]}, nil
}

// LineSince says which commit wrote a line of a file as it is on disk, and when;
// the zero one where it is not committed. The line counts from 1, the path from the
// lane's root.
func LineSince(ctx context.Context, l Lane, path string, line int) (Commit, error) {
	span := strconv.Itoa(line)
	out, err := runGit(ctx, l, nil, "blame", "--porcelain", "-L", span+","+span, "--", path)
	if err != nil {
		return Commit{}, fmt.Errorf("ask since when %s:%d is so: %w", path, line, err)
	}
	var c Commit
	for i, text := range strings.Split(string(out), "\n") {
		key, value, _ := strings.Cut(text, " ")
		switch {
		case i == 0:
			c.ID = key
		case key == "committer-time":
			seconds, _ := strconv.ParseInt(value, 10, 64)
			c.When = time.Unix(seconds, 0)
		case key == "summary":
			c.Subject = value
		}
	}
	if strings.Trim(c.ID, "0") == "" {
		return Commit{}, nil
	}
	return c, nil
}
