//go:build linux

package main_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// cached has a compiler cache of the test's own.
func cached(t *testing.T, p project) project {
	p.env = append(p.env, "CCACHE_DIR="+filepath.Join(t.TempDir(), "ccache"))
	return p
}

// ccacheLinks is where Debian has ccache under the names of compilers.
const ccacheLinks = "/usr/lib/ccache"

func needMasquerade(t *testing.T) {
	t.Helper()
	needTools(t, "ccache")
	if _, err := os.Stat(filepath.Join(ccacheLinks, "gcc")); err != nil {
		needs(t, "ccache's "+ccacheLinks)
	}
}

func TestMatrixCCacheLauncher(t *testing.T) {
	needTools(t, "ccache")
	cached(t, made("CC=ccache gcc")).show(t)
}

func TestMatrixCCacheAbsolute(t *testing.T) {
	ccache, err := lookPath(bareEnv(), "ccache")
	if err != nil {
		needs(t, "ccache")
	}
	cached(t, made("CC="+ccache+" gcc")).show(t)
}

func TestMatrixCCacheBehind(t *testing.T) {
	needMasquerade(t)
	p := cached(t, made())
	p.behind = []string{ccacheLinks}
	p.show(t)
}

func TestMatrixCCacheInFront(t *testing.T) {
	needMasquerade(t)
	p := cached(t, made())
	p.front = []string{ccacheLinks}
	p.show(t)
}

// served has an sccache server of the test's own, which is stopped by clean, so
// that the first compile of a build starts it, below the shims: it must not
// have a file of the lock. (This sccache cannot masquerade as a compiler, and
// gives one lane objects with the other's path in them; hence no -g.)
func served(t *testing.T, cc string) project {
	t.Helper()
	needTools(t, "sccache", "bash", "flock")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	p := made("CC="+cc, "CFLAGS=-O1")
	p.env = append(p.env, "SCCACHE_SERVER_PORT="+port, "SCCACHE_DIR="+filepath.Join(t.TempDir(), "sccache"))
	// By the first compile, of one lane: an sccache cannot start two at a time.
	p.build = []string{"bash", "-c", `flock -o "$SCCACHE_DIR.start" make "$@" obj/common.o && exec make -j8 "$@"`, "make", "CC=" + cc, "CFLAGS=-O1"}
	stop := `sccache --stop-server >/dev/null 2>&1; while (exec 3<>/dev/tcp/127.0.0.1/$SCCACHE_SERVER_PORT) 2>/dev/null; do sleep 0.02; done; `
	p.clean = []string{"bash", "-c", stop + "make clean"}
	t.Cleanup(func() { begin(t, ".", append(bareEnv(), p.env...), "bash", "-c", stop).wait(t) })
	return p
}

func TestMatrixSCCacheLauncher(t *testing.T) { served(t, "sccache gcc").show(t) }

func TestMatrixSCCacheAbsolute(t *testing.T) {
	sccache, err := lookPath(bareEnv(), "sccache")
	if err != nil {
		needs(t, "sccache")
	}
	served(t, sccache+" gcc").show(t)
}
