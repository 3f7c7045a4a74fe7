package worktrees

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lfsPointer begins every pointer that stands for a file kept by Git LFS
// (github.com/git-lfs/git-lfs, docs/spec.md), which is less than 1024 bytes long.
const (
	lfsPointer = "version https://git-lfs.github.com/spec/v1\n"
	lfsLongest = 1024
	lfsNamed   = 3 // paths named in a note
)

// describePointers adds a note on files that a checkout has as LFS pointers: a
// gate that reads them reads some lines of text. Only a repository with an
// attribute filter=lfs is looked through.
func (s *Scratch) describePointers(l Lane, tracked []trackedPath, prefix string) error {
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	if !usesLFS(root, l, tracked) {
		return nil
	}
	var named []string
	count := 0
	for _, t := range tracked {
		if t.skipped || t.mode == symlink || t.mode == gitlink || !isPointer(root, t.path) {
			continue
		}
		if count++; count <= lfsNamed {
			named = append(named, fmt.Sprintf("%q", prefix+t.path))
		}
	}
	if count > 0 {
		more := ""
		if count > lfsNamed {
			more = ", …"
		}
		s.remark("%d files are LFS pointers, not their content: %s%s (git lfs pull in a lane, with its filter installed, brings it)", count, strings.Join(named, ", "), more)
	}
	return nil
}

// usesLFS says whether some .gitattributes name the filter.
func usesLFS(root *os.Root, l Lane, tracked []trackedPath) bool {
	if data, err := os.ReadFile(filepath.Join(l.CommonDir, "info", "attributes")); err == nil && namesLFS(data) {
		return true
	}
	for _, t := range tracked {
		if t.path != ".gitattributes" && !strings.HasSuffix(t.path, "/.gitattributes") {
			continue
		}
		if data, err := root.ReadFile(t.path); err == nil && namesLFS(data) {
			return true
		}
	}
	return false
}

func namesLFS(attributes []byte) bool { return bytes.Contains(attributes, []byte("filter=lfs")) }

// isPointer says whether a file on disk is a pointer.
func isPointer(root *os.Root, path string) bool {
	info, err := root.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < int64(len(lfsPointer)) || info.Size() >= lfsLongest {
		return false
	}
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(lfsPointer))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == lfsPointer
}
