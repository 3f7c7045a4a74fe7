package gates

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"gpuci/worktrees"
)

// StateDir is where runs are recorded: in the git common directory, which all
// lanes share and git never tracks; where that cannot be written, or outside
// git, in the user's XDG state directory. The note says the latter.
func StateDir(l worktrees.Lane, root string) (dir, note string) {
	base := root
	if l.CommonDir != "" {
		if writable(l.CommonDir) {
			return filepath.Join(l.CommonDir, "gpuci"), ""
		}
		base = l.CommonDir
	}
	sum := sha256.Sum256([]byte(base))
	dir = filepath.Join(xdgState(), "gpuci", filepath.Base(root)+"-"+hex.EncodeToString(sum[:6]))
	if l.CommonDir != "" {
		note = fmt.Sprintf("%s cannot be written: runs are recorded in %s", filepath.Join(l.CommonDir, "gpuci"), dir)
	}
	return dir, note
}

// HistoryDir is the directory of the history: the one beside the repository,
// which may be another user's, as soon as it is there; a journal can be left in it
// where nothing else can be written. Where its owner has never run gpuci, and
// outside of git, it is the one of the runs.
func HistoryDir(l worktrees.Lane, root string) string {
	own, _ := StateDir(l, root)
	if l.CommonDir == "" {
		return own
	}
	shared := filepath.Join(l.CommonDir, "gpuci")
	for _, sign := range []string{"journal", "history.db"} {
		if _, err := os.Lstat(filepath.Join(shared, sign)); err == nil {
			return shared
		}
	}
	return own
}

// runDirs are where the directory of a run may be: ours, and those of the
// repository's owner.
func runDirs(l worktrees.Lane, root string) []string {
	own, _ := StateDir(l, root)
	dirs := []string{filepath.Join(own, "runs")}
	if shared := HistoryDir(l, root); shared != own {
		dirs = append(dirs, filepath.Join(shared, "runs"))
	}
	return dirs
}

// IndexDir is a directory of this machine for the history of a state directory
// that is on a network file system.
func IndexDir(state string) string {
	sum := sha256.Sum256([]byte(state))
	return filepath.Join(xdgState(), "gpuci", "index-"+hex.EncodeToString(sum[:6]))
}

// writable asks about the directory of the runs if it is there, else about the
// one it would be made in.
func writable(common string) bool {
	for _, dir := range []string{"gpuci/runs", "gpuci", ""} {
		if _, err := os.Stat(filepath.Join(common, dir)); err == nil {
			return unix.Access(filepath.Join(common, dir), unix.W_OK|unix.X_OK) == nil
		}
	}
	return false
}

// xdgState follows the XDG base directory specification: relative paths in
// the variable are ignored.
func xdgState() string {
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return d
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), fmt.Sprintf("gpuci-state-%d", os.Getuid()))
	}
	return filepath.Join(home, ".local", "state")
}
