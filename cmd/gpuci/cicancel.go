package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/gates"
)

func (a *app) ciCancelCommand() *cobra.Command {
	var every, json bool
	cmd := &cobra.Command{
		Use:   "cancel [NIGHT]",
		Short: "end the jobs that a night has on a cluster",
		Long: `cancel ends what a night, or gates that are run by hand, have on a cluster (--on slurm).
Where its gpuci lives, that one is asked to stop, as by a signal, and does; where it was
killed, its jobs are found by the names in its journal. Without a name it is the only one
that has jobs there.

Examples:
  gpuci ci cancel
  gpuci ci cancel 20261201T020000Z-1f2e3d4c
  gpuci ci cancel --every

Exit codes: 0 nothing is left there; 1 something may be; 4 there is nothing to end, or no
such night; 64 usage, 78 configuration.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = json
			return a.ciCancel(cmd, every, strings.Join(args, ""))
		},
	}
	cmd.Flags().BoolVar(&every, "every", false, "of all nights of this workspace that have any")
	cmd.Flags().BoolVar(&json, "json", false, "print JSON lines, each with a type")
	return cmd
}

func (a *app) ciCancel(cmd *cobra.Command, every bool, night string) error {
	if every && night != "" {
		return coded{gates.ExitUsage, "--every ends all of them, and takes no name", "leave one of the two out"}
	}
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	state, note := gates.StateDir(lane, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	past := gates.NewPast(cmd.Context(), a.historyOptions(cfg, lane))
	defer past.Close()
	list, err := ci.Cancel(cmd.Context(), ci.CancelOptions{State: state, Open: a.canceller(cfg, lane, past), Night: night, Every: every, Note: a.console.note})
	for _, c := range list {
		if err := a.printCancelled(c); err != nil {
			return err
		}
	}
	var several *ci.SeveralError
	switch {
	case errors.As(err, &several):
		return coded{gates.ExitUsage, err.Error() + ": " + strings.Join(several.Nights, ", "), "name one, or --every"}
	case errors.Is(err, ci.ErrNothingAway):
		return coded{gates.ExitNothing, err.Error(), ""}
	}
	return err
}

func (a *app) printCancelled(c ci.Cancelled) error {
	if a.json {
		return a.jsonLine(struct {
			Type string `json:"type"` // always "cancelled"
			ci.Cancelled
		}{"cancelled", c})
	}
	what := "night "
	if c.Hand {
		what = "run by hand "
	}
	text := what + c.Night + ": nothing was left"
	if c.Jobs > 0 {
		text = fmt.Sprintf("%s%s: %s on %s ended", what, c.Night, count(c.Jobs, "job", "jobs"), c.On)
	}
	if c.Live {
		text += ", by its own gpuci"
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}
