package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tools are the tools that can be stood in for.
type tools struct {
	names []string // sorted
	dirs  []string // where the first of each name is, in the order of PATH
}

// toolsOn finds every tool with a role on PATH. There is no shim for a tool
// that is not there: `command -v clang` has to tell the truth.
func toolsOn(env []string) (t tools) {
	list, ok := Lookup(env, "PATH")
	if !ok {
		list = defaultPath
	}
	s := newSearch(nil, "")
	for dir := range strings.SplitSeq(list, ":") {
		if !filepath.IsAbs(dir) || IsShims(dir) {
			continue
		}
		for _, name := range listed(dir) {
			path := filepath.Join(dir, name)
			if RoleOf(name) == None || slices.Contains(t.names, name) || executable(path) != nil || !s.real(path) {
				continue
			}
			t.names = append(t.names, name)
			if !slices.Contains(t.dirs, dir) {
				t.dirs = append(t.dirs, dir)
			}
		}
	}
	slices.Sort(t.names)
	return t
}

// listed is what a directory has, in no order: /usr/bin has thousands.
func listed(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	return names
}

// hash is the directory's name: it tells the program, the names, the settings.
func (in Install) hash(parent string, names []string) (string, error) {
	program, err := in.programID(parent)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(program + "\n" + strings.Join(names, "\n") + "\n\n" + in.Settings.String()))
	return hex.EncodeToString(sum[:8]), nil
}

// fill makes what is in a directory of shims. The program is copied: a hard
// link to a file that somebody overwrites in place would change with it. The
// shims are links to that copy under names that caches tell compilers by: cc
// leads to the shim of the compiler it really is.
func (in Install) fill(dir string, names []string) error {
	if err := in.program(dir); err != nil {
		return err
	}
	for _, name := range names {
		if err := in.shim(dir, name, names); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, markerName), []byte(in.Settings.String()), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	return executable(filepath.Join(dir, ProgramName))
}

func (in Install) shim(dir, name string, names []string) error {
	path := filepath.Join(dir, name)
	if to := in.alias(name, names); to != "" {
		return os.Symlink(to, path)
	}
	if os.Link(filepath.Join(dir, ProgramName), path) == nil {
		return nil
	}
	return os.Symlink(ProgramName, path) // a file system without hard links
}

// alias is the shim that cc or c++ leads to: gcc, say, where cc is a gcc.
// ccache follows links until a name tells it what the compiler is.
func (in Install) alias(name string, names []string) string {
	if name != "cc" && name != "c++" {
		return ""
	}
	path, err := newSearch(nil, "").in(in.Tools, name)
	if err != nil {
		return ""
	}
	real, _ := filepath.EvalSymlinks(path)
	for _, to := range []string{"g++", "gcc", "clang++", "clang"} {
		if strings.Contains(filepath.Base(real), to) && slices.Contains(names, to) {
			return to
		}
	}
	return ""
}

// programPrefix begins the names of the copies of programs, beside the
// directories of shims: one copy serves all that were made with it.
const programPrefix = ".program-"

// program puts the program into a directory in the making.
func (in Install) program(dir string) error {
	parent := filepath.Dir(dir)
	id, err := in.programID(parent)
	if err != nil {
		return err
	}
	kept := filepath.Join(parent, programPrefix+id[:16])
	to := filepath.Join(dir, ProgramName)
	if got, err := contentID(kept); err == nil && got == id && os.Link(kept, to) == nil {
		return nil
	}
	if err := copyProgram(in.Program, to); err != nil {
		return err
	}
	_ = os.Remove(kept) // what is there is not whole
	_ = os.Link(to, kept)
	return nil
}

// copyProgram copies a program and waits for the disk: a directory that is
// named by its content may not turn up empty after a crash.
func copyProgram(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Chmod(0o755) // whatever the umask
	}
	if err == nil {
		err = dst.Sync()
	}
	if cerr := dst.Close(); err == nil {
		err = cerr
	}
	return err
}
