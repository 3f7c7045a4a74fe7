package worktrees

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// booked is a worktree as the repository's books have it: a directory of its own
// in CommonDir/worktrees (gitrepository-layout(5)), or, for the main one, the
// repository itself.
type booked struct {
	lane   Lane   // as the books have it; Root is "" where they cannot be read
	locked bool   // git worktree lock
	reason string // that was given for it
	err    error  // why Root is not known
}

// readBooks reads the worktrees of a lane's repository, the main one first and
// the others by their paths.
//
// It looks at nothing but the books. Git looks at every worktree to list them:
// one that is on a disk that hangs would hide the others.
func readBooks(here Lane) ([]booked, error) {
	var list []booked
	if main, ok := bookedMain(here); ok {
		list = append(list, main)
	}
	linked := len(list)
	dir := filepath.Join(here.CommonDir, "worktrees")
	ids, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, id := range ids {
		if !id.IsDir() {
			continue
		}
		b, err := readBooked(here, filepath.Join(dir, id.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	slices.SortFunc(list[linked:], func(a, b booked) int { return strings.Compare(a.lane.Root, b.lane.Root) })
	return list, nil
}

// bookedMain is the main worktree, which a bare repository has not. Where the
// repository is a directory of another name than .git, no book says where its
// files are.
func bookedMain(here Lane) (b booked, ok bool) {
	b.lane = Lane{Name: mainName, GitDir: here.CommonDir, CommonDir: here.CommonDir}
	switch {
	case here.GitDir == here.CommonDir:
		b.lane = here
	case isBare(here.CommonDir):
		return booked{}, false
	case filepath.Base(here.CommonDir) == ".git":
		b.lane.Root = filepath.Dir(here.CommonDir)
	default:
		b.err = fmt.Errorf("nothing in %s says where the files of the main worktree are; ask from there", here.CommonDir)
	}
	return b, true
}

// readBooked reads the books of a linked worktree.
func readBooked(here Lane, dir string) (b booked, err error) {
	b.lane = Lane{GitDir: dir, CommonDir: here.CommonDir}
	if b.lane.Name, err = laneName(b.lane); err != nil {
		return b, err
	}
	path, err := readPointer(filepath.Join(dir, "gitdir"), "")
	if err != nil {
		b.err = fmt.Errorf("%w; git worktree prune forgets it", err)
	} else {
		b.lane.Root = filepath.Dir(filepath.Clean(path)) // it names the worktree's .git
	}
	b.reason, b.locked = readLocked(filepath.Join(dir, "locked"))
	return b, nil
}

// readLocked reads the mark of git worktree lock. One that cannot be read is one
// all the same.
func readLocked(file string) (reason string, locked bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxPointer))
	return strings.TrimSpace(string(data)), true
}

// treeOf looks for the worktree where the books have it, or at here, where it may
// have been moved to. Its error is errNotHere when it is neither there nor here,
// and moved says that it is here alone.
func (b booked) treeOf(here Lane) (t Tree, moved bool, err error) {
	t, err = treeAt(b.lane.Root, here)
	if err == nil && t.GitDir != b.lane.GitDir { // another worktree stands in its place
		err = errNotHere
	}
	if nothing(err) {
		err = errNotHere
	}
	if errors.Is(err, errNotHere) && b.lane.GitDir == here.GitDir {
		return TreeOf(here), true, nil
	}
	return t, false, err
}

// missing is the standing of a worktree that is not where the books have it. One
// that may not be looked at may be there.
func (b booked) missing(st Standing) Standing {
	_, err := os.Stat(filepath.Join(b.lane.Root, ".git"))
	if err != nil && !nothing(err) {
		st.Err = err
		return st
	}
	lane := b.lane
	lane.Root = realOf(lane.Root)
	st.Tree = Tree{Lane: lane, Target: filepath.Join(lane.Root, "target"), Removed: true}
	st.Prunable = !b.locked && err != nil
	return st
}

// nothing says that an error comes of a path at which nothing is.
func nothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// forgotten says that the books have it no more.
func (b booked) forgotten() bool {
	_, err := os.Lstat(b.lane.GitDir)
	return errors.Is(err, fs.ErrNotExist)
}
