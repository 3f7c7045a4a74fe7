package local

import (
	"context"
	"path/filepath"
	"testing"

	"gpuci/ci/executor"
	"gpuci/ci/executor/executortest"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// TestContract: what every executor promises.
func TestContract(t *testing.T) {
	executortest.Contract(t, func(t *testing.T) string { return t.TempDir() }, open)
}

func open(t *testing.T, s *executortest.Stage) executor.Executor {
	return New(context.Background(), Options{
		Here: s.Here, Dir: filepath.Join(filepath.Dir(s.Out), "scratch"), For: "test", Note: func(text string) { t.Log(text) },
		Prepare: func(_ worktrees.Lane, cfg *config.Config, _ config.Gate) (gates.Options, error) {
			return gates.Options{State: s.State, Workspace: cfg, History: s.Past, Version: "test"}, nil
		},
	})
}
