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
	"time"
)

// removeLimit is how long Remove takes at most: minutes, since what was built
// can be many thousands of files on a slow disk.
const removeLimit = 5 * time.Minute

// Remove removes the scratch lane from disk and from git's books. It may be
// called again, and with a context that was cancelled: it has its own limit, of
// five minutes. What it cannot remove RemoveAbandoned finds later.
func (s *Scratch) Remove(ctx context.Context) error {
	if s.place == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeLimit)
	defer cancel()
	err := s.place.dismantle(ctx, s.from.CommonDir)
	s.place.release()
	if err != nil {
		return fmt.Errorf("remove scratch lane of %s: %w", s.From, err)
	}
	s.place = nil
	return nil
}

// dismantle removes a place: first from git's books, then from disk, the lock
// with its record last, so that whatever ends it on the way can be found again.
func (p *place) dismantle(ctx context.Context, common string) error {
	if !there(p.dir) {
		return p.strike(common)
	}
	if at, err := mountedIn(p.dir); err != nil || at != "" {
		return cmp.Or(err, fmt.Errorf("something is mounted at %s, and would be emptied: umount it", at))
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var said error
	if there(p.admin(common)) {
		said = p.unregister(ctx, root, common)
	}
	done := make(chan error, 1)
	go func() { done <- p.clear(ctx, root) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = fmt.Errorf("remove %s: %w", p.dir, ctx.Err())
	}
	if err == nil {
		err = p.strike(common)
	}
	if err != nil {
		return errors.Join(err, said)
	}
	for _, name := range []string{filepath.Join(p.dir, "lock"), p.dir} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// unregister has git remove the worktree. It is told so only where the root is a
// directory or nothing: git would follow a link that was put in its place.
func (p *place) unregister(ctx context.Context, root *os.Root, common string) error {
	name := filepath.Base(p.root())
	if info, err := root.Lstat(name); err == nil && !info.IsDir() {
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	env := []string{"GIT_DIR=" + common, "GIT_WORK_TREE=" + common}
	return amid(ctx, func() error {
		_, err := p.bare(ctx, common, env, "worktree", "remove", "--force", "--force", "--", p.root())
		return err
	})
}

// clear removes all that is in the place but the lock.
func (p *place) clear(ctx context.Context, root *os.Root) error {
	var err error
	for range 3 { // what ends just now may write a last file
		if err = clearOnce(root); err == nil || ctx.Err() != nil {
			return err
		}
		makeWritable(root)
	}
	return err
}

func clearOnce(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != "lock" {
			err = errors.Join(err, root.RemoveAll(name))
		}
	}
	return err
}

// makeWritable gives the owner back the right to read and write the directories
// of a tree. Go's module cache, for one, has it taken away.
func makeWritable(root *os.Root) {
	const owner = 0o700
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // what cannot be read now cannot be removed either, and that is said
		}
		if info, err := d.Info(); err == nil && info.Mode()&owner != owner {
			_ = root.Chmod(path, info.Mode().Perm()|owner)
		}
		return nil
	})
}

// strike removes from git's books what git left there: it does not know a
// worktree that was half made.
func (p *place) strike(common string) error {
	admin := p.admin(common)
	info, err := os.Lstat(admin)
	if err != nil || !info.IsDir() {
		return nil
	}
	if at, err := readPointer(filepath.Join(admin, "gitdir"), ""); err == nil && filepath.Dir(at) != p.root() && there(at) {
		return fmt.Errorf("forget worktree %s: it was moved to %s; remove it there: git worktree remove --force", filepath.Base(admin), filepath.Dir(at))
	}
	root, err := os.OpenRoot(filepath.Dir(admin))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.RemoveAll(filepath.Base(admin)); err != nil {
		return fmt.Errorf("forget worktree %s: %w", strings.TrimPrefix(admin, common+"/"), err)
	}
	_ = os.Remove(filepath.Dir(admin)) // as git does: it is there only with some worktree in it
	return nil
}
