package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/nvcc"
)

// goEnv asks the go tool once: scripts run with a home of their own and must
// still find the caches.
var goEnv = sync.OnceValue(func() map[string]string {
	out := make(map[string]string)
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"}
	text, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return out
	}
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		out[names[i]] = line
	}
	return out
})

func toolEnv(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	home, _ := os.UserHomeDir()
	switch name {
	case "CARGO_HOME":
		return filepath.Join(home, ".cargo")
	case "RUSTUP_HOME":
		return filepath.Join(home, ".rustup")
	}
	return goEnv()[name]
}

// strict says that a missing tool is a failure: .ci/run has installed them.
func strict() bool { return os.Getenv("GPUCI_TEST_STRICT") == "1" }

// scriptCommands are the verbs that scripts have beside testscript's own.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits, "edit": edit, "says": says,
		"standin": standin, "guest": guest, "leaves": leaves,
	}
}

// says stdout|stderr REGEXP is about what was printed as if it had no lines: where a line
// ends is decided by how long a pid, a time or a path before it is.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || args[0] != "stdout" && args[0] != "stderr" {
		ts.Fatalf("usage: [!] says stdout|stderr REGEXP")
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	var words []string
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		words = append(words, strings.Fields(strings.TrimPrefix(line, "gpuci: "))...)
	}
	if re.MatchString(strings.Join(words, " ")) == neg {
		ts.Fatalf("%s says %q: %v, and that is not wanted", args[0], re, neg)
	}
}

// exits CODE COMMAND… runs a command and wants that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s exited with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// condition knows tool:NAME, for `[!tool:cargo] skip 'needs cargo'`: where the
// strict variable is set, a missing tool fails the script instead.
func condition(cond string) (bool, error) {
	if cond == "crates" {
		err := crates()
		if err != nil && strict() {
			return false, fmt.Errorf("needs crates.io, and GPUCI_TEST_STRICT is set: %w", err)
		}
		return err == nil, nil
	}
	if cond == "root" {
		return os.Getuid() == 0, nil
	}
	if cond == "nvcc" {
		_, err := toolNVCC()
		if err != nil && strict() {
			return false, fmt.Errorf("needs nvcc, and GPUCI_TEST_STRICT is set: %w", err)
		}
		return err == nil, nil
	}
	if cond == "nvtx" {
		if nvtxHeaders() == "" && strict() {
			return false, errors.New("needs NVTX's header in .cache/cuda, and GPUCI_TEST_STRICT is set")
		}
		return nvtxHeaders() != "", nil
	}
	tool, ok := strings.CutPrefix(cond, "tool:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	_, err := exec.LookPath(tool)
	if err != nil && strict() {
		return false, fmt.Errorf("needs %s, and GPUCI_TEST_STRICT is set", tool)
	}
	return err == nil, nil
}

// toolNVCC finds the compiler of the tests, once, as gpuci does.
var toolNVCC = sync.OnceValues(func() (nvcc.Found, error) {
	var o kernels.Options
	o.Exec, o.Env = (&gates.Compilers{}).Exec, os.Environ()
	found, _, err := kernels.Find(context.Background(), kernels.Set{}, o)
	return found, err
})

// crates says whether the crates that the scripts use can be had, from the
// registry or from what cargo has already.
var crates = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("", "gpuci-crates")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	manifest := "[package]\nname = \"fetch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" +
		"[lib]\npath = \"lib.rs\"\n[dependencies]\nregex = \"1\"\nserde_json = \"1\"\n"
	for name, text := range map[string]string{"Cargo.toml": manifest, "lib.rs": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	cmd := exec.Command("cargo", "fetch")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cargo fetch: %w: %s", err, out)
	}
	return nil
})

// edit FILE OLD NEW replaces text that stands in the file exactly once.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	text := ts.ReadFile(path)
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%q stands in %s %d times, want once", args[1], args[0], n)
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}
