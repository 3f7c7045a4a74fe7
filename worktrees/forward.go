package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Forward is a branch that is to go on from one commit to a later one of the same
// history.
type Forward struct {
	Branch   string // short
	Old, New string // commits in hex
	Why      string // for the reflog
}

// ErrMoved is what Move's error wraps when the branch is not at Old any more.
var ErrMoved = errors.New("the branch was moved by somebody else")

// HeldError says that a branch cannot be moved because of a lane in which it is
// checked out.
type HeldError struct {
	Lane string // its name, or its directory where it has none
	Root string
	Why  string
	Next string // what to do, "" where Why says it
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("lane %s (%s) %s", e.Lane, e.Root, e.Why)
}

// Move moves the branch, and returns the lane whose files went along; the zero
// lane where the branch is checked out nowhere. Then git moves it by comparing
// and swapping; else git merge --ff-only does in that lane, which must be clean,
// under git's own lock on its index and without its hooks. A file that git ignores
// is not written over. Once git was started it is waited for, whatever becomes of
// ctx: half of it would be a lane in pieces.
//
// The error wraps ErrMoved or is a *HeldError where nothing was done because of
// others; then everything is as it was.
func (f Forward) Move(ctx context.Context, l Lane) (Lane, error) {
	ref, err := f.ref(ctx, l)
	if err != nil {
		return Lane{}, err
	}
	holder, held, err := f.Holder(ctx, l)
	if err != nil {
		return Lane{}, err
	}
	if err := ctx.Err(); err != nil {
		return Lane{}, fmt.Errorf("move %s: %w", f.Branch, err)
	}
	ctx = context.WithoutCancel(ctx)
	if held {
		return holder, f.merge(ctx, holder, ref)
	}
	_, err = runGit(ctx, l, nil, "update-ref", "-m", f.Why, ref, f.New, f.Old)
	if err != nil && !f.at(ctx, l, ref, f.Old) {
		return Lane{}, fmt.Errorf("move %s: %w", f.Branch, ErrMoved)
	}
	if err != nil {
		return Lane{}, fmt.Errorf("move %s: %w", f.Branch, err)
	}
	return Lane{}, nil
}

// ref is the branch's full name; where it is a name for another branch, that one's.
func (f Forward) ref(ctx context.Context, l Lane) (string, error) {
	ref := "refs/heads/" + f.Branch
	const most = 5 // as deep as git itself follows (SYMREF_MAXDEPTH)
	for range most {
		out, err := runGit(ctx, l, nil, "symbolic-ref", "--quiet", ref)
		if exitCode(err) == 1 {
			return ref, nil
		}
		if err != nil {
			return "", fmt.Errorf("find branch %s: %w", f.Branch, err)
		}
		ref = strings.TrimSuffix(string(out), "\n")
	}
	return "", fmt.Errorf("find branch %s: it is a name for a name for a name", f.Branch)
}

// at says whether a reference is at a commit.
func (f Forward) at(ctx context.Context, l Lane, ref, commit string) bool {
	out, err := runGit(ctx, l, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return err == nil && strings.TrimSpace(string(out)) == commit
}

// merge moves the branch in the lane that has it checked out.
func (f Forward) merge(ctx context.Context, holder Lane, ref string) error {
	if !f.at(ctx, holder, "HEAD", f.Old) {
		return fmt.Errorf("move %s: %w", f.Branch, ErrMoved)
	}
	locked, err := f.fastForward(ctx, holder)
	if err != nil && locked && !indexLocked(holder) { // by a git that is done with it: an editor's status, a prompt
		locked, err = f.fastForward(ctx, holder)
	}
	switch {
	case err == nil && f.at(ctx, holder, ref, f.New):
		return nil
	case err == nil: // the lane changed to another branch between our look and git's
		return fmt.Errorf("move %s: git moved another branch, which lane %s went over to just then: git reflog there says which", f.Branch, holder.Name)
	case !f.at(ctx, holder, ref, f.Old):
		return fmt.Errorf("move %s: %w", f.Branch, ErrMoved)
	case locked, indexLocked(holder):
		return &HeldError{Lane: holder.Name, Root: holder.Root, Why: "is being worked on: another git holds its index.lock"}
	}
	return &HeldError{Lane: holder.Name, Root: holder.Root, Why: "has " + f.Branch + " checked out, and git does not move it there: " + gitSaid(err)}
}

// fastForward moves what the lane has checked out; locked says that it failed
// because another git held the index.
func (f Forward) fastForward(ctx context.Context, holder Lane) (locked bool, err error) {
	_, err = runGitSet(ctx, holder, []string{"GIT_REFLOG_ACTION=" + f.Why},
		[]string{"submodule.recurse=false", "gc.auto=0", "maintenance.auto=false"},
		"merge", "--ff-only", "--no-squash", "--no-autostash", "--no-overwrite-ignore", "--no-stat", "--quiet", f.New)
	return err != nil && strings.Contains(err.Error(), "index.lock"), err
}

func indexLocked(l Lane) bool { return there(filepath.Join(l.GitDir, "index.lock")) }

// gitSaid is what git wrote to its standard error, on one line.
func gitSaid(err error) string {
	_, said, ok := strings.Cut(err.Error(), ": exit status ")
	if _, text, cut := strings.Cut(said, ": "); ok && cut {
		return strings.Join(strings.Fields(text), " ")
	}
	return err.Error()
}

// OwnBranch says whether the repository has a branch of its own of that name, and
// where it is, in hex.
func OwnBranch(ctx context.Context, l Lane, name string) (commit string, own bool, err error) {
	out, err := runGit(ctx, l, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", "refs/heads/"+name+"^{commit}")
	if exitCode(err) == 1 {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("find branch %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), true, nil
}
