package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gpuci/ci/slurm/slurmtest"
)

// withSlurm gives a script a Slurm of its own, and $SHARED, a directory that its nodes see;
// its queue must be empty at the script's end.
func withSlurm(t *testing.T, env *testscript.Env) {
	rig := slurmtest.Start(t, slurmtest.Options{})
	for _, kv := range rig.Env() {
		name, value, _ := strings.Cut(kv, "=")
		env.Setenv(name, value)
	}
	env.Setenv("SHARED", rig.Shared)
	locks := filepath.Join(env.WorkDir+"-home", "locks")
	if err := os.MkdirAll(rig.Shared, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GPUCI_LOCK_DIR": locks, "GPUCI_MACHINE_FILE": "/dev/null"} {
		if err := rig.NodeEnv(name, value); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { rig.MustBeEmpty(t) }) // once what the script has in the background is gone
}
