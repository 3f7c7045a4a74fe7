package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gpuci/kernels/device/devicetest"
)

func TestMain(m *testing.M) {
	devicetest.Child()
	if playsShim(os.Args[0]) { // a script's gpuci has no gpuci-link beside it
		main()
	}
	if size := os.Getenv("GPUCI_BENCH_FLOOD"); size != "" {
		flood(size)
		return
	}
	testscript.Main(suite{m}, map[string]func(){
		"gpuci": func() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the whole commands in testdata/script; each says in its
// first lines what it guards.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
			if err := isolate(env); err != nil {
				return err
			}
			if err := choose(env, name); err != nil {
				return err
			}
			switch {
			case strings.HasPrefix(name, "gpu"):
				withCard(t, env)
			case strings.HasPrefix(name, "trace"):
				withCUDA(t, env)
			case strings.HasPrefix(name, "slurm"):
				withSlurm(t, env)
			}
			return nil
		},
		Cmds:      scriptCommands(),
		Condition: condition,
	})
}

// isolate keeps the machine's and the user's own settings out of a script. Its home
// is beside its directory: that is a workspace in many, and whatever is not committed
// in one is read by each gate, the shims in a home too.
func isolate(env *testscript.Env) error {
	home := env.WorkDir + "-home"
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	env.Defer(func() { _ = os.RemoveAll(home) })
	if err := os.WriteFile(filepath.Join(home, "machine.toml"), nil, 0o644); err != nil {
		return err
	}
	quiet := filepath.Join(home, "pressure") // the machine may be under any while tests run
	if err := writePressure(quiet, 0); err != nil {
		return err
	}
	data, err := filepath.Abs("../../kernels/testdata")
	if err != nil {
		return err
	}
	env.Setenv("KERNELS", data)
	if c, err := toolNVCC(); err == nil {
		env.Setenv("NVCC", c.Path)
	}
	for k, v := range map[string]string{
		"GPUCI_PRESSURE": "root=" + quiet,
		"GORACE":         cmp.Or(os.Getenv("GORACE"), "atexit_sleep_ms=20"), // it is a second else, at the end of every gpuci
		"HOME":           home, "XDG_CONFIG_HOME": home + "/.config", "XDG_STATE_HOME": home + "/.state",
		"GPUCI_MACHINE_FILE":  home + "/machine.toml",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
		"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t",
	} {
		env.Setenv(k, v)
	}
	for _, k := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "CARGO_HOME", "RUSTUP_HOME"} {
		if v := toolEnv(k); v != "" {
			env.Setenv(k, v)
		}
	}
	return nil
}
