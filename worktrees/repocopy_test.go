package worktrees

import (
	"io/fs"
	"os"
	"path/filepath"
)

// copyOf is a directory, a file or a link below a directory.
type copyOf struct {
	path string
	mode fs.FileMode
	text string // a file's, or where a link leads
}

// firstRepo is what the first newRepo has made, with its .git. No test here is
// parallel: all set variables of git's.
var firstRepo []copyOf

// whole reads all that is in the repository's directory, each directory before what
// is in it.
func (r repo) whole() (found []copyOf) {
	r.tb.Helper()
	r.check(filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == r.dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := copyOf{path: path[len(r.dir)+1:], mode: info.Mode()}
		switch {
		case d.IsDir():
		case e.mode.Type() == fs.ModeSymlink:
			e.text, err = os.Readlink(path)
		default:
			var text []byte
			text, err = os.ReadFile(path)
			e.text = string(text)
		}
		found = append(found, e)
		return err
	}))
	return found
}

// copied makes it anew, in an empty directory.
func (r repo) copied(all []copyOf) {
	r.tb.Helper()
	for _, e := range all {
		path := filepath.Join(r.dir, e.path)
		switch {
		case e.mode.IsDir():
			r.check(os.Mkdir(path, e.mode.Perm()))
		case e.mode.Type() == fs.ModeSymlink:
			r.check(os.Symlink(e.text, path))
		default:
			r.check(os.WriteFile(path, []byte(e.text), e.mode.Perm()))
		}
	}
}
