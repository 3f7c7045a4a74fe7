package junit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// WriteFile writes the suites to a file that appears whole or not at all. It is
// not synced: what a power cut could lose is a report that can be made again.
//
// A device, a FIFO, and whatever is reached through /dev or /proc is written to
// as it stands: putting a new file in the place of /dev/stdout would cut off
// who reads there. A FIFO without a reader is an error, not a wait.
func WriteFile(path string, suites []Suite) error {
	target, through := resolve(path)
	if through {
		return writeThrough(target, suites)
	}
	temp, err := create(target)
	if err != nil {
		return fmt.Errorf("write %s: %w: does its directory exist, and may it be written?", path, err)
	}
	err = errors.Join(Write(temp, suites), sameMode(temp, target), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// maxLinks is where Linux gives up too (path_resolution(7)).
const maxLinks = 40

// resolve follows symbolic links to the file that is to be replaced; through
// says that it must not be.
func resolve(path string) (target string, through bool) {
	for range maxLinks {
		if abs, err := filepath.Abs(path); err == nil && (strings.HasPrefix(abs, "/dev/") || strings.HasPrefix(abs, "/proc/")) {
			return path, !inShm(abs)
		}
		next, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	info, err := os.Stat(path)
	return path, err == nil && !info.Mode().IsRegular()
}

// inShm says that a path below /dev is in its directory for plain files.
func inShm(abs string) bool { return strings.HasPrefix(abs, "/dev/shm/") }

func writeThrough(path string, suites []Suite) error {
	// Not from the start of a file that a shell has redirected stdout to.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, unix.ENXIO):
		return fmt.Errorf("write %s: nobody reads this FIFO: start its reader first", path)
	case err != nil:
		return fmt.Errorf("write to it as it stands: %w", err)
	}
	if err := errors.Join(Write(f, suites), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// create makes a new file beside path, with the mode that the umask leaves.
func create(path string) (*os.File, error) {
	for n := range 100 {
		name := fmt.Sprintf("%s/.%s.%d.%d.part", filepath.Dir(path), filepath.Base(path), os.Getpid(), n)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("a hundred parts of it are there already: remove .%s.*.part", filepath.Base(path))
}

// sameMode keeps the mode of the file that is replaced.
func sameMode(f *os.File, old string) error {
	info, err := os.Stat(old)
	if err != nil {
		return nil // there is none
	}
	return f.Chmod(info.Mode().Perm())
}
