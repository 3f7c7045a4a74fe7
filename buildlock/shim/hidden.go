package shim

import (
	"path/filepath"
	"strings"
)

// hidden says whether the compiler would not find our linker shim, or not what
// it would find without it: its options say so; there is no shim of that name;
// clang, which looks for linkers by names with the target in front; a real mold
// that `mold -run` puts in the place of whatever linker is executed; a linker in
// the caller's own part of COMPILER_PATH.
func (l *look) hidden(call Call) bool {
	mold, under := Lookup(l.Env, "MOLD_PATH")
	return call.Hidden || under && !IsShims(mold[:max(0, strings.LastIndexByte(mold, '/'))]) ||
		executable(string(l.home)+"/"+call.Linker) != nil || l.clang() || l.ownLinker(call.Linker)
}

// clang says whether the compiler is one, whatever it is called by.
func (l *look) clang() bool {
	if strings.Contains(base(l.Path), "clang") {
		return true
	}
	if !strings.HasSuffix(l.Tool, "cc") && !strings.HasSuffix(l.Tool, "c++") { // gcc and g++ are what they say
		return false
	}
	to, err := filepath.EvalSymlinks(l.Path)
	return err == nil && strings.Contains(base(to), "clang")
}

// ownLinker says whether a directory of COMPILER_PATH that is not ours has a
// linker: one before ours comes first, and collect2 looks for a real-ld in all
// of them before it looks for ld in any.
func (l *look) ownLinker(name string) bool {
	list, _ := Lookup(l.Env, "COMPILER_PATH")
	if list == "" {
		return false
	}
	ours := false
	for dir := range strings.SplitSeq(list, ":") {
		switch {
		case IsShims(dir):
			ours = true
		case executable(dir+"/real-ld") == nil, executable(dir+"/collect-ld") == nil, !ours && executable(dir+"/"+name) == nil:
			return true
		}
	}
	return false
}
