package propose

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// manifest is what we read of a Cargo.toml
// (https://doc.rust-lang.org/cargo/reference/manifest.html).
type manifest struct {
	Package *struct {
		Name      string
		Autotests *bool
		Autobins  *bool
	}
	Workspace *struct{ Members, Exclude []string }
	Lib       *cargoTarget
	Bin, Test []cargoTarget
}

type cargoTarget struct {
	Name, Path    string
	Features      []string `toml:"required-features"`
	Harness       *bool
	Test, Doctest *bool
}

func (s *survey) manifest(file string) (manifest, error) {
	var m manifest
	text, err := s.readText(file)
	if err == nil {
		err = toml.Unmarshal([]byte(text), &m)
	}
	if err != nil {
		return m, errors.New("cannot be read: " + reason(err))
	}
	return m, nil
}

// customHarness are the tests of a package that have harness = false, which
// cargo metadata does not say.
func (s *survey) customHarness(file string) map[string]bool {
	text, err := s.readText(file)
	if err != nil || !strings.Contains(text, "harness") {
		return nil
	}
	var m manifest
	if toml.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	out := make(map[string]bool)
	for _, t := range m.Test {
		out[t.Name] = isFalse(t.Harness)
	}
	return out
}

func isFalse(b *bool) bool { return b != nil && !*b }

// fromManifests does cargo's work where there is no cargo: the members by their
// globs, and, because a path dependency is a member too, every package below the
// workspace that it does not exclude.
func (s *survey) fromManifests(at string, top manifest) cargoSpace {
	ws := cargoSpace{dir: at, made: path.Join(at, "target"), exclude: top.excludes()}
	if top.Package != nil {
		ws.crates = append(ws.crates, s.crateOf(at, top))
	}
	if top.Workspace == nil {
		return ws
	}
	for _, d := range s.tree.dirs {
		if d.path == at || !under(d.path, at) || !d.has("Cargo.toml") || excluded(d.path, at, ws.exclude) {
			continue
		}
		m, err := s.manifest(d.file("Cargo.toml"))
		switch {
		case err != nil:
			s.leave(d.file("Cargo.toml"), "%v", err)
		case m.Workspace == nil && m.Package != nil:
			ws.crates = append(ws.crates, s.crateOf(d.path, m))
		}
	}
	s.findTwins(&ws, nil)
	return ws
}

func (m manifest) excludes() []string {
	if m.Workspace == nil {
		return nil
	}
	return m.Workspace.Exclude
}

func excluded(dir, top string, globs []string) bool {
	rel, err := filepath.Rel(top, dir)
	return err != nil || slices.ContainsFunc(globs, func(glob string) bool {
		glob = path.Clean(glob)
		ok, _ := path.Match(glob, rel)
		return ok || under(rel, glob)
	})
}

// crateOf finds the targets of a package where cargo would.
func (s *survey) crateOf(at string, m manifest) crate {
	c := crate{name: m.Package.Name, dir: at}
	c.libOf(s, m.Lib)
	bins := m.Bin
	if !isFalse(m.Package.Autobins) {
		bins = append(bins, cargoTarget{Path: "src/main.rs"})
		for _, file := range s.glob(at, "src/bin/*.rs", "src/bin/*/main.rs") {
			bins = append(bins, cargoTarget{Path: file})
		}
	}
	for _, b := range bins {
		if file := path.Join(at, b.Path); b.Path != "" && !isFalse(b.Test) && s.isFile(file) {
			c.target([]string{"bin"}, cargoTest{file: file}, true, false)
		}
	}
	var named []string
	for _, t := range m.Test {
		if t.Path == "" {
			t.Path = s.first(at, "tests/"+t.Name+".rs", "tests/"+t.Name+"/main.rs")
		}
		named = append(named, t.Name, t.Path)
		c.target([]string{"test"}, cargoTest{c.name, t.Name, path.Join(at, t.Path), t.Features, isFalse(t.Harness)}, !isFalse(t.Test), false)
	}
	if !isFalse(m.Package.Autotests) {
		for _, file := range s.glob(at, "tests/*.rs", "tests/*/main.rs") {
			name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(file, "tests/"), ".rs"), "/main")
			if !slices.Contains(named, name) && !slices.Contains(named, file) {
				c.tests = append(c.tests, cargoTest{crate: c.name, name: name, file: path.Join(at, file)})
			}
		}
	}
	slices.SortFunc(c.tests, func(a, b cargoTest) int { return strings.Compare(a.name, b.name) })
	return c
}

func (c *crate) libOf(s *survey, lib *cargoTarget) {
	file, test, doctest := "src/lib.rs", true, true
	if lib != nil {
		test, doctest = !isFalse(lib.Test), !isFalse(lib.Doctest)
		if lib.Path != "" {
			file = lib.Path
		}
	}
	if file = path.Join(c.dir, file); s.isFile(file) {
		c.target([]string{"lib"}, cargoTest{file: file}, test, doctest)
	}
}

// glob lists files below a directory, relative to it, sorted.
func (s *survey) glob(at string, patterns ...string) (out []string) {
	for _, p := range patterns {
		found, _ := fs.Glob(osDir(s.path(at)), p)
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.DeleteFunc(out, func(f string) bool { return !s.isFile(path.Join(at, f)) })
}

// first is the first of some files that is there, else the first.
func (s *survey) first(at string, files ...string) string {
	for _, f := range files {
		if s.isFile(path.Join(at, f)) {
			return f
		}
	}
	return files[0]
}
