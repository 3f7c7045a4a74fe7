package worktrees

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// Base is the branch that the others are held against.
type Base struct {
	Name   string // short: main, or origin/main where there is no branch of one's own
	Commit string // hex, its tip
}

// ErrNoBase is what BaseOf's error wraps when there is no such branch.
var ErrNoBase = errors.New("no base branch")

// usualBases are what a base branch is called where nobody says.
var usualBases = []string{"main", "master", "trunk"}

// BaseOf finds the base branch of a lane's repository: the one that is named,
// else the one origin/HEAD names, else main, master or trunk. A branch of the
// repository's own goes before origin's of the same name: on a shared box it is
// the one that lanes are landed on.
func BaseOf(ctx context.Context, l Lane, named string) (Base, error) {
	refs := openRefs(ctx, l)
	names := usualBases
	if named != "" {
		names = []string{named}
	} else if head := strings.TrimPrefix(refs.target("refs/remotes/origin/HEAD"), "refs/remotes/origin/"); head != "" {
		names = append([]string{head}, names...)
	}
	for _, name := range names {
		for _, ref := range []string{"refs/heads/" + name, "refs/remotes/origin/" + name, "refs/remotes/" + name} {
			if commit := refs.commit(ref); commit != "" {
				return Base{strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/remotes/"), commit}, nil
			}
		}
	}
	if ctx.Err() != nil {
		return Base{}, fmt.Errorf("find base branch: %w", ctx.Err())
	}
	return Base{}, fmt.Errorf("find base branch: %w: no branch %s in %s", ErrNoBase, strings.Join(names, ", "), l.CommonDir)
}

// refs reads references, through go-git where it can and through git where
// go-git refuses the repository.
type refs struct {
	ctx  context.Context
	lane Lane
	repo *git.Repository // nil: ask git
}

func openRefs(ctx context.Context, l Lane) refs {
	repo, err := git.PlainOpenWithOptions(l.Root, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return refs{ctx, l, nil}
	}
	return refs{ctx, l, repo}
}

// target is what a symbolic reference names; "" when it is none, or not there.
func (r refs) target(name string) string {
	if r.repo != nil {
		if ref, err := r.repo.Reference(plumbing.ReferenceName(name), false); err == nil {
			return ref.Target().String()
		}
		return ""
	}
	out, err := runGit(r.ctx, r.lane, nil, "symbolic-ref", "--quiet", name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// commit is where a reference points; "" when it is not there.
func (r refs) commit(name string) string {
	if r.repo != nil {
		if ref, err := r.repo.Reference(plumbing.ReferenceName(name), true); err == nil {
			return ref.Hash().String()
		}
		return ""
	}
	out, err := runGit(r.ctx, r.lane, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Contains says whether a commit is in the history that ends at tip. One that
// the repository has not, because it was rewritten and cleared away or never
// fetched, is in none.
func Contains(ctx context.Context, l Lane, tip, commit string) (bool, error) {
	if commit == "" || tip == "" {
		return false, nil
	}
	if commit == tip {
		return true, nil
	}
	_, err := runGit(ctx, l, nil, "merge-base", "--is-ancestor", commit, tip)
	switch {
	case err == nil:
		return true, nil
	case exitCode(err) == 1, exitCode(err) == 128 && !has(ctx, l, commit):
		return false, nil
	}
	return false, fmt.Errorf("ask whether %.10s is in the history of %.10s: %w", commit, tip, err)
}

func has(ctx context.Context, l Lane, commit string) bool {
	_, err := runGit(ctx, l, nil, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// MergeBase is the best commit that two histories have in common; "" when there
// is none.
func MergeBase(ctx context.Context, l Lane, a, b string) (string, error) {
	out, err := runGit(ctx, l, nil, "merge-base", a, b)
	if exitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find what %.10s and %.10s have in common: %w", a, b, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Step is a commit that changed a file, with the commits it came from.
type Step struct {
	Commit  string
	Parents []string
}

// Steps are the commits from after since to tip that touch a file, merges too
// where both sides did, the newest first; all of tip's history where since is "".
func Steps(ctx context.Context, l Lane, since, tip, path string) (out []Step, err error) {
	span := []string{tip}
	if since != "" {
		span = append(span, "^"+since)
	}
	text, err := runGit(ctx, l, nil, append(append([]string{"rev-list", "--full-history", "--parents", "--topo-order"}, span...), "--", ":(top,literal)"+path)...)
	if err != nil {
		return nil, fmt.Errorf("list the commits that touch %s: %w", path, err)
	}
	for line := range strings.Lines(string(text)) {
		if ids := strings.Fields(line); len(ids) > 0 {
			out = append(out, Step{ids[0], ids[1:]})
		}
	}
	return out, nil
}

// Attribute is what .gitattributes say of a path, "unspecified" where they say
// nothing.
func Attribute(ctx context.Context, l Lane, path, name string) (string, error) {
	out, err := runGit(ctx, l, nil, "check-attr", "-z", name, "--", path)
	if err != nil {
		return "", fmt.Errorf("read the attribute %s of %s: %w", name, path, err)
	}
	fields := strings.Split(string(out), "\x00") // path, name, value
	if len(fields) < 3 {
		return "", fmt.Errorf("read the attribute %s of %s: git said %.60q", name, path, out)
	}
	return fields[2], nil
}

// Unborn says whether a lane has no commit yet.
func Unborn(ctx context.Context, l Lane) bool {
	_, err := runGit(ctx, l, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return exitCode(err) == 1
}

// History are the commits that a tip has, itself among them: 100,000 of them are
// half a second of git.
func History(ctx context.Context, l Lane, tip string) (map[string]bool, error) {
	text, err := runGit(ctx, l, nil, "rev-list", tip)
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", tip, err)
	}
	out := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		out[strings.TrimSpace(line)] = true
	}
	return out, nil
}
