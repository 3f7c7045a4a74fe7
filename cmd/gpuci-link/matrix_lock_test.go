//go:build linux

package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// lock is a link lock of the test's own, with the environment that has builds
// queue for it.
type lock struct {
	dir   string
	slots int
	env   []string
	shims string // their directory
	log   string // a line about each link a shim saw
}

func newLock(t *testing.T, base []string, slots int) lock {
	t.Helper()
	l := lock{dir: filepath.Join(t.TempDir(), "locks"), slots: slots, log: filepath.Join(t.TempDir(), "links.jsonl")}
	if err := buildlock.SetLinks(l.dir, slots); err != nil {
		t.Fatal(err)
	}
	write(t, l.log, "")
	l.shims, l.env = shimmed(t, base, shim.Values{LockDir: l.dir, Log: l.log, Wait: patience})
	return l
}

// shimmed puts shims for the tools of an environment in front of it.
func shimmed(t *testing.T, base []string, v shim.Values) (shims string, env []string) {
	t.Helper()
	path, err := shimProgram()
	if err != nil {
		t.Fatal(err)
	}
	d, err := shim.Install{Program: path, Env: base, Base: filepath.Join(filepath.Dir(path), "shims")}.Make()
	if err != nil {
		t.Fatal(err)
	}
	return d.Path, d.Environ(base, v)
}

// tickets counts the links that the shims say they had one for.
func (l lock) tickets(t *testing.T) int {
	t.Helper()
	events, err := buildlock.ReadLinkLog(l.log)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Outcome == buildlock.Ticketed {
			n++
		}
	}
	return n
}

// wantUnheld fails the test when a process that outlives its build (a compiler
// cache's server) has a file of the lock open: it would keep a slot for ever.
func (l lock) wantUnheld(t *testing.T, pid int) {
	t.Helper()
	fds, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
	for _, fd := range fds {
		if path, err := os.Readlink(fd); err == nil && l.dir != "" && strings.HasPrefix(path, l.dir+"/") {
			exe, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
			t.Errorf("%s (pid %d) outlives the build and has %s open", exe, pid, path)
		}
	}
}

// steers are the variables of whoever runs the tests that would have a build
// do something else than the test means.
var steers = []string{"COMPILER_PATH", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CC", "CXX", "LD", "CFLAGS", "LDFLAGS", "GOFLAGS",
	"RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET"}

// bareEnv is the environment of the test without gpuci in it, also when the
// tests themselves are run through it.
func bareEnv() []string {
	env := slices.DeleteFunc(shim.Bare(os.Environ()), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(steers, name) || strings.HasPrefix(name, "GPUCI_")
	})
	return append(env, shim.PressureVar+"=off") // whatever the machine is under while the tests run
}
