package worktrees

import (
	"os"
	"path/filepath"
)

// removedTree is the lane of a worktree that is not there, by what git still has
// of it in CommonDir/worktrees/ID: the file gitdir there holds the path of its
// .git. What is not among those, as a main worktree, is none.
func removedTree(root string, here Lane) (Tree, bool) {
	books := filepath.Join(here.CommonDir, "worktrees")
	ids, err := os.ReadDir(books)
	if err != nil {
		return Tree{}, false
	}
	for _, id := range ids {
		dir := filepath.Join(books, id.Name())
		path, err := readPointer(filepath.Join(dir, "gitdir"), "")
		if err != nil || filepath.Dir(filepath.Clean(path)) != filepath.Clean(root) {
			continue
		}
		lane := Lane{Root: realOf(root), GitDir: dir, CommonDir: here.CommonDir}
		if lane.Name, err = laneName(lane); err != nil {
			return Tree{}, false
		}
		return Tree{Lane: lane, Target: filepath.Join(lane.Root, "target"), Removed: true}, true
	}
	return Tree{}, false
}

// realOf resolves the symbolic links of a path as far as it is there: what
// worked in a directory that was removed still has its real path.
func realOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(realOf(up), filepath.Base(path))
}
