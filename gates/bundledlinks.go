package gates

import (
	"fmt"
	"os"
	"path/filepath"

	"gpuci/gates/reader"
)

// pattern takes what bundle names, which is to be something.
func (n *needs) pattern(pattern string) {
	found, err := reader.Linked(n.root, pattern, n.into)
	if err == nil && len(found) == 0 {
		if info, err := os.Stat(filepath.Join(n.root, pattern)); err == nil && info.IsDir() {
			n.fail("bundle names "+pattern+", which is a directory", "write "+pattern+"/** for all files in it")
			return
		}
		n.missing("bundle names "+pattern+", and there is nothing", "name files that are there once the gate is built, or leave it out")
	}
	n.globbed(found, err)
}

// into says whether a link to a directory is one of the workspace.
func (n *needs) into(link string) error {
	if !n.ours(link) {
		return fmt.Errorf("%s is a link that leads out of the workspace", n.inside(link))
	}
	return nil
}

// ours says whether a path leads into the workspace, through all its links.
func (n *needs) ours(name string) bool {
	root, err := filepath.EvalSymlinks(n.root)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, real)
	return err == nil && filepath.IsLocal(rel)
}
