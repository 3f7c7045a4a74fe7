package crates

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"
)

// manifest is what we read of a Cargo.toml
// (https://doc.rust-lang.org/cargo/reference/manifest.html).
type manifest struct {
	Package *struct {
		Name, Workspace                                string
		Version                                        any // or { workspace = true }
		Autotests, Autobins, Autobenches, Autoexamples *bool
	}
	Workspace *struct {
		Members, Exclude []string
		Default          []string `toml:"default-members"`
	}
	Lib                       *target
	Bin, Test, Bench, Example []target
	Features                  map[string][]string
	Dependencies              map[string]any
	Dev                       map[string]any `toml:"dev-dependencies"`
	Build                     map[string]any `toml:"build-dependencies"`
}

type target struct {
	Name, Path string
	Needs      []string `toml:"required-features"`
	Test       *bool
}

const (
	fileName    = "Cargo.toml"
	maxManifest = 4 << 20 // bytes; the largest there are have some 100 KiB
	maxMembers  = 2000
)

func readManifest(path string) (m manifest, err error) {
	text, err := readFile(path, maxManifest)
	if err == nil {
		err = toml.Unmarshal(text, &m)
	}
	if err != nil {
		return m, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

// readFile reads a regular file up to a bound; nobody waits for a pipe in its place.
func readFile(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.Join(err, errors.New("it is no regular file, or too large"))
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// fromManifests does cargo's work where there is no cargo: the members by their globs,
// and the path dependencies of these.
func fromManifests(path string) (*Space, error) {
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	top, all, err := workspaceOf(dir, m)
	if err != nil {
		return nil, err
	}
	s := &Space{Root: top}
	seen := make(map[string]bool)
	var take func(dir string) error
	take = func(dir string) error {
		if seen[dir] || len(seen) > maxMembers {
			return nil
		}
		seen[dir] = true
		m, err := readManifest(filepath.Join(dir, fileName))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a glob that came by a directory without one
		}
		if err != nil || m.Package == nil {
			return err
		}
		s.Packages = append(s.Packages, packageOf(dir, m))
		for _, d := range m.paths(dir) {
			if inside(top, d) && !all.excludes(top, d) {
				if err := take(d); err != nil {
					return err
				}
			}
		}
		return nil
	}
	members := []string{top}
	if all.Workspace != nil {
		members = append(members, globs(top, all.Workspace.Members)...)
	}
	for _, d := range members {
		if d != top && all.excludes(top, d) {
			continue
		}
		if err := take(d); err != nil {
			return nil, err
		}
	}
	switch {
	case all.Workspace != nil && all.Workspace.Default != nil:
		s.Default = globs(top, all.Workspace.Default)
	case all.Package != nil:
		s.Default = []string{top}
	default:
		for _, p := range s.Packages {
			s.Default = append(s.Default, p.Dir)
		}
	}
	return s, nil
}

// workspaceOf is the directory of the workspace that a package is in, and its manifest:
// its own where it is in none.
func workspaceOf(dir string, m manifest) (string, manifest, error) {
	if m.Workspace != nil {
		return dir, m, nil
	}
	if m.Package != nil && m.Package.Workspace != "" {
		top := filepath.Join(dir, m.Package.Workspace)
		all, err := readManifest(filepath.Join(top, fileName))
		return top, all, err
	}
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		all, err := readManifest(filepath.Join(at, fileName))
		if err == nil && all.Workspace != nil && !all.excludes(at, dir) {
			return at, all, nil
		}
		if at == filepath.Dir(at) {
			return dir, m, nil
		}
	}
}

func (m manifest) excludes(top, dir string) bool {
	return m.Workspace != nil && slices.ContainsFunc(globs(top, m.Workspace.Exclude), func(x string) bool { return inside(x, dir) })
}

// paths are the directories of a package's path dependencies.
func (m manifest) paths(dir string) (out []string) {
	for _, list := range []map[string]any{m.Dependencies, m.Dev, m.Build} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if d, ok := list[name].(map[string]any); ok {
				if at, ok := d["path"].(string); ok {
					out = append(out, filepath.Join(dir, at))
				}
			}
		}
	}
	return out
}

func globs(top string, patterns []string) (dirs []string) {
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(top, p))
		if err != nil || len(found) == 0 {
			found = []string{filepath.Join(top, p)}
		}
		dirs = append(dirs, found...)
	}
	return dirs
}

func inside(dir, at string) bool { return at == dir || strings.HasPrefix(at, dir+"/") }
