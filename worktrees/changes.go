package worktrees

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// Modes as git writes them, and two of our own for what git has none for.
const (
	absent     = "000000"
	regular    = "100644"
	executable = "100755"
	symlink    = "120000"
	gitlink    = "160000"
	unreadable = "unreadable"
	special    = "special"
)

// content is what is on disk at one path.
type content struct {
	mode   string
	sum    string // SHA-256 in hex, or a repository's commit and changes; "" for nothing
	asHead bool   // it is what HEAD has there
}

// hashChanges hashes what is on disk at the changed paths, which must be
// sorted, leaving out what is there as in HEAD. Each record is mode, sum and
// path, with a NUL after each: none of the three can hold one.
func hashChanges(ctx context.Context, l Lane, changes []change) (string, error) {
	found := make([]content, len(changes))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range changes {
		group.Go(func() (err error) {
			if found[i], err = readContent(gctx, l, c); err != nil {
				err = fmt.Errorf("hash changes: %w", err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	sum := sha256.New()
	for i, c := range changes {
		if !found[i].asHead {
			fmt.Fprintf(sum, "%s\x00%s\x00%s\x00", found[i].mode, found[i].sum, c.path)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// readContent reads what is on disk at a changed path. The bytes are taken as
// they are, since they are what gets built; git's filters do not run. A path
// that has gone is absent. One that cannot be read is told apart by that
// alone: the build, run by the same user, cannot read it either.
func readContent(ctx context.Context, l Lane, c change) (content, error) {
	path := filepath.Join(l.Root, c.path)
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return readNested(ctx, path, c)
	case err == nil && info.Mode().IsRegular():
		var got content
		if got, err = hashFile(ctx, path, c); err == nil {
			return got, nil
		}
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		var target string
		if target, err = os.Readlink(path); err == nil {
			return sumLink(target, c), nil
		}
	case err == nil:
		return content{mode: special}, nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), replaced(err):
		return content{mode: absent, asHead: c.headMode == absent}, nil
	case errors.Is(err, fs.ErrPermission):
		return content{mode: unreadable}, nil
	}
	return content{}, err
}

// replaced reports whether an error comes of a path that turned into something
// of another kind between lstat and open: a link, no link, a directory.
func replaced(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EISDIR)
}

// readNested reads a submodule or a repository within the lane: its commit and
// its own changes. Any other directory holds nothing that git has a name for;
// it stands where a file was.
func readNested(ctx context.Context, path string, c change) (content, error) {
	nested, err := laneAt(path)
	if err != nil {
		return content{mode: absent, asHead: c.headMode == absent}, nil
	}
	st, err := ReadState(ctx, nested)
	if err != nil {
		return content{}, err
	}
	same := c.headMode == gitlink && c.headID == st.Commit && !st.Dirty
	return content{mode: gitlink, sum: st.Commit + "+" + st.Changes, asHead: same}, nil
}

// hashFile reads a file once, whatever its size, in bounded memory.
func hashFile(ctx context.Context, path string, c change) (content, error) {
	// A link or a FIFO may have taken its place: follow none, wait for none.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return content{}, err
	}
	got := content{mode: regular}
	if info.Mode()&modeExecute != 0 {
		got.mode = executable
	}
	sum, blob := sha256.New(), blobHash(c.headID, info.Size())
	if _, err := io.Copy(io.MultiWriter(sum, blob), untilDone{ctx, f}); err != nil {
		return content{}, err
	}
	got.sum = hex.EncodeToString(sum.Sum(nil))
	got.asHead = got.mode == c.headMode && c.headID == hex.EncodeToString(blob.Sum(nil))
	return got, nil
}

// sumLink hashes the target of a symbolic link.
func sumLink(target string, c change) content {
	sum, blob := sha256.Sum256([]byte(target)), blobHash(c.headID, int64(len(target)))
	io.WriteString(blob, target)
	same := c.headMode == symlink && c.headID == hex.EncodeToString(blob.Sum(nil))
	return content{mode: symlink, sum: hex.EncodeToString(sum[:]), asHead: same}
}

// blobHash returns the hash with which git names content of a size, of the
// kind that made id, begun.
func blobHash(id string, size int64) hash.Hash {
	h := sha1.New()
	if len(id) > hexSHA1 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}
