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

const minimal = `to make a workspace, put a file ` + FileName + ` with these lines at the root of the repository:

[[gate]]
name = "tests"
run = ["go", "test", "./..."]
reader = "gotest"
`

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
	if from == to {
		return fmt.Errorf("%w in %s; %s", ErrNotFound, from, minimal)
	}
	return fmt.Errorf("%w in %s or above it up to %s; %s", ErrNotFound, from, to, minimal)
}

// Sources are the paths of the files that make up a Config. A machine or
// personal file that is "" or does not exist is left out, unless it must be
// there.
type Sources struct {
	Machine   string
	Named     bool // somebody named the machine file: it must be there
	Personal  string
	Workspace string
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
