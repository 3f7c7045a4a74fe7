//go:build linux

package main_test

import (
	"net"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"gpuci/buildlock/shim"
)

// TestShimSCCache is TestShimCCache for sccache. What we can set for it is a
// text that is made with the environment: an environment made before the
// upgrade gives the old object, and that is what the documents say.
func TestShimSCCache(t *testing.T) {
	u := newUpgraded(t, "sccache")
	again := func(cc string) string { return "SCCACHE_C_CUSTOM_CACHE_BUSTER=$(cat buster) " + cc }
	for _, c := range []struct {
		name, cc string
		stale    bool
	}{
		{"by its path, environment made anew", again("$CACHE gcc"), false},
		{"by its path, environment from before", "$CACHE gcc", true},
		{"by its name", "sccache gcc", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := *u
			u.env = append(u.env[:len(u.env):len(u.env)], "SCCACHE_DIR="+t.TempDir())
			defer u.serve(t)()
			if got := u.staleAnew(t, c.cc); got != c.stale {
				t.Errorf("stale %v, want %v", got, c.stale)
			}
		})
	}
}

// freePort is a port that nobody listens on, and says later whether that is so.
func freePort(t *testing.T) (port string, used func() bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(address)
	return port, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}
}

// serve starts the server itself, so that it is a child of ours and can be
// ended: a client that finds none starts one that nobody owns.
func (u *upgraded) serve(t *testing.T) (end func()) {
	t.Helper()
	port, used := freePort(t)
	u.env = append(u.env, "SCCACHE_SERVER_PORT="+port)
	cmd := exec.Command(shimNeeds(t, "sccache"))
	cmd.Env = append(u.env[:len(u.env):len(u.env)], "SCCACHE_START_SERVER=1", "SCCACHE_NO_DAEMON=1", "SCCACHE_IDLE_TIMEOUT=60")
	cmd.Dir = u.dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for deadline := time.Now().Add(time.Minute); !used(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			end()
			t.Fatal("the sccache server does not listen")
		}
	}
	return end
}

// staleAnew is stale with the file "buster" made as a new environment has it.
func (u *upgraded) staleAnew(t *testing.T, cc string) bool {
	t.Helper()
	buster := regexp.MustCompile(`^SCCACHE_C_CUSTOM_CACHE_BUSTER=(.*)`)
	note := func() {
		for _, e := range u.shims.Environ(shim.Bare(u.env), shim.Values{}) {
			if m := buster.FindStringSubmatch(e); m != nil {
				shimFile(t, u.dir+"/buster", m[1])
			}
		}
	}
	u.version(t, "-O0")
	note()
	u.must(t, cc+" -c a.c -o old.o")
	u.version(t, "-O3")
	note()
	u.must(t, cc+" -c a.c -o new.o && "+u.real+"/gcc -c a.c -o want.o && ! cmp -s old.o want.o")
	status, _ := u.run(t, "cmp -s new.o want.o")
	return status != 0
}
