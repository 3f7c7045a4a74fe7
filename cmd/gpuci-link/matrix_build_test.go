//go:build linux

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"gpuci/buildlock/shim"
)

// lay writes a project of testdata/matrix into a directory of its own.
func lay(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "matrix", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// needTools skips the test when one of them is not on the PATH.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			needs(t, tool)
		}
	}
}

// build is a command that has been started.
type build struct {
	cmd  *exec.Cmd
	text bytes.Buffer // stdout and stderr
}

// begin starts a command in dir with the whole of its environment given.
func begin(t *testing.T, dir string, env []string, argv ...string) *build {
	t.Helper()
	path, err := lookPath(env, argv[0])
	if err != nil {
		t.Fatal(err)
	}
	b := &build{cmd: &exec.Cmd{Path: path, Args: argv, Dir: dir, Env: env, WaitDelay: 10 * time.Second}}
	b.cmd.Stdout, b.cmd.Stderr = &b.text, &b.text
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.cmd.Process.Kill() })
	return b
}

// wait returns what the command printed; its failure is the test's.
func (b *build) wait(t *testing.T) string {
	t.Helper()
	if err := b.cmd.Wait(); err != nil {
		t.Fatalf("%q in %s: %v\n%s", b.cmd.Args, b.cmd.Dir, err, b.text.Bytes())
	}
	return b.text.String()
}

// lookPath finds a program as a shell with that environment would: os/exec
// looks on the PATH of the test.
func lookPath(env []string, name string) (string, error) {
	if filepath.Base(name) != name {
		return name, nil
	}
	list, _ := shim.Lookup(env, "PATH")
	for _, dir := range filepath.SplitList(list) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
