package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Holder is the lane that has the branch checked out; held is false where none
// has. The error is a *HeldError where the branch may not be moved because of it:
// the lane is not clean, is not there or not where git has it, or is one of
// several; or one is in the middle of a rebase or a bisect of it.
func (f Forward) Holder(ctx context.Context, l Lane) (holder Lane, held bool, err error) {
	ref, err := f.ref(ctx, l)
	if err != nil {
		return Lane{}, false, err
	}
	if err := inTheMiddle(l.CommonDir, ref); err != nil {
		return Lane{}, false, err
	}
	places, err := checkedOut(ctx, l, ref)
	if err != nil || len(places) == 0 {
		return Lane{}, false, err
	}
	root := places[0].root
	for _, p := range places {
		if p.prunable != "" {
			return Lane{}, false, astray(p, f.Branch)
		}
	}
	if len(places) > 1 {
		return Lane{}, false, &HeldError{Lane: root, Root: root, Why: fmt.Sprintf("has %s checked out, and so has %s", f.Branch, places[1].root)}
	}
	tree, err := treeAt(root, l)
	if err != nil {
		return Lane{}, false, &HeldError{Lane: filepath.Base(root), Root: root, Why: "has " + f.Branch + " checked out, and cannot be read: " + err.Error()}
	}
	st, err := ReadState(ctx, tree.Lane)
	if err != nil {
		return Lane{}, false, err
	}
	if st.Dirty {
		return tree.Lane, true, &HeldError{Lane: tree.Name, Root: tree.Root, Why: fmt.Sprintf("has %s checked out, and %s", f.Branch, uncommitted(st))}
	}
	return tree.Lane, true, nil
}

// uncommitted says in a few words what is not committed in a lane.
func uncommitted(st State) string {
	const most = 3
	names := strings.Join(st.Paths[:min(most, len(st.Paths))], ", ")
	if st.Count > most {
		names += ", …"
	}
	if st.Count == 1 {
		return "1 change that is not committed: " + names
	}
	return fmt.Sprintf("%d changes that are not committed: %s", st.Count, names)
}

// astray is why a branch stays where it is though nothing is where git has the
// worktree: one that was moved by mv has its files elsewhere, and its HEAD goes on
// naming the branch.
func astray(p holding, branch string) error {
	return &HeldError{
		Lane: filepath.Base(p.root), Root: p.root,
		Why:  "has " + branch + " checked out, and is not there (" + p.prunable + ")",
		Next: "git worktree repair PATH, if it was moved to PATH, or git worktree prune, if it was removed; then land it again",
	}
}

// holding is a worktree that has a branch checked out.
type holding struct {
	root     string
	prunable string // why git would prune it, "" where it would not
}

// checkedOut are the worktrees that have a branch checked out, those among them
// whose directory git does not find.
func checkedOut(ctx context.Context, l Lane, ref string) (list []holding, err error) {
	var out []byte
	err = amid(ctx, func() (err error) {
		out, err = runGit(ctx, l, nil, "worktree", "list", "--porcelain", "-z")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find who has %s checked out: %w", ref, err)
	}
	for _, entry := range strings.Split(string(out), "\x00\x00") {
		var h holding
		on := false
		for _, attribute := range strings.Split(entry, "\x00") {
			key, value, _ := strings.Cut(attribute, " ")
			switch key {
			case "worktree":
				h.root = value
			case "branch":
				on = value == ref
			case "prunable":
				h.prunable = cmp.Or(value, "git would prune it")
			}
		}
		if on {
			list = append(list, h)
		}
	}
	return list, nil
}

// inTheMiddle is a *HeldError where a lane is in the middle of something that ends
// with moving a branch: git notes the branch in that lane's git directory.
func inTheMiddle(common, ref string) error {
	ids, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dirs := []string{common}
	for _, id := range ids {
		dirs = append(dirs, filepath.Join(common, "worktrees", id.Name()))
	}
	for _, dir := range dirs {
		for _, sign := range []struct{ file, prefix, what string }{
			{"rebase-merge/head-name", "", "rebase"},
			{"rebase-apply/head-name", "", "rebase"},
			{"BISECT_START", "refs/heads/", "bisect"},
		} {
			data, err := os.ReadFile(filepath.Join(dir, sign.file))
			if err == nil && sign.prefix+strings.TrimSuffix(string(data), "\n") == ref {
				return &HeldError{Lane: laneOfGitDir(dir, common), Root: rootOfGitDir(dir), Why: "is in the middle of a " + sign.what + " of it"}
			}
		}
	}
	return nil
}

func laneOfGitDir(dir, common string) string {
	if name, err := laneName(Lane{GitDir: dir, CommonDir: common}); err == nil {
		return name
	}
	return dir
}

// rootOfGitDir is where the files of a git directory are, as far as it says.
func rootOfGitDir(dir string) string {
	if path, err := readPointer(filepath.Join(dir, "gitdir"), ""); err == nil {
		return filepath.Dir(path)
	}
	return filepath.Dir(dir)
}
