package inputs

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/worktrees"
)

// target is the crate that cargo finds a target in by its place (the Cargo
// book's "Package Layout"), as a directory from the lane's root; ok is false for a
// source that is none of its own.
func target(file string) (crate string, ok bool) {
	dir, base := path.Split(file)
	dir = path.Clean(dir)
	if path.Ext(base) != ".rs" {
		return "", false
	}
	if path.Base(dir) == "src" && (base == "main.rs" || base == "lib.rs") {
		return path.Dir(dir), true
	}
	for _, at := range []string{dir, path.Dir(dir)} {
		if at != dir && base != "main.rs" {
			break
		}
		switch {
		case slices.Contains([]string{"tests", "benches", "examples"}, path.Base(at)):
			return path.Dir(at), true
		case path.Base(at) == "bin" && path.Base(path.Dir(at)) == "src":
			return path.Dir(path.Dir(at)), true
		}
	}
	return "", false
}

// builds says whether the gate would build a source that it has not read, if that
// was not there then: a target of a crate of which it has read something. Whether
// the gate's command asks for that target is not told.
func (s Snapshot) builds(root string, p Path) bool {
	crate, ok := target(string(p))
	if !ok || !isRegular(filepath.Join(root, crate, "Cargo.toml")) {
		return false
	}
	return crate == "." && len(s.Read) > 0 ||
		slices.ContainsFunc(s.Read, func(r Path) bool { return strings.HasPrefix(string(r), crate+"/") })
}

// isNew says whether a path that differs now was not there at all.
func (c *comparison) isNew(ctx context.Context, s Snapshot, p Path) (bool, error) {
	if was, changed := s.Changed[p]; changed {
		return was == gone, nil
	}
	there, err := worktrees.Holds(ctx, c.lane, s.Commit, string(p))
	return !there, err
}
