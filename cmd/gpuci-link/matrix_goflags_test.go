//go:build linux

package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"gpuci/buildlock/shim"
)

// plainGo lays a module with one program in dir/sub, and gives an environment
// for building it with a build cache that has what it imports.
func plainGo(t *testing.T, dir string) (env []string) {
	t.Helper()
	write(t, filepath.Join(dir, "sub/go.mod"), "module x\n\ngo 1.21\n")
	write(t, filepath.Join(dir, "sub/main.go"), "package main\n\nfunc main() {}\n")
	env = append(bareEnv(), "GOCACHE="+filepath.Join(dir, "cache"), "GOENV="+filepath.Join(dir, "goenv"), "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	begin(t, dir, bareEnv(), "cp", "-a", warmGo(t), "cache").wait(t)
	return env
}

// TestMatrixGoChangesDirectory: -C has to be the first of go's flags, and go by
// its path is no less a go: each of these links under a ticket.
func TestMatrixGoChangesDirectory(t *testing.T) {
	needTools(t, "go")
	dir := t.TempDir()
	bare := plainGo(t, dir)
	program, err := lookPath(bare, "go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, line string }{
		{"", "go build -C sub -o x1 ."},
		{"", "go -C sub build -o x2 ."},
		{"/usr/bin:/bin", program + " build -C sub -o x3 ."},
		{"/usr/bin:/bin", program + " -C sub build -o x4 ."},
	} {
		base := bare
		if c.path != "" {
			base = shim.With(bare, "PATH", c.path)
		}
		l := newLock(t, base, 1)
		env := shim.Directory{Path: l.shims}.CommandEnv(strings.Fields(c.line), l.env, dir, shim.Values{})
		begin(t, dir, env, strings.Fields(c.line)...).wait(t)
		if n := l.tickets(t); n != 1 {
			t.Errorf("%s with PATH=%s: %d links had a ticket", c.line, c.path, n)
		}
	}
}

// TestMatrixGoOwnToolexec: a -toolexec that the user gave go for good, by go env
// -w or on its command line, is the one that runs.
func TestMatrixGoOwnToolexec(t *testing.T) {
	needTools(t, "go")
	dir := t.TempDir()
	bare := plainGo(t, dir)
	own := shimFile(t, filepath.Join(dir, "own"), "#!/bin/sh\necho \"${1##*/}\" >>"+dir+"/ran\nexec \"$@\"\n")
	for _, c := range []struct{ setting, line string }{
		{"GOFLAGS=-toolexec=" + own, "go build -C sub -o y1 ."},
		{"GOFLAGS=-p=1", "go build -C sub -toolexec=" + own + " -o y2 ."},
	} {
		begin(t, dir, bare, "go", "env", "-w", c.setting).wait(t)
		write(t, filepath.Join(dir, "ran"), "")
		l := newLock(t, bare, 1)
		env := shim.Directory{Path: l.shims}.CommandEnv(strings.Fields(c.line), l.env, dir, shim.Values{})
		begin(t, dir, env, strings.Fields(c.line)...).wait(t)
		if ran := readAll(t, filepath.Join(dir, "ran")); !strings.Contains(ran, "link\n") || l.tickets(t) != 0 {
			t.Errorf("%s, %s: the user's own ran for %q, and %d links had a ticket", c.setting, c.line, ran, l.tickets(t))
		}
	}
}
