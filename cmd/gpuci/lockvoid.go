package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
)

func (a *app) lockVoidCommand() *cobra.Command {
	why := ""
	cmd := &cobra.Command{
		Use:   "void TICKET --why TEXT",
		Short: "take the lock away from a holder that is stuck, or the place from a waiter",
		Long: `void declares a ticket void, on the record: the next one in line may go, though
the holder still has the lock's file open. The holder is not touched; whatever
it does from now on, it does beside the next one. One that waits gives up: its
link fails, its command is not run, and it says who did it and why. Only the
ticket's user and root may.

Example:
  gpuci lock void link-12 --why "stuck in D on a disk that is gone"

Exit codes: 0, 4 no such ticket, 64 usage, also a ticket of another user, 69 the
lock directory cannot be used, 78 configuration.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(why) == "" {
				return coded{gates.ExitUsage, "--why is needed: it is what the others will read", `gpuci lock void ` + args[0] + ` --why "stuck on a dead disk"`}
			}
			return a.lockVoid(cmd.Context(), args[0], why)
		},
	}
	cmd.Flags().StringVar(&why, "why", "", "the reason, for the record (required)")
	return cmd
}

func (a *app) lockVoid(ctx context.Context, id, why string) error {
	p, err := a.place(ctx, false)
	if err != nil {
		return err
	}
	if err := buildlock.Usable(p.lockDir()); err != nil {
		return err
	}
	before, err := buildlock.Status(ctx, p.lockDir())
	if err != nil {
		return err
	}
	if err := buildlock.Void(ctx, p.lockDir(), id, why); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, id+" "+voidedText(before, id))
	return err
}

// voidedText says what comes of a ticket that was declared void.
func voidedText(before []buildlock.Queue, id string) string {
	for _, q := range before {
		for _, e := range q.Entries {
			switch {
			case e.ID != id:
			case e.State == buildlock.StateVoid:
				return "was void already; the first reason stands"
			case e.State == buildlock.StateKept:
				return "is void; who still has it open was not touched"
			case e.State == buildlock.StateHolds:
				return "is void; its holder was not touched"
			case q.Lock == buildlock.Link:
				return "is void; it waited: its link will fail"
			default:
				return "is void; it waited: its command will not be run"
			}
		}
	}
	return "is void" // it has just come
}
