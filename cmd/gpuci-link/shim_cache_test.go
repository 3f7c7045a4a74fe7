//go:build linux

package main_test

import (
	"os"
	"strings"
	"testing"

	"gpuci/buildlock/shim"
)

// upgraded is a compiler whose next version makes other code of the same
// preprocessed source, with a cache in front of it.
type upgraded struct {
	rig
	real string // the compiler's directory
}

const cacheSource = "int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * i; return s; }\n"

func newUpgraded(t *testing.T, cache string) *upgraded {
	t.Helper()
	shimNeeds(t, "gcc")
	launcher := shimNeeds(t, cache)
	dir := t.TempDir()
	u := &upgraded{real: dir + "/real"}
	u.version(t, "-O0")
	masquerade := dir + "/masquerade"
	if err := os.MkdirAll(masquerade, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(launcher, masquerade+"/gcc"); err != nil {
		t.Fatal(err)
	}
	u.rig = rigOver(t, u.real+":/usr/bin:/bin")
	u.env = append(u.env, "MASQUERADE="+masquerade, "CCACHE_DIR="+dir+"/ccache", "CACHE="+launcher, "SCCACHE_DIR="+dir+"/sccache")
	shimFile(t, u.dir+"/a.c", cacheSource)
	return u
}

// version replaces the compiler's file, as a package manager does.
func (u *upgraded) version(t *testing.T, level string) {
	t.Helper()
	file := shimFile(t, u.real+"/new", "#!/bin/sh\nexec "+shimNeeds(t, "gcc")+" "+level+" \"$@\"\n")
	if err := os.Rename(file, u.real+"/gcc"); err != nil {
		t.Fatal(err)
	}
}

// stale compiles by cc, which is a line of sh, with an old and then with a new
// compiler, and says whether the new one's object is the old one's.
func (u *upgraded) stale(t *testing.T, cc string) bool {
	t.Helper()
	u.version(t, "-O0")
	u.must(t, cc+" -c a.c -o old.o && "+cc+" -c a.c -o again.o && cmp old.o again.o")
	u.version(t, "-O3")
	u.must(t, cc+" -c a.c -o new.o && "+u.real+"/gcc -c a.c -o want.o && ! cmp -s old.o want.o")
	if status, _ := u.run(t, "cmp -s new.o want.o"); status == 0 {
		return false
	}
	u.must(t, "cmp new.o old.o")
	return true
}

// TestShimCCache: after an upgrade of the compiler no way to call ccache gives
// an old object; without the check that our environment sets, one does.
func TestShimCCache(t *testing.T) {
	u := newUpgraded(t, "ccache")
	for _, c := range []struct {
		name, cc string
		stale    bool
	}{
		{"by its path", "$CACHE gcc", false},
		{"by its path, without our check", "env -u CCACHE_COMPILERCHECK $CACHE gcc", true},
		{"by its name", "ccache gcc", false},
		{"by its path, over a masquerade", "PATH=" + u.shims.Path + ":$MASQUERADE:" + u.real + ":/usr/bin:/bin $CACHE gcc", false},
		{"as a masquerade", "PATH=" + u.shims.Path + ":$MASQUERADE:" + u.real + ":/usr/bin:/bin gcc", false},
		{"in front of the shim's path", "$CACHE " + u.shims.Path + "/gcc", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			u.env = append(u.env, "CCACHE_DIR="+t.TempDir())
			if got := u.stale(t, c.cc); got != c.stale {
				t.Errorf("stale %v, want %v", got, c.stale)
			}
		})
	}
	if got := u.links(t); got != "" {
		t.Errorf("compiles took tickets: %s", got)
	}
}

// TestShimCCacheKeys: a ccache called by its name, and one that stands under
// the compiler's name, share their entries with a bare build.
func TestShimCCacheKeys(t *testing.T) {
	u := newUpgraded(t, "ccache")
	bare := rig{dir: u.dir, env: shim.Bare(u.env)}
	bare.must(t, "ccache gcc -c a.c -o a.o")
	u.must(t, "ccache gcc -c a.c -o a.o")
	u.must(t, "PATH="+u.shims.Path+":$MASQUERADE:"+u.real+":/usr/bin:/bin; gcc -c a.c -o a.o")
	stats := bare.must(t, "ccache --print-stats")
	for _, want := range []string{"cache_miss\t1\n", "direct_cache_hit\t2\n"} {
		if !strings.Contains(stats, want) {
			t.Errorf("no %q in\n%s", want, stats)
		}
	}
}

// TestShimCacheLinks: for a link the cache is left out.
func TestShimCacheLinks(t *testing.T) {
	for _, cache := range []string{"ccache", "sccache"} {
		t.Run(cache, func(t *testing.T) {
			u := newUpgraded(t, cache)
			shimFile(t, u.dir+"/m.c", shimMain)
			u.must(t, "gcc -c m.c -o m.o")
			path := "PATH=" + u.shims.Path + ":$MASQUERADE:" + u.real + ":/usr/bin:/bin; "
			for line, want := range map[string]string{
				cache + " gcc m.o -o x": cache + " ticket", path + "gcc m.o -o x": "gcc ticket",
				cache + " gcc m.c -o x": "ld ticket", path + "gcc m.c -o x": "ld ticket",
			} {
				port, used := freePort(t)
				u.must(t, line, "SCCACHE_SERVER_PORT="+port)
				if used() {
					t.Errorf("%s started a server", line)
				}
				if got := u.links(t); got != want {
					t.Errorf("%s: %q, want %q", line, got, want)
				}
			}
		})
	}
}
