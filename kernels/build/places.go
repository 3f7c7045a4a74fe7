package build

import (
	"fmt"
	"os"
	"path/filepath"
)

// places tells which paths are one: by the directory's inode, so that a link to it and a
// mount of it elsewhere are the same. A file of two names (a hard link) has two places:
// outputs are put in place by a rename, which leaves the other name as it was.
type places struct{ dirs map[string]string }

func newPlaces() *places { return &places{map[string]string{}} }

// of is the place of a file that need not be there.
func (p *places) of(path string) string { return p.dir(filepath.Dir(path)) + "/" + filepath.Base(path) }

// dir is the place of a directory: its inode, or below that of the first above it that is
// there.
func (p *places) dir(path string) string {
	if known, ok := p.dirs[path]; ok {
		return known
	}
	place := path
	info, err := os.Stat(path)
	switch {
	case err == nil:
		s := stampOf(info)
		place = fmt.Sprintf("%d:%d", s.Device, s.Inode)
	case filepath.Dir(path) != path:
		place = p.of(path)
	}
	p.dirs[path] = place
	return place
}

// overlap is whether one of two directories is in the other.
func (p *places) overlap(a, b string) bool { return p.has(a, b) || p.has(b, a) }

// has is whether a directory is another, or in it, links followed.
func (p *places) has(dir, inner string) bool {
	want := p.dir(dir)
	for at := real(inner); ; at = filepath.Dir(at) {
		if p.dir(at) == want {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// real is the path with its links followed, as far as it is there.
func real(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if r, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(r, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// resolved is where a file is or would be: the links to its directory are followed, and
// one in its own place is not.
func resolved(path string) string {
	return filepath.Join(real(filepath.Dir(path)), filepath.Base(path))
}
