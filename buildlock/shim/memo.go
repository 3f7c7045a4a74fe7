package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// memoPrefix begins the names of files that hold what a program's content is,
// by which file it was and when that last changed.
const memoPrefix = ".id-"

// programID is the content of the program, as a hash. Reading megabytes costs
// more than everything else that a gpuci does before a build, so the answer is
// kept beside the directories, for the very file: the kernel sets the time of
// its last change, and nobody sets that back.
func (in Install) programID(parent string) (string, error) {
	info, err := os.Stat(in.Program)
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return contentID(in.Program)
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %v %v", in.Program, st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim))
	memo := filepath.Join(parent, memoPrefix+hex.EncodeToString(key[:8]))
	if id, err := os.ReadFile(memo); err == nil && len(id) == 2*sha256.Size {
		return string(id), nil
	}
	id, err := contentID(in.Program)
	if err != nil {
		return "", err
	}
	if again, err := os.Stat(in.Program); err == nil && os.SameFile(info, again) && again.ModTime().Equal(info.ModTime()) {
		keep(memo, id)
	}
	return id, nil
}

// keep writes a memo, whole or not at all. That it could not be written costs
// time and nothing else.
func keep(path, text string) {
	f, err := os.CreateTemp(filepath.Dir(path), unfinished)
	if err != nil {
		return
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err != nil || cerr != nil || os.Rename(f.Name(), path) != nil {
		_ = os.Remove(f.Name())
	}
}
