package bundle

import (
	"os"
	"path/filepath"
)

// source is where a file of a bundle comes from.
type source struct {
	root *os.Root // nil: path is one of the machine
	path string   // in root, without links
	want string   // SHA-256 where the build has said it
	gate string   // the first that needs it
}

func (s source) open() (*os.File, error) {
	if s.root != nil {
		return s.root.Open(filepath.FromSlash(s.path))
	}
	return os.Open(s.path)
}

// from is a file of the workspace. A link is followed here, as os.Root takes none that is
// absolute, though it leads to the workspace itself; what leads out of it is not opened.
func from(dir string, root *os.Root, name, gate string) source {
	s := source{root: root, path: name, gate: gate}
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return s
	}
	if real, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
		if rel, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(rel) {
			s.path = filepath.ToSlash(rel)
		}
	}
	return s
}
