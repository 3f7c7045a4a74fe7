package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/kernels/trace"
	"gpuci/pressure"
)

func (a *app) traceListCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the recordings that are kept",
		Long: `list names the recordings of all lanes of this repository, or outside of one those of
this user, the newest first: when, in which lane, how long and how it ended, the room
that it takes, and the command. The newest 20 that gpuci trace -o put elsewhere are among
them, by their directory, for as long as that is there.

Examples:
  gpuci trace list
  gpuci trace list --json | jq -r 'select(.lane == "main") | .id'

Exit codes: 0, also for none; 64 usage, 78 configuration.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = asJSON
			store, err := a.traceStore(cmd.Context())
			if err != nil {
				return err
			}
			list, err := store.list()
			if err != nil {
				return err
			}
			if asJSON {
				return a.traceLines(store, list)
			}
			return a.traceTable(store, list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines, each with a type")
	return cmd
}

// traceLine is a recording in JSON.
type traceLine struct {
	Type string `json:"type"` // always "trace"
	ID   string `json:"id"`
	Dir  string `json:"dir"`
	Disk int64  `json:"disk"` // bytes
	Runs bool   `json:"runs,omitempty"`
	// Named says that -o put it where it is: it is never removed.
	Named bool        `json:"named,omitempty"`
	Lane  string      `json:"lane,omitempty"`
	Run   *trace.Meta `json:"run,omitempty"`
}

func (a *app) traceLines(s traceStore, list []storedTrace) error {
	for _, t := range list {
		line := traceLine{Type: "trace", ID: t.ID, Dir: t.Dir, Disk: onDisk(t.Dir), Runs: s.making(t), Named: t.Named, Run: t.Meta}
		if t.Meta != nil {
			line.Lane = t.Meta.Lane
		}
		if err := a.deviceLine(line); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) traceTable(s traceStore, list []storedTrace) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.out, "no recordings yet; gpuci trace -- CMD makes one")
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "id\tlane\tbegan\ttook\tend\tdisk\tcommand")
	now := time.Now()
	for _, t := range list {
		cells := []string{s.shown(t), "", "", "", "unknown", pressure.Bytes(onDisk(t.Dir)), ""}
		if m := t.Meta; m != nil {
			cells[1], cells[2], cells[6] = m.Lane, clockText(m.Began, now), commandText(m.Command)
			cells[3], cells[4] = tracedText(m, s.making(t))
		}
		for i, cell := range cells {
			cells[i] = printable(strings.ReplaceAll(cell, "\t", " "))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// tracedText is how long a program ran, and how it ended.
func tracedText(m *trace.Meta, runs bool) (took, end string) {
	switch {
	case m.Ended.IsZero() && runs:
		return "", "it runs"
	case m.Ended.IsZero():
		return "", "gpuci was killed"
	case m.Signal != "":
		end = m.Signal
	default:
		end = fmt.Sprintf("exit %d", m.Code)
	}
	return buildlock.Round(m.Ended.Sub(m.Began)).String(), end
}

// onDisk is the room that a directory takes: its files are longer than what is in them.
func onDisk(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // what is gone meanwhile takes none
		if err != nil {
			return nil
		}
		var info os.FileInfo
		if info, err = d.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes += st.Blocks * 512
			}
		}
		return nil
	})
	return bytes
}
