package worktrees

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// hexSHA256 is the length of the object names of a SHA-256 repository.
const hexSHA256 = 64

// readLeaves says what a commit would hold at each changed path. Files that git
// converts on the way in are left to git; all others are hashed here, which
// needs no second copy of them.
func readLeaves(ctx context.Context, l Lane, width int, records []record) ([]Leaf, error) {
	conversions, err := askConversions(ctx, l, records)
	if err != nil {
		return nil, err
	}
	leaves, converted := make([]Leaf, len(records)), make([]bool, len(records))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range records {
		group.Go(func() (err error) {
			leaves[i], converted[i], err = readLeaf(gctx, l, width, r, conversions[r.path])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var left []record
	for i, r := range records {
		if converted[i] {
			left = append(left, r)
		}
	}
	names, err := convertAndName(ctx, l, left)
	if err != nil {
		return nil, err
	}
	for i, r := range records {
		if converted[i] {
			leaves[i].ID = names[r.path]
		}
	}
	return leaves, settleModes(ctx, l, records, leaves)
}

// readLeaf reads one path. With converted, git has to name the content.
func readLeaf(ctx context.Context, l Lane, width int, r record, c conversion) (leaf Leaf, converted bool, err error) {
	if !r.onDisk {
		return leafOf(r.path, r.mode, r.id), false, nil
	}
	path := filepath.Join(l.Root, r.path)
	leaf = Leaf{Path: r.path, Mode: absent}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		leaf, err = nestedLeaf(ctx, path, r)
	case err == nil && info.Mode().IsRegular():
		leaf.Mode = r.modeOf(info)
		leaf.ID, converted, err = nameFile(ctx, path, width, c)
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		var target string
		target, err = os.Readlink(path)
		leaf.Mode, leaf.ID = symlink, objectID(width, "blob", []byte(target))
	case err == nil:
		leaf.Mode = special
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), replaced(err):
		return Leaf{Path: r.path, Mode: absent}, false, nil
	case errors.Is(err, fs.ErrPermission):
		return Leaf{Path: r.path, Mode: unreadable}, false, nil
	}
	return leaf, converted, err
}

// modeOf is a file's mode. Of a tracked one git has said it: core.fileMode and
// core.symlinks can make that another one than what is on disk.
func (r record) modeOf(info fs.FileInfo) string {
	switch {
	case r.workMode == regular || r.workMode == executable || r.workMode == symlink:
		return r.workMode
	case info.Mode()&modeExecute != 0:
		return executable
	}
	return regular
}

// settleModes takes the executable bit off new files where the repository does
// not keep it. Git is asked only if one has it.
func settleModes(ctx context.Context, l Lane, records []record, leaves []Leaf) error {
	asked := false
	for i := range leaves {
		if records[i].workMode != "" || leaves[i].Mode != executable || !records[i].onDisk {
			continue
		}
		if !asked {
			out, err := runGit(ctx, l, nil, "config", "--type=bool", "core.fileMode")
			if err != nil && exitCode(err) != 1 { // 1: not set, and kept then
				return err
			}
			if strings.TrimSpace(string(out)) != "false" {
				return nil
			}
			asked = true
		}
		leaves[i].Mode = regular
	}
	return nil
}

// nestedLeaf reads a submodule or a repository within the lane. Its own changes
// are in no commit of the lane; the id tells them apart all the same. Any other
// directory stands where a file was.
func nestedLeaf(ctx context.Context, path string, r record) (Leaf, error) {
	nested, err := laneAt(path)
	if err != nil {
		return Leaf{Path: r.path, Mode: absent}, nil
	}
	st, err := ReadState(ctx, nested)
	if err != nil {
		return Leaf{}, err
	}
	leaf := Leaf{r.path, gitlink, st.Commit}
	if st.Dirty {
		leaf.ID += "+" + st.Changes
	}
	return leaf, nil
}

// nameFile returns the blob id of a file's bytes, or says that git converts
// them first: then the id is "".
func nameFile(ctx context.Context, path string, width int, c conversion) (id string, converted bool, err error) {
	if c == always {
		return "", true, nil
	}
	// A link or a FIFO may have taken its place: follow none, wait for none.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	sum := blobHash(strings.Repeat("0", width), info.Size())
	returns := &carriageReturns{}
	// What is appended meanwhile is of later.
	n, err := io.Copy(io.MultiWriter(sum, returns), io.LimitReader(untilDone{ctx, f}, info.Size()))
	switch {
	case err != nil:
		return "", false, err
	case n < info.Size():
		return "", false, fmt.Errorf("read %s: it became shorter meanwhile; ask again", path)
	case c == lineEnds && returns.seen:
		return "", true, nil
	}
	return hex.EncodeToString(sum.Sum(nil)), false, nil
}

// objectID is git's name for an object, as long in hex as width says.
func objectID(width int, kind string, data []byte) string {
	framed := append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...)
	if width == hexSHA256 {
		sum := sha256.Sum256(framed)
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(framed)
	return hex.EncodeToString(sum[:])
}
