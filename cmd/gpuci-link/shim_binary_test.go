//go:build linux

package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// shimProgram builds gpuci-link once, beside the test binary: go test removes
// that directory.
var shimProgram = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), "gpuci-link")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// rig is a directory of real shims with a link lock of its own.
type rig struct {
	dir   string // to work in
	locks string
	log   string
	shims shim.Directory
	env   []string
}

// rigOver makes shims for what is in path, a list of directories.
func rigOver(t *testing.T, path string, more ...string) rig {
	t.Helper()
	program, err := shimProgram()
	if err != nil {
		t.Fatalf("build gpuci-link: %v", err)
	}
	dir := t.TempDir()
	r := rig{dir: dir, locks: dir + "/locks", log: dir + "/links"}
	shimFile(t, r.log, "")
	base := append([]string{"PATH=" + path, "HOME=" + dir, "LANG=C", "TMPDIR=" + dir}, more...)
	if err := buildlock.SetLinks(r.locks, 1); err != nil {
		t.Fatal(err)
	}
	in := shim.Install{Program: program, Env: base, Base: dir + "/shims"}
	in.LockDir = r.locks
	if r.shims, err = in.Make(); err != nil {
		t.Fatal(err)
	}
	r.env = r.shims.Environ(base, shim.Values{LockDir: r.locks, Log: r.log})
	return r
}

// shimRig makes shims for this machine's tools, of which these are needed.
func shimRig(t *testing.T, tools ...string) rig {
	t.Helper()
	for _, tool := range tools {
		shimNeeds(t, tool)
	}
	path, _ := shim.Lookup(shim.Bare(os.Environ()), "PATH")
	return rigOver(t, path)
}

func shimNeeds(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	switch {
	case err == nil:
		return path
	case os.Getenv("GPUCI_TEST_STRICT") == "1":
		t.Fatalf("needs %s: %v", tool, err)
	}
	t.Skip("needs " + tool)
	return ""
}

func shimFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a command line of sh in the rig with more variables, and gives its
// exit status and what it wrote.
func (r rig) run(t *testing.T, line string, more ...string) (status int, out string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Dir = r.dir
	cmd.Env = append(r.env[:len(r.env):len(r.env)], more...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", line, err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// must is run for what has to succeed.
func (r rig) must(t *testing.T, line string, more ...string) string {
	t.Helper()
	status, out := r.run(t, line, more...)
	if status != 0 {
		t.Fatalf("%s: exit status %d: %s", line, status, out)
	}
	return out
}

// links gives what the shims noted since the last time: "gcc ticket".
func (r rig) links(t *testing.T) string {
	t.Helper()
	events, err := buildlock.ReadLinkLog(r.log)
	if err != nil {
		t.Fatal(err)
	}
	shimFile(t, r.log, "")
	var out []string
	for _, e := range events {
		out = append(out, e.Tool+" "+e.Outcome)
	}
	return strings.Join(out, ", ")
}
