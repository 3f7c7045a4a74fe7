package main

import (
	"context"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// historyOptions say where a workspace's history is.
func (a *app) historyOptions(cfg *config.Config, lane worktrees.Lane) (o history.Options) {
	o.State = gates.HistoryDir(lane, cfg.Root)
	o.Index = gates.IndexDir(o.State)
	o.Note = a.console.note
	return o
}

// openHistory opens it for a command that only reads.
func (a *app) openHistory(ctx context.Context, cfg *config.Config, lane worktrees.Lane) (*history.Store, error) {
	s, err := history.Open(ctx, a.historyOptions(cfg, lane))
	if err != nil {
		return nil, coded{exitUnfit, err.Error(), "gpuci doctor says what is wrong"}
	}
	return s, nil
}
