package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// newGoStage is a shell's stage with a module, and the test's own build cache.
func newGoStage(t *testing.T) stage {
	t.Helper()
	s := newShellStage(t, "go")
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(shim.Without(s.env, shim.GoFlagsVar), "GOCACHE="+strings.TrimSpace(string(cache)), "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	s.write(t, "go.mod", "module x\n\ngo 1.21\n")
	s.write(t, "main.go", "package main\n\nfunc main() {}\n")
	return s
}

// Go's own linker queues whoever calls go: gpuci build itself, a script below
// it, a gate's script, a shell that evaluated gpuci env.
func TestGoLinks(t *testing.T) {
	t.Parallel()
	s := newGoStage(t)
	for _, argv := range [][]string{{"go", "build", "-o", "x"}, {"sh", "-c", "go vet . && go list -export . && go build -o x"}, {"env", "-u", "PATH", "PATH=/usr/bin:/bin", real(t, goProgram(t)), "build", "-o", "x"}} {
		_ = os.Remove(filepath.Join(s.dir, "x"))
		if code, _, stderr := s.run(t, append([]string{"build", "--"}, argv...)...); code != 0 || !strings.Contains(stderr, "gpuci: 1 link under a ticket, none seen without") {
			t.Errorf("%q: exit %d, %s", argv, code, stderr)
		}
	}
	log := filepath.Join(s.dir, "log")
	s.write(t, "log", "")
	cmd := exec.Command("bash", "--norc", "-euc", `eval "$(gpuci env)"; GPUCI_LINK_LOG=$PWD/log go build -o shell; eval "$(gpuci env --unset)"; go build -o bare; cmp shell bare`)
	cmd.Dir, cmd.Env = s.dir, s.env
	code, _, stderr := runCommand(t, cmd)
	if events, err := buildlock.ReadLinkLog(log); code != 0 || err != nil || len(events) != 1 || events[0].Outcome != buildlock.Ticketed || events[0].Tool != "link" {
		t.Errorf("a shell: exit %d, %+v, %v, %s", code, events, err, stderr)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nbuild = 'go build -o gated'\nrun = ['./gated']\nreader = 'none'\n")
	if code, v, stderr := s.verdict(t); code != 0 || v.Links == nil || v.Links.Ticketed != 1 {
		t.Errorf("a gate: exit %d, %+v, %s", code, v.Links, stderr)
	}
}

func goProgram(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		needsTool(t, "go")
	}
	return path
}

// What GOFLAGS was before stands in it, and is what --unset leads back to.
func TestEnvGoFlags(t *testing.T) {
	for name, c := range map[string]struct {
		flags []string // of the environment
		file  string   // of go env -w
		want  string   // before ours
	}{
		"none":             {nil, "", ""},
		"the user's":       {[]string{"GOFLAGS=-v -mod=mod"}, "", "-v -mod=mod"},
		"go env -w":        {nil, "GOFLAGS=-buildvcs=false\n", "-buildvcs=false"},
		"both":             {[]string{"GOFLAGS=-v"}, "GOFLAGS=-buildvcs=false\n", "-v"},
		"empty, go env -w": {[]string{"GOFLAGS="}, "GOFLAGS=-buildvcs=false\n", "-buildvcs=false"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newGoStage(t)
			s.env = append(s.env, c.flags...)
			if err := os.Mkdir(filepath.Join(s.dir, "../home/go"), 0o755); err != nil {
				t.Fatal(err)
			}
			s.write(t, "../home/go/env", c.file)
			cmd := exec.Command("bash", "--norc", "-euc", `go env GOFLAGS; eval "$(gpuci env)"; go env GOFLAGS; eval "$(gpuci env)"; go env GOFLAGS; eval "$(gpuci env --unset)"; go env GOFLAGS`)
			cmd.Dir, cmd.Env = s.dir, s.env
			code, stdout, stderr := runCommand(t, cmd)
			var got []string
			for line := range strings.Lines(stdout) {
				flags, _, ours := strings.Cut(strings.TrimSpace(line), "-toolexec=")
				got = append(got, strings.TrimSpace(flags)+map[bool]string{true: " and ours"}[ours])
			}
			if diff := cmp.Diff([]string{c.want, c.want + " and ours", c.want + " and ours", c.want}, got); diff != "" || code != 0 {
				t.Errorf("exit %d (-want +got): %s%s", code, diff, stderr)
			}
		})
	}
}
