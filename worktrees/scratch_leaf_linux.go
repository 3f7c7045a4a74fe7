package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// copyLeaves makes a checkout's disk that of a lane at some leaves, submodules
// aside, and returns the paths that are there now. No link on the way leads it
// out of the checkout.
func copyLeaves(ctx context.Context, from, into string, leaves []Leaf) (files []string, err error) {
	root, err := os.OpenRoot(into)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, leaf := range leaves {
		if leaf.Gone() {
			if err := removeLeaf(root, leaf.Path); err != nil {
				return nil, fmt.Errorf("remove %q: %w", leaf.Path, err)
			}
		}
	}
	for _, leaf := range leaves {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if leaf.Gone() || leaf.Mode == gitlink {
			continue
		}
		if err := copyLeaf(ctx, filepath.Join(from, leaf.Path), root, leaf.Path); err != nil {
			return nil, fmt.Errorf("copy %q: %w", leaf.Path, err)
		}
		files = append(files, leaf.Path)
	}
	return files, nil
}

// removeLeaf removes a path and the directories that it leaves empty, as git
// would.
func removeLeaf(root *os.Root, name string) error {
	if err := root.RemoveAll(name); err != nil && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		if root.Remove(up) != nil { // not empty
			break
		}
	}
	return nil
}

// copyLeaf copies what is on disk now, be it another kind than it was: the proof
// looks again.
func copyLeaf(ctx context.Context, from string, root *os.Root, name string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return meanwhile(err)
	}
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return meanwhile(err)
		}
		return root.Symlink(target, name)
	case info.Mode().IsRegular():
		return copyFile(ctx, from, root, name)
	}
	return errMeanwhile
}

// copyFile copies content and permissions.
func copyFile(ctx context.Context, from string, root *os.Root, name string) error {
	// A link or a FIFO may have taken its place: follow none, wait for none.
	in, err := os.OpenFile(from, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return meanwhile(err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errMeanwhile
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = copyContent(ctx, in, out, info.Size())
	return errors.Join(err, out.Chmod(info.Mode().Perm()), out.Close())
}

// copyContent shares the blocks where the file system can (ioctl_ficlone(2):
// btrfs, xfs, overlay on them), and copies them elsewhere.
func copyContent(ctx context.Context, in, out *os.File, size int64) error {
	if unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil {
		return nil
	}
	const chunk = 64 << 20 // bytes between two looks at ctx
	for left := size; left > 0; left -= chunk {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, err := io.CopyN(out, in, min(left, chunk))
		switch {
		case errors.Is(err, io.EOF):
			return errMeanwhile // it became shorter
		case err != nil:
			return err
		}
	}
	return nil
}

// meanwhile is errMeanwhile where an error comes of a path that went, or became
// something else, since it was listed.
func meanwhile(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || replaced(err) {
		return fmt.Errorf("%w: %w", errMeanwhile, err)
	}
	return err
}
