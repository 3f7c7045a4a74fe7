package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// base is the directory that directories of shims are made in. It has to be
// ours, and of a name that PATH and ccache's check can hold.
func (in Install) base() (string, error) {
	dir := in.Base
	if dir == "" {
		dir = defaultBase(in.Env)
	}
	if strings.ContainsAny(dir, notInPath) {
		return "", fmt.Errorf("%w: %q has a character that PATH or a compiler cache cannot hold", ErrUnfit, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("%w: %w; set XDG_DATA_HOME to a directory that can be written", ErrUnfit, err)
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return "", fmt.Errorf("%w: stat %s: %w", ErrUnfit, dir, err)
	}
	if int(st.Uid) != os.Getuid() || st.Mode&0o022 != 0 && st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return "", fmt.Errorf("%w: %s belongs to somebody else or can be written by others; remove it, or set XDG_DATA_HOME", ErrUnfit, dir)
	}
	return filepath.Abs(dir)
}

// defaultBase is in the user's own data, or, where those are not to be had (no
// HOME, one that is not there, another user's, one that cannot be written), in a
// directory of ours that every user has.
func defaultBase(env []string) string {
	const below = "/gpuci/shims"
	if data, ok := Lookup(env, "XDG_DATA_HOME"); ok && usable(data) && ourPlace(data+below) {
		return data + below
	}
	home, ok := Lookup(env, "HOME")
	if data := home + "/.local/share"; ok && usable(home) && isDir(home) && ourPlace(data+below) {
		return data + below
	}
	return "/var/tmp/gpuci-shims-" + itoa(os.Getuid())
}

// notInPath are characters that PATH or ccache's check cannot hold.
const notInPath = ":;% \t\n\"'\\"

func usable(dir string) bool {
	return filepath.IsAbs(dir) && !strings.ContainsAny(dir, notInPath)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ourPlace says whether dir is ours, or can be made by us without putting
// directories of ours into another user's: root, in the HOME of somebody, would
// leave him a ~/.local/share that he cannot write. What is root's or has the
// sticky bit is for whoever can write there.
func ourPlace(dir string) bool {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err == nil {
		return int(st.Uid) == os.Getuid()
	}
	for dir != "/" {
		dir = filepath.Dir(dir)
		err := unix.Stat(dir, &st)
		if errors.Is(err, syscall.ENOENT) {
			continue
		}
		shared := st.Uid == 0 || st.Mode&unix.S_ISVTX != 0
		return err == nil && (int(st.Uid) == os.Getuid() || shared) && unix.Access(dir, unix.W_OK|unix.X_OK) == nil
	}
	return false
}
