package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/history"
	"gpuci/gates/history/tsv"
	"gpuci/worktrees"
)

// exportFlags are the flags of `gpuci history export`.
type exportFlags struct {
	gate, since string
	json        bool
}

func (a *app) historyExportCommand() *cobra.Command {
	var o exportFlags
	cmd := &cobra.Command{
		Use:   "export",
		Short: "append what is not in the history file for git yet",
		Long: `export appends to the file of [history] tsv a row for each number of each result
that is not in it yet, the oldest first; a result without numbers is one row. It
takes whole runs, in whichever lane, of a commit of this branch with nothing
changed: only these can be looked at again, and a branch's file holds its own. What stands in the file is not touched: it is never
sorted or rewritten. Rows of one run, metric and labels are written once.

With .gitattributes saying "benches/history.tsv merge=union", branches that both
append merge by themselves; gpuci history check says whether a merge lost any.

Examples:
  gpuci history export
  gpuci history export --gate fused-adjoint --since 30d

Exit codes: 0, 4 no file is named in gpuci.toml, 64 usage, 69 the history cannot
be read, or the file is not ours, 78 configuration.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = o.json
			return a.historyExport(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.gate, "gate", "", "results of gate `G` alone")
	f.StringVar(&o.since, "since", "", "of the last `TIME` (30d, 12h) or since a day (2026-11-01)")
	f.BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

// exportLine is the answer in JSON.
type exportLine struct {
	Type    string `json:"type"` // always "export"
	File    string `json:"file"`
	Rows    int    `json:"rows"`    // appended
	Results int    `json:"results"` // looked at
}

func (a *app) historyExport(cmd *cobra.Command, o exportFlags) error {
	since, err := sinceTime(o.since, time.Now())
	if err != nil {
		return err
	}
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	f, err := newTSVFile(cfg, lane)
	if err != nil {
		return err
	}
	if _, ok := cfg.Gate(o.gate); !ok && o.gate != "" {
		return noGate(cfg, o.gate)
	}
	store, err := a.openHistory(cmd.Context(), cfg, lane)
	if err != nil {
		return err
	}
	defer store.Close()
	var of map[string]bool
	if lane.Root != "" && !worktrees.Unborn(cmd.Context(), lane) {
		if of, err = worktrees.History(cmd.Context(), lane, "HEAD"); err != nil {
			return err
		}
	}
	rows, results, err := rowsOf(cmd.Context(), store, history.Query{Gate: o.gate, Since: since}, func(r history.Result) bool {
		return exported(r) && (of[r.Commit] || lane.Root == "")
	})
	if err != nil {
		return unread(err)
	}
	added, err := tsv.Append(cfg.Root, cfg.History.TSV, rows)
	if errors.Is(err, tsv.ErrNoFile) {
		return coded{exitUnfit, err.Error(), "put a plain file in its place, or name another one as tsv in [history]: git keeps none that is reached through a symbolic link"}
	}
	if err != nil {
		return coded{exitUnfit, err.Error(), "gpuci history check says what is wrong with it"}
	}
	line := exportLine{"export", f.path, added, results}
	if a.json {
		return a.jsonLine(line)
	}
	_, err = fmt.Fprintf(a.out, "%s: %s appended, %s looked at\n", cfg.History.TSV, count(added, "row", "rows"), count(results, "result", "results"))
	return err
}

// rowsOf makes rows of the results asked for, the oldest first.
func rowsOf(ctx context.Context, store *history.Store, q history.Query, wanted func(history.Result) bool) (rows []tsv.Row, results int, err error) {
	for r, err := range store.Results(ctx, q) {
		if err != nil {
			return nil, 0, err
		}
		if !wanted(r) {
			continue
		}
		results++
		for _, row := range slices.Backward(resultRows(r)) {
			rows = append(rows, row)
		}
	}
	slices.Reverse(rows)
	return rows, results, nil
}

// exported says whether a result is one that can be looked at again.
func exported(r history.Result) bool {
	switch gates.Outcome(r.Outcome) {
	case gates.Interrupted, gates.Refused:
		return false // nothing was measured
	}
	return r.Changes == ""
}

func resultRows(r history.Result) (rows []tsv.Row) {
	row := tsv.Row{
		Started: r.Started, Run: r.Run, Gate: r.Gate, Outcome: r.Outcome, Lane: r.Lane, Branch: r.Branch, Commit: r.Commit,
		Backend: r.Backend, Card: r.Card, Profile: r.Profile, Host: r.Host, Gpuci: r.Gpuci,
	}
	for _, m := range r.Metrics {
		one := row
		one.Metric, one.Labels, one.Unit, one.Count, one.Low, one.High = m.Metric, m.Labels, m.Unit, m.Count, m.Low, m.High
		one.Last = m.High
		if m.Last != nil {
			one.Last = *m.Last
		}
		rows = append(rows, one)
	}
	if len(rows) == 0 {
		rows = []tsv.Row{row}
	}
	return rows
}
