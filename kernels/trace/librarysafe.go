package trace

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// What is found in the cache is loaded into programs: it has to be whole, or they die of
// it, and nobody but this user, or root, may have written it.

// UnsafePlace says that another user could have the program load something else.
type UnsafePlace struct{ Path, Why string }

func (e *UnsafePlace) Error() string {
	return fmt.Sprintf("compile the library for tracing: %s %s, who could put another library there", e.Path, e.Why)
}

// othersWrite are the bits by which a file's group and all others may.
const othersWrite = 0o022

// safeDirectory makes a directory for the library, or takes one that is there: one of our
// own that others may write to is closed to them.
func safeDirectory(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &UnsafePlace{dir, "is no directory, but may be somebody's link to one"}
	case !mineOrRoots(info):
		return &UnsafePlace{dir, "is another user's"}
	}
	if info.Mode().Perm()&othersWrite != 0 {
		if err := os.Chmod(dir, info.Mode().Perm()&^othersWrite); err != nil {
			return err
		}
	}
	return openAbove(dir)
}

// openAbove is of a directory above that all may write to, and take away from: a directory
// for temporary files is marked as sticky, so that they may not.
func openAbove(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for above := filepath.Dir(real); ; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return &UnsafePlace{dir, fmt.Sprintf("is in %s, which belongs to everybody", above)}
		}
		if above == filepath.Dir(above) {
			return nil
		}
	}
}

func mineOrRoots(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid())
}

// usable says whether a library is there that can be loaded as it is. Any other is made
// anew in its place.
func usable(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || !mineOrRoots(info) || info.Mode().Perm()&othersWrite != 0 {
		return false
	}
	return whole(path) == nil
}

// whole says what is missing of a library: a disk that was full, or a machine that went
// down, leaves its beginning. The table of its parts stands at its end.
func whole(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return err
	}
	for _, s := range symbols {
		if s.Name == entry && s.Section != elf.SHN_UNDEF {
			return nil
		}
	}
	return fmt.Errorf("it has no function %s", entry)
}

// entry is the function that the driver calls.
const entry = "InitializeInjection"
