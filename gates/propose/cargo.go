package propose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds on Cargo workspaces in one workspace of ours: each costs a question to
// cargo, of 30 to 200 ms.
const (
	maxCargo    = 20
	maxQuestion = 8
)

// cargo looks at what Cargo builds.
func (s *survey) cargo(outer context.Context) {
	ctx, cancel := context.WithTimeoutCause(outer, s.opt.CargoTime, fmt.Errorf("no answer within %s", s.opt.CargoTime))
	defer cancel()
	src := &rustSources{root: s.opt.Root}
	covered := make(map[string]bool)
	asked, spaces, rest := 0, 0, 0
	for _, d := range s.tree.dirs {
		if !d.has("Cargo.toml") || covered[d.path] {
			continue
		}
		if spaces == maxCargo {
			rest++
			continue
		}
		spaces, asked = spaces+1, asked+1
		s.kinds[d.path] = true
		ws, all := s.cargoSpace(ctx, d, asked <= maxQuestion)
		for _, c := range ws.crates {
			covered[c.dir] = true
		}
		if all { // whatever stands below is this one's
			s.cover(covered, d.path, ws.exclude)
		}
		if outer.Err() != nil {
			return
		}
		s.study(&ws, src)
		s.cargoGates(ws)
	}
	if rest > 0 {
		s.leave(plural(rest, "more package")+" in no workspace", "gates of the first %d are enough to begin with", maxCargo)
	}
}

func (s *survey) cover(covered map[string]bool, top string, exclude []string) {
	for _, d := range s.tree.dirs {
		if under(d.path, top) && !excluded(d.path, top, exclude) {
			covered[d.path] = true
		}
	}
}

// cargoSpace finds out what belongs to the package or workspace in a directory:
// from cargo itself, or from the manifests where it cannot be asked. all says
// that everything below has been spoken for.
func (s *survey) cargoSpace(ctx context.Context, d dir, ask bool) (ws cargoSpace, all bool) {
	file := d.file("Cargo.toml")
	m, err := s.manifest(file)
	if err != nil {
		s.leave(file, "%v", err)
		return ws, false
	}
	if ask && ctx.Err() == nil {
		ws, err = s.metadata(ctx, d.path)
		var f failed
		switch {
		case err == nil:
			return ws, false
		case errors.As(err, &f) && f.exit.Code == cargoRefuses:
			s.leave(file, "%v", err)
			ws.exclude = m.excludes()
			return ws, m.Workspace != nil
		case errors.Is(err, exec.ErrNotFound):
			s.note("cargo is not on PATH: the gates were read off the Cargo.toml files, and need it to run")
		case !errors.Is(err, context.Canceled):
			s.note(fmt.Sprintf("cargo metadata gave no answer %s (%v): the gates were read off the Cargo.toml files", where(d.path), err))
		}
	}
	return s.fromManifests(d.path, m), m.Workspace != nil
}

// cargoRefuses is the exit status of a cargo that ran and found a mistake; that
// of a rustup that has no cargo to give is 1.
const cargoRefuses = 101

// note says something once.
func (s *survey) note(text string) {
	if text = printable(text); !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// metadata is what we read of `cargo metadata`
// (https://doc.rust-lang.org/cargo/commands/cargo-metadata.html).
type metadata struct {
	Packages []struct {
		Name         string
		Version      string
		Dependencies []struct{ Name, Path string } // by the package's own name; no Path where it is fetched
		ManifestPath string                        `json:"manifest_path"`
		Targets      []struct {
			Kind          []string
			Name          string
			SrcPath       string   `json:"src_path"`
			Features      []string `json:"required-features"`
			Test, Doctest bool
		}
	}
	TargetDirectory string `json:"target_directory"`
}

// metadata asks cargo. Without --no-deps it would resolve, and write a
// Cargo.lock; RUSTUP_AUTO_INSTALL keeps rustup from fetching a toolchain for it.
func (s *survey) metadata(ctx context.Context, at string) (cargoSpace, error) {
	out, err := s.ask(ctx, s.path(at), []string{"RUSTUP_AUTO_INSTALL=0", "CARGO_TERM_COLOR=never"},
		"cargo", "metadata", "--no-deps", "--offline", "--format-version", "1")
	if err != nil {
		return cargoSpace{}, err
	}
	var m metadata
	if err := json.Unmarshal(out, &m); err != nil {
		return cargoSpace{}, fmt.Errorf("read cargo metadata: %w", err)
	}
	ws := cargoSpace{dir: at, made: s.inside(m.TargetDirectory)}
	var needs []dependency
	for _, p := range m.Packages {
		for _, d := range p.Dependencies {
			needs = append(needs, dependency{d.Name, s.inside(d.Path)})
		}
		c := crate{name: p.Name, version: p.Version, dir: path.Dir(s.inside(p.ManifestPath))}
		if s.inside(p.ManifestPath) == "" || !under(c.dir, path.Clean(filepath.ToSlash(s.opt.Below))) {
			continue // a member that is not ours to look at
		}
		custom := s.customHarness(path.Join(c.dir, "Cargo.toml"))
		for _, t := range p.Targets {
			c.target(t.Kind, cargoTest{c.name, t.Name, s.inside(t.SrcPath), t.Features, custom[t.Name]}, t.Test, t.Doctest)
		}
		ws.crates = append(ws.crates, c)
	}
	slices.SortFunc(ws.crates, func(a, b crate) int { return strings.Compare(a.dir+"\x00"+a.name, b.dir+"\x00"+b.name) })
	s.findTwins(&ws, needs)
	return ws, nil
}

// target takes up one target of a package, if cargo test would.
func (c *crate) target(kind []string, t cargoTest, test, doctest bool) {
	switch {
	case t.file == "":
	case slices.Contains(kind, "test") && test:
		c.tests = append(c.tests, t)
	case slices.Contains(kind, "bin") && test:
		c.bins, c.roots = true, union(c.roots, []string{path.Dir(t.file)})
	case slices.ContainsFunc(kind, isLib):
		c.lib, c.doctests = test, doctest
		c.roots = union(c.roots, []string{path.Dir(t.file)})
	}
}

func isLib(kind string) bool { return kind == "proc-macro" || strings.HasSuffix(kind, "lib") }

// inside makes a path relative to the root; "" where it is elsewhere.
func (s *survey) inside(file string) string {
	rel, err := filepath.Rel(s.opt.Root, file)
	if file == "" || err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// readText reads a file of the workspace, up to a bound that no file of its
// kind comes near; a pipe in its place is not waited for.
func (s *survey) readText(file string) (string, error) {
	text, err := readFile(s.path(file), maxText)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fs.ErrNotExist
	}
	return string(text), err
}
