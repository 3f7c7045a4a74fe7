package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNotFound is what Find returns, wrapped, where there is no workspace. The
// text says where it looked and gives a minimal file.
var ErrNotFound = errors.New("no " + FileName)

// Find returns the nearest gpuci.toml from dir upwards, as an absolute path.
// It does not look above the directory stop, nor, where stop is "", above the
// root of the file system. Where one of them cannot be looked at, which could
// hide a nearer file, the error wraps ErrUnreadable.
func Find(dir, stop string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", FileName, err)
	}
	for at := start; ; at = filepath.Dir(at) {
		path := filepath.Join(at, FileName)
		switch info, err := os.Stat(path); {
		case err == nil && !info.IsDir():
			return path, nil
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return "", cannot("find "+FileName, err)
		}
		if at == filepath.Dir(at) || same(at, stop) {
			return "", notFound(start, at)
		}
	}
}

// same compares directories as the file system does: git names a repository by
// its resolved path, a shell by the symlink it came through.
func same(dir, stop string) bool {
	if stop == "" {
		return false
	}
	a, err := os.Stat(dir)
	if err != nil {
		return false
	}
	b, err := os.Stat(stop)
	return err == nil && os.SameFile(a, b)
}

func notFound(from, to string) error {
	where := from
	if from != to {
		where += " or above it up to " + to
	}
	return fmt.Errorf("%w in %s; to make a workspace, put a file %s with these lines at the root of the repository:\n\n%s", ErrNotFound, where, FileName, minimal(from, to))
}

// minimal is a file for the root of the repository that dir is in, with the
// tests of what it is made with: what the root says, else the nearest directory
// upwards from dir.
func minimal(dir, root string) string {
	if lines := testsOf(root); lines != "" {
		return lines
	}
	for at := dir; at != root && at != filepath.Dir(at); at = filepath.Dir(at) {
		lines := testsOf(at)
		rel, err := filepath.Rel(root, at)
		switch {
		case lines == "" || err != nil:
		case root == filepath.Dir(root): // outside git that is where the file goes
			return lines
		default:
			return lines + "dir = " + tomlString(rel) + "\n"
		}
	}
	return fmt.Sprintf(oneGate, `"make", "test"`, "none")
}

const oneGate = "[[gate]]\nname = \"tests\"\nrun = [%s]\nreader = %q\n"

// testsOf is a gate with the tests of the project in a directory, "" where there
// is none that we know.
func testsOf(dir string) string {
	for _, kind := range []struct{ file, run, reader string }{
		{"Cargo.toml", `"cargo", "test"`, "libtest"},
		{"go.mod", `"go", "test", "./..."`, "gotest"},
	} {
		if info, err := os.Stat(filepath.Join(dir, kind.file)); err == nil && info.Mode().IsRegular() {
			return fmt.Sprintf(oneGate, kind.run, kind.reader)
		}
	}
	return ""
}

// Sources are the paths of the files that make up a Config. A machine or
// personal file that is "" or does not exist is left out, unless it must be
// there.
type Sources struct {
	Machine   string
	Named     bool // somebody named the machine file: it must be there
	Personal  string
	Workspace string
	// Text is the workspace file's content where that is not what is on disk: a
	// commit's. nil reads the file.
	Text []byte
}

// DefaultSources returns the usual files under a workspace's: /etc/gpuci.toml,
// or the file that GPUCI_MACHINE_FILE names (tests and containers have no
// machine of their own), and gpuci/config.toml in $XDG_CONFIG_HOME or ~/.config.
func DefaultSources(workspace string) Sources {
	s := Sources{Machine: "/etc/gpuci.toml", Workspace: workspace}
	if path := os.Getenv("GPUCI_MACHINE_FILE"); path != "" {
		s.Machine, s.Named = path, true
	}
	dir := os.Getenv("XDG_CONFIG_HOME")
	if home, err := os.UserHomeDir(); err == nil && !filepath.IsAbs(dir) {
		dir = filepath.Join(home, ".config")
	}
	if filepath.IsAbs(dir) { // the XDG rules: a relative path is not to be used
		s.Personal = filepath.Join(dir, "gpuci", "config.toml")
	}
	return s
}
