package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/reaper/proc/stuckfs"
	"gpuci/worktrees"
)

// Who opens a shared directory whose server is dead can be told to end.
func TestSpoolOfDeadServer(t *testing.T) {
	fs, err := stuckfs.Mount(t)
	if err != nil {
		needsTool(t, err.Error())
	}
	fs.Silence()
	cfg := &config.Config{}
	cfg.Slurm.Shared = fs.Dir
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	a := &app{console: newConsole(testOut{t})}
	_, err = a.openSpool(ctx, cfg, worktrees.Lane{}, "night-1", nil, nightFlags{})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("opened: %v", err)
	}
}
