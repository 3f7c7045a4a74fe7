package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
)

func (a *app) gpuReleaseCommand() *cobra.Command {
	var gpu, why string
	cmd := &cobra.Command{
		Use:   "release [--gpu LIST]",
		Short: "give a card back that was held until a time",
		Long: `release ends your reservations: all that gpuci gpu hold --until made, or those of
the cards that --gpu names. Root can end another user's, for a reason that is kept
with it. What hold -- CMD has ends with CMD.

Examples:
  gpuci gpu release
  gpuci gpu release --gpu 1
  sudo gpuci gpu release --gpu 0 --why "alice is on holiday until Monday"

Exit codes: 0, 4 there is no such reservation, 64 usage, also another user's, 69 the
lock directory cannot be used, or a number names a card that had another one, or none,
when it was reserved, and the driver does not answer; 78 configuration.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := namesCards(cmd, gpu); err != nil {
				return err
			}
			if len(why) > buildlock.MaxWhy {
				return longWhy(why)
			}
			return a.gpuRelease(cmd.Context(), gpu, why)
		},
	}
	cmd.Flags().StringVar(&gpu, "gpu", "", "of these cards: `LIST` of UUIDs or numbers, as in CUDA_VISIBLE_DEVICES")
	cmd.Flags().StringVar(&why, "why", "", "the reason, for the record; needed for another user's")
	return cmd
}

func (a *app) gpuRelease(ctx context.Context, gpu, why string) error {
	p, err := a.place(ctx, false)
	if err != nil {
		return err
	}
	if err := buildlock.Usable(p.lockDir()); err != nil {
		return err
	}
	all, err := buildlock.Reservations(p.lockDir())
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Card == "" {
			a.console.note(r.Stray())
		}
	}
	list, err := a.toRelease(ctx, slices.DeleteFunc(all, func(r buildlock.Reservation) bool { return r.Card == "" }), gpu)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := releasable(r, why); err != nil {
			return err
		}
	}
	var failed []error
	for _, r := range list {
		err := buildlock.Unreserve(ctx, p.lockDir(), r.Card, r.UID, why)
		if err != nil && !errors.Is(err, buildlock.ErrNoReservation) { // of one card there may be several, which go together
			failed = append(failed, err)
			continue
		}
		if _, err := fmt.Fprintf(a.out, "card %s is not reserved any more; it was %s\n", buildlock.ShortCard(r.Card), printable(r.Text(time.Now()))); err != nil {
			return err
		}
	}
	return firstOf(failed, a.console.note)
}

// firstOf is the first of some errors; the others are said.
func firstOf(list []error, say func(string)) error {
	if len(list) == 0 {
		return nil
	}
	for _, err := range list[1:] {
		say(err.Error())
	}
	return list[0]
}

// toRelease are the reservations that are meant: one's own that have a time, or
// those of cards that are named.
func (a *app) toRelease(ctx context.Context, all []buildlock.Reservation, gpu string) ([]buildlock.Reservation, error) {
	keep := func(r buildlock.Reservation) bool { return r.UID == os.Getuid() && !r.Held }
	if gpu != "" {
		named, err := a.namedCards(ctx, all, gpu)
		if err != nil {
			return nil, err
		}
		keep = func(r buildlock.Reservation) bool { return slices.Contains(named, r.Card) }
	}
	var out []buildlock.Reservation
	for _, r := range all {
		if keep(r) {
			out = append(out, r)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case gpu != "":
		return nil, coded{gates.ExitNothing, fmt.Sprintf("--gpu %s: no such card is reserved", gpu), "gpuci gpu says which are"}
	}
	return nil, coded{gates.ExitNothing, "you have reserved no card", "gpuci gpu says who has"}
}

// releasable refuses what cannot be given up by us.
func releasable(r buildlock.Reservation, why string) error {
	usage := func(text, hint string) error { return coded{gates.ExitUsage, text, hint} }
	card := "card " + buildlock.ShortCard(r.Card)
	text := printable(r.Text(time.Now()))
	switch mine := r.UID == os.Getuid(); {
	case !mine && os.Getuid() != 0:
		return usage(fmt.Sprintf("%s is %s", card, text), "that user can release it, or root with --why")
	case !mine && strings.TrimSpace(why) == "":
		return usage(fmt.Sprintf("%s is %s; --why is needed: it is what they will read", card, text), `gpuci gpu release --gpu `+r.Card+` --why "…"`)
	case r.Left:
		return usage(fmt.Sprintf("%s is %s: it ends with that", card, text), "end that, or see gpuci gpu who and gpuci lock void TICKET")
	case r.Held && r.Trouble == "":
		return usage(fmt.Sprintf("%s is %s: it ends with its command, pid %d", card, text, r.PID), "end that, or see gpuci gpu who and gpuci lock void TICKET")
	}
	return nil
}
