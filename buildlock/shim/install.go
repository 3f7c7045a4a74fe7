package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ProgramName is the shim's program in its directory.
const ProgramName = "gpuci-link"

// Install says what directory of shims is wanted.
type Install struct {
	Program  string   // the gpuci-link (or gpuci) to copy
	Env      []string // PATH says which tools there are; HOME, XDG_DATA_HOME where the directory goes
	Base     string   // where the directories are made; "" is what Env says
	Settings          // Tools is found out
}

// Directory is an installed directory of shims.
type Directory struct {
	Path  string
	Names []string // of the shims in it, sorted
}

// ErrUnfit says that shims cannot run from where they would be made.
var ErrUnfit = errors.New("no shims can be made here")

// Make makes the directory, or finds it made. It is named by a hash over the
// program and everything else that is in it, appears whole, and is never
// changed afterwards: builds that noted its path keep working.
func (in Install) Make() (Directory, error) {
	parent, err := in.base()
	if err != nil {
		return Directory{}, err
	}
	found := toolsOn(in.Env)
	in.Tools = strings.Join(found.dirs, ":")
	hash, err := in.hash(parent, found.names)
	if err != nil {
		return Directory{}, err
	}
	d := Directory{filepath.Join(parent, hash), found.names}
	if d.whole(in) {
		return d, nil
	}
	if err := in.build(parent, d); err != nil {
		return Directory{}, fmt.Errorf("make shims in %s: %w; set XDG_DATA_HOME to a directory that can be written and run programs from", parent, err)
	}
	return d, nil
}

// whole says whether the directory is there with all that belongs into it.
func (d Directory) whole(in Install) bool {
	marker, err := os.ReadFile(filepath.Join(d.Path, markerName))
	if err != nil || string(marker) != in.Settings.String() {
		return false
	}
	program, err := os.Stat(in.Program)
	if err != nil {
		return false
	}
	missing := func(name string) bool { // or cut short, by a crash or by somebody
		info, err := os.Stat(filepath.Join(d.Path, name))
		return err != nil || info.Size() != program.Size() || info.Mode()&0o111 == 0
	}
	return !missing(ProgramName) && !slices.ContainsFunc(d.Names, missing)
}

// build makes the directory under another name beside its place and renames
// it. Of two makers at once, the second finds the first one's and drops its
// own. What is there and not whole (somebody tidied up in it) is moved away.
func (in Install) build(parent string, d Directory) error {
	removeAbandoned(parent)
	made, err := os.MkdirTemp(parent, unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := in.fill(made, d.Names); err != nil {
		return err
	}
	for range 3 {
		err = unix.Renameat2(unix.AT_FDCWD, made, unix.AT_FDCWD, d.Path, unix.RENAME_NOREPLACE)
		if err == nil || d.whole(in) {
			return nil
		}
		if !errors.Is(err, syscall.EEXIST) {
			return &os.LinkError{Op: "rename", Old: made, New: d.Path, Err: err}
		}
		_ = os.Rename(d.Path, made+".broken")
		defer os.RemoveAll(made + ".broken")
	}
	return err
}

// unfinished begins the names of directories in the making.
const unfinished = ".new-"

// abandonedAfter is when a maker is taken to be dead: it needs milliseconds.
const abandonedAfter = time.Hour

// removeAbandoned removes what makers that were killed left behind.
func removeAbandoned(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, unfinished+"*"))
	for _, dir := range left {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.RemoveAll(dir)
		}
	}
}
