package worktrees

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// errNotHere says that a directory is not the root of a worktree.
var errNotHere = errors.New("not the root of a worktree")

// maxPointer bounds what is read of a file that holds one path. The longest
// path Linux takes is 4096 bytes.
const maxPointer = 8192

// gitDirOf returns the git directory of the worktree at root: root/.git, or
// what the file root/.git names. Like git it passes over a .git directory that
// is no repository, and fails on a file that leads nowhere.
func gitDirOf(root string) (string, error) {
	path := filepath.Join(root, ".git")
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", errNotHere
	case info.IsDir() && isGitDir(path):
		return filepath.EvalSymlinks(path)
	case !info.Mode().IsRegular():
		return "", errNotHere
	}
	dir, err := readPointer(path, "gitdir: ")
	if err != nil {
		return "", err
	}
	if !isGitDir(dir) {
		return "", fmt.Errorf("%s names %s, which is not a git directory; if it was moved, run git worktree repair", path, dir)
	}
	return filepath.EvalSymlinks(dir)
}

// commonDirOf returns the directory shared by all worktrees of the repository
// that gitDir belongs to (gitrepository-layout(5), "commondir").
func commonDirOf(gitDir string) (string, error) {
	dir, err := readPointer(filepath.Join(gitDir, "commondir"), "")
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// readPointer reads a file that holds a prefix and one path, and returns that
// path, taken from the file's own directory when relative.
func readPointer(file, prefix string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read pointer: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPointer))
	if err != nil {
		return "", fmt.Errorf("read pointer: %w", err)
	}
	path, err := parsePointer(data, prefix)
	if err != nil {
		return "", fmt.Errorf("read pointer %s: %w", file, err)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return path, nil
}

// parsePointer takes the path out of a pointer file's content.
func parsePointer(data []byte, prefix string) (string, error) {
	rest, ok := bytes.CutPrefix(data, []byte(prefix))
	rest = bytes.TrimRight(rest, "\r\n")
	switch {
	case !ok:
		return "", fmt.Errorf("it does not begin with %q; is it git's?", prefix)
	case len(rest) == 0 || bytes.IndexByte(rest, 0) >= 0:
		return "", errors.New("it holds no path; if the worktree was moved, run git worktree repair")
	}
	return string(rest), nil
}

// isGitDir reports whether dir looks like a git directory by git's own test:
// a HEAD, and objects and refs in the common directory.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common, err := commonDirOf(dir)
	return err == nil && isDir(filepath.Join(common, "objects")) && isDir(filepath.Join(common, "refs"))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isBare reports whether the repository has no main worktree. The worktree's
// own config wins over the shared one (extensions.worktreeConfig); where both
// are silent git takes a directory that is not called .git for bare.
func isBare(common string) bool {
	for _, name := range []string{"config.worktree", "config"} {
		if bare, said := readBare(filepath.Join(common, name)); said {
			return bare
		}
	}
	return filepath.Base(common) != ".git"
}

// readBare reads core.bare. A config that cannot be read says nothing here;
// git will complain of it in better words.
func readBare(file string) (bare, said bool) {
	f, err := os.Open(file)
	if err != nil {
		return false, false
	}
	defer f.Close()
	cfg := gitconfig.New()
	if err := gitconfig.NewDecoder(f).Decode(cfg); err != nil {
		return false, false
	}
	core := cfg.Section("core")
	if !core.HasOption("bare") {
		return false, false
	}
	switch strings.ToLower(core.Option("bare")) {
	case "true", "yes", "on", "1":
		return true, true
	}
	return false, true
}
