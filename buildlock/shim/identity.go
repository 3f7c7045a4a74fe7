package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Identity tells which compiler stands behind path, for a cache's own check:
// the real tool's path, size, mtime and ctime when path is a shim, those of
// the file itself when it is none. The ctime moves also when an upgrade keeps
// size and mtime. With byContent it is a hash of the real file.
func Identity(path string, env []string, home Home, byContent bool) (string, error) {
	real, err := behind(path, env, home)
	if err != nil {
		return "", err
	}
	if byContent {
		return contentID(real)
	}
	var st unix.Stat_t
	if err := unix.Stat(real, &st); err != nil {
		return "", &os.PathError{Op: "stat", Path: real, Err: err}
	}
	stamp := func(t unix.Timespec) string {
		return strconv.FormatInt(t.Sec, 10) + "." + strconv.FormatInt(t.Nsec, 10)
	}
	return real + " " + strconv.FormatInt(st.Size, 10) + " " + stamp(st.Mtim) + " " + stamp(st.Ctim), nil
}

// behind is the real tool behind a shim, and every other path itself.
func behind(path string, env []string, home Home) (string, error) {
	at := strings.LastIndexByte(path, '/')
	if at >= 0 && !IsShims(path[:at]) {
		return path, nil
	}
	s := newSearch(nil, "")
	s.direct = true
	return s.tool(env, path[at+1:], home)
}

func contentID(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// toolsID is one short text that changes when any compiler behind names does.
func toolsID(names []string, env []string, home Home) string {
	h := sha256.New()
	for _, name := range names {
		if role := RoleOf(name); role != Compiler && role != CUDA {
			continue
		}
		id, err := Identity(name, env, home, false)
		if err == nil {
			_, _ = io.WriteString(h, name+" "+id+"\n")
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
