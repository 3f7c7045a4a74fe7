//go:build linux

package main_test

import (
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/buildlock/shim"
)

// project is one build system's turn in the matrix.
type project struct {
	archive   string            // in testdata/matrix
	tools     []string          // without which it cannot be shown
	files     map[string]string // written on top of the archive
	env       []string          // on top of the environment, bare and through
	behind    []string          // directories first on the PATH, but behind the shims
	front     []string          // and in front of them
	configure []string          // once, bare; none when nil
	build     []string
	clean     []string
	products  []string // patterns of what must be the same, byte for byte
	did       string   // what a build prints only when it does something
	links     int      // that one lane makes
	probes    bool     // and more, as it comes, to try its tools out
	copies    bool     // every build copies the products anew out of a cache
}

// lanes is a project laid out twice, with the sums of what a bare build made.
type lanes struct {
	project
	dirs []string
	sums map[string][sha256.Size]byte
}

// show has both lanes build at once, bare and through the shims with one link
// at a time, and holds the two against each other. The long form then does it
// with two at a time.
func (p project) show(t *testing.T) {
	t.Helper()
	p.showSlots(t, soak())
}

func (p project) showSlots(t *testing.T, two bool) {
	t.Helper()
	l := p.lay(t)
	one := newLock(t, l.base(), 1)
	l.idle(t, one) // bare, and now through the shims
	l.through(t, one)
	l.idle(t, lock{env: l.base()}) // and back
	if two {
		l.through(t, newLock(t, l.base(), 2))
	}
}

// base is what the shims are put in front of.
func (p project) base() []string { return onPath(bareEnv(), p.behind) }

// environ is the whole environment of a build.
func (p project) environ(l lock) []string {
	return append(onPath(l.env, p.front), p.env...)
}

// onPath puts directories in front of the PATH of an environment.
func onPath(env, dirs []string) []string {
	list, _ := shim.Lookup(env, "PATH")
	path := append(slices.Clone(dirs), filepath.SplitList(list)...)
	return shim.With(env, "PATH", strings.Join(path, string(filepath.ListSeparator)))
}

// lay builds the lanes bare. Where no two linkers were ever alive at once the
// test would show nothing, and fails.
func (p project) lay(t *testing.T) *lanes {
	t.Helper()
	needTools(t, p.tools...)
	l := &lanes{project: p, dirs: []string{lay(t, p.archive), lay(t, p.archive)}}
	for _, dir := range l.dirs {
		for name, text := range p.files {
			write(t, filepath.Join(dir, name), text)
		}
		if p.configure != nil {
			begin(t, dir, p.environ(lock{env: p.base()}), p.configure...).wait(t)
		}
	}
	l.rebuild(t, lock{env: l.base()}).wantAtLeast(t, 2)
	l.sums = l.hash(t)
	return l
}
