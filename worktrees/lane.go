package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// ErrNoRepository is what Find's error wraps when a directory is in no
// worktree of any repository.
var ErrNoRepository = errors.New("no git worktree")

// mainName is the name of the lane that is a repository's main worktree.
const mainName = "main"

// Lane is one worktree of a workspace's repository. All paths are absolute and
// have their symbolic links resolved.
type Lane struct {
	// Name is "main" for the main worktree, and for a linked one its id, the
	// name of its directory under CommonDir/worktrees. A linked worktree whose
	// id is "main" keeps that name in a bare repository, which has no other
	// main; beside a main worktree it is "main~linked", which no id can be,
	// since git keeps "~" out of them. A byte of an id that is no UTF-8 is "~" and
	// two hex digits.
	Name string
	// Root is the directory that holds the files.
	Root string
	// GitDir holds what belongs to this worktree alone: HEAD and the index.
	GitDir string
	// CommonDir holds what all worktrees share: objects, branches, config.
	CommonDir string
}

// Find returns the lane that dir is in: the nearest directory at or above dir
// with a .git that is a repository, or a file that names one. A directory
// inside a submodule is in the submodule's lane.
//
// It reads files only. GIT_DIR and its kin are ignored, because git sets them
// for the hooks it runs: a gpuci started from a hook of one lane, about
// another, would otherwise answer for the wrong one. Ceilings and file system
// borders are ignored too; nothing but what is found on the way up counts.
//
// The error wraps ErrNoRepository when there is none, or when dir is inside a
// repository's own directory (a bare repository, or .git), which has no files
// to check.
func Find(ctx context.Context, dir string) (Lane, error) {
	start, err := filepath.Abs(dir)
	if err == nil {
		start, err = filepath.EvalSymlinks(start)
	}
	if err != nil {
		return Lane{}, fmt.Errorf("find lane of %s: %w", dir, err)
	}
	lane, err := findAbove(ctx, start)
	if err != nil {
		return Lane{}, fmt.Errorf("find lane of %s: %w", start, err)
	}
	return lane, nil
}

// findAbove tries start and then each directory above it.
func findAbove(ctx context.Context, start string) (Lane, error) {
	for at := start; ; at = filepath.Dir(at) {
		if err := ctx.Err(); err != nil {
			return Lane{}, err
		}
		lane, err := laneAt(at)
		if err == nil || !errors.Is(err, errNotHere) {
			return lane, err
		}
		if isGitDir(at) {
			return Lane{}, fmt.Errorf("%w: %s is a repository's own directory; stand in one of its worktrees (git worktree list)", ErrNoRepository, at)
		}
		if at == filepath.Dir(at) {
			return Lane{}, fmt.Errorf("%w here or above; stand in a checkout, or make one with git init", ErrNoRepository)
		}
	}
}

// laneAt returns the lane whose root is exactly root, which must be absolute
// and free of symbolic links. Its error is errNotHere when root is none.
func laneAt(root string) (Lane, error) {
	gitDir, err := gitDirOf(root)
	if err != nil {
		return Lane{}, err
	}
	common, err := commonDirOf(gitDir)
	if err != nil {
		return Lane{}, err
	}
	lane := Lane{Root: root, GitDir: gitDir, CommonDir: common}
	if lane.Name, err = laneName(lane); err != nil {
		return Lane{}, err
	}
	return lane, nil
}

// laneName names a lane whose paths are known.
func laneName(l Lane) (string, error) {
	if l.GitDir == l.CommonDir {
		if isBare(l.CommonDir) {
			return "", fmt.Errorf("%w: %s is a bare repository; stand in one of its worktrees (git worktree list)", ErrNoRepository, l.CommonDir)
		}
		return mainName, nil
	}
	id := legible(filepath.Base(l.GitDir))
	if id == mainName && !isBare(l.CommonDir) {
		return mainName + "~linked", nil
	}
	return id, nil
}

// legible writes each byte that is no UTF-8 as "~" and two hex digits, which no
// id has: names go through JSON, where such lanes would all be one.
func legible(id string) string {
	if utf8.ValidString(id) {
		return id
	}
	var b strings.Builder
	for len(id) > 0 {
		r, size := utf8.DecodeRuneInString(id)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "~%02x", id[0])
		} else {
			b.WriteString(id[:size])
		}
		id = id[size:]
	}
	return b.String()
}
