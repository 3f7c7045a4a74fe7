package worktrees

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Unlanded is a commit that a lane has and a base has not.
type Unlanded struct {
	Commit  string // hex
	Subject string // the first line of its message
	Merge   bool   // it has several parents: a replay leaves it out
}

// UnlandedOf lists the commits of tip that base has not, the oldest first.
func UnlandedOf(ctx context.Context, l Lane, base, tip string) (out []Unlanded, err error) {
	text, err := runGit(ctx, l, nil, "log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--no-color", "--no-decorate",
		"--format=%H%x09%P%x09%s", tip, "^"+base, "--")
	if err != nil {
		return nil, fmt.Errorf("list the commits from %.10s to %.10s: %w", base, tip, err)
	}
	for _, line := range splitNUL(text) {
		f := strings.SplitN(line, "\t", 3)
		if len(f) < 3 {
			return nil, fmt.Errorf("list the commits from %.10s to %.10s: git said %.60q", base, tip, line)
		}
		out = append(out, Unlanded{Commit: f[0], Subject: f[2], Merge: strings.Contains(f[1], " ")})
	}
	return out, nil
}

// ConflictError says which commit does not go onto the base.
type ConflictError struct {
	Commit  string   // hex
	Subject string   // of its message
	Paths   []string // from the root of the lane
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("commit %.10s (%s) conflicts in %s", e.Commit, e.Subject, strings.Join(e.Paths, ", "))
}

// StuckError says that git could not replay commits that do not conflict: it cannot
// sign them, or not write.
type StuckError struct {
	Base, Tip string // hex
	Said      string // by git, on one line
	err       error
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("replay %.10s on %.10s: git says: %s", e.Tip, e.Base, e.Said)
}

func (e *StuckError) Unwrap() error { return e.err }

// Replay puts the commits that tip has and base has not onto base, as git rebase
// does: one by one, merges flattened, what base has already by another name left
// out, authors and messages kept. It returns the last of them, base itself where
// none was left.
//
// It works in a lane of its own, a scratch lane at tip, whose HEAD follows. Of the
// lane that the commits are of it takes who commits, as a rebase there would. No
// reference is moved; the new objects are the repository's. They are signed where
// that lane's configuration says so. An error can be a *ConflictError, or a
// *StuckError where it is git that cannot; the scratch lane is then at tip again.
func Replay(ctx context.Context, in, of Lane, base, tip string) (string, error) {
	who, err := committer(ctx, of)
	if err != nil {
		return "", err
	}
	sign, err := signing(ctx, of)
	if err != nil {
		return "", err
	}
	_, err = runGitSet(ctx, in, append(noEditor(), who...), append(replaySettings(), sign...), "rebase", "--merge", "--quiet", "--no-stat", "--no-verify", "--no-fork-point",
		"--no-autosquash", "--no-autostash", "--onto", base, base)
	if err != nil {
		err = replayError(ctx, in, base, tip, err)
		giveUp(ctx, in)
		return "", err
	}
	out, err := runGit(ctx, in, nil, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("replay %.10s on %.10s: %w", tip, base, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// committer is who a commit in a lane would be by, as variables: its configuration
// can be that lane's alone (extensions.worktreeConfig).
func committer(ctx context.Context, l Lane) (env []string, err error) {
	out, err := runGit(ctx, l, nil, "var", "GIT_COMMITTER_IDENT")
	if err != nil {
		return nil, fmt.Errorf("find who commits in lane %s: %w", l.Name, err)
	}
	name, rest, _ := strings.Cut(string(out), " <")
	mail, _, ok := strings.Cut(rest, "> ")
	if !ok {
		return nil, fmt.Errorf("find who commits in lane %s: git said %.60q", l.Name, out)
	}
	return []string{"GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + mail}, nil
}

// replayError is why a replay stopped: a conflict, where there are paths to name.
func replayError(ctx context.Context, in Lane, base, tip string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("replay %.10s on %.10s: %w", tip, base, ctx.Err())
	}
	paths, _ := runGit(ctx, in, nil, "diff", "--name-only", "--diff-filter=U", "--no-ext-diff", "-z")
	at, headErr := runGit(ctx, in, nil, "log", "-1", "--no-show-signature", "--no-color", "--format=%H%x09%s", "REBASE_HEAD")
	commit, subject, ok := strings.Cut(strings.TrimSuffix(string(at), "\n"), "\t")
	if len(paths) == 0 || headErr != nil || !ok {
		return &StuckError{Base: base, Tip: tip, Said: gitSaid(err), err: err}
	}
	return &ConflictError{Commit: commit, Subject: subject, Paths: splitNUL(paths)}
}

// giveUpTime bounds the way back from a conflict: the scratch lane is removed
// anyhow.
const giveUpTime = 30 * time.Second

// giveUp takes a scratch lane back to where its replay began.
func giveUp(ctx context.Context, in Lane) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTime)
	defer cancel()
	_, _ = runGitSet(ctx, in, noEditor(), replaySettings(), "rebase", "--abort")
}
