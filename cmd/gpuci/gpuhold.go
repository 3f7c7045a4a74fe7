package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
)

// gpuHoldOptions are the flags of `gpuci gpu hold`.
type gpuHoldOptions struct {
	until, why, gpu string
	wait            time.Duration // for the lock; below 0: as long as it takes
	waits           bool          // --wait was given
}

func (a *app) gpuHoldCommand() *cobra.Command {
	var o gpuHoldOptions
	cmd := &cobra.Command{
		Use:   "hold --why TEXT [--until T] [flags] [-- CMD…]",
		Short: "keep a card for work of your own",
		Long: `hold keeps gates off a card: they are refused, with your name, your reason and
the time. A card that is busy is yours from now on for when it is free; who is
still on it is said, and not touched.

With --until the card is reserved until then, by whatever you start on it; gpuci
gpu release gives it back earlier. T is a time of the day (07:00, the next one), a
length of time (8h, 2d) or a date (2026-12-01T07:00), at most 7 days from now. It
keeps off your own gates, too: run one on your card by gpuci gpu hold --why TEXT --
gpuci gate NAME.

With CMD it waits for the card's lock, first come first served among gates and
others who hold, and runs CMD with CUDA_VISIBLE_DEVICES set to the card; it is
yours until CMD has ended. What CMD leaves in the background keeps the card, and so
does CMD when gpuci is killed.

A card that is cut into instances (MIG) is reserved whole by its own UUID, with
--until; for a CMD its instances are named.

It is a word among users of gpuci: a program that asks nobody is not kept off.

Examples:
  gpuci gpu hold --until 07:00 --why "profiling the fused backward"
  gpuci gpu hold --gpu 1 --until 8h --why "training the small one"
  gpuci gpu hold --why "one measurement" --wait 10m -- ./bench --warm

Exit codes: 0, or CMD's own; 75 somebody else has reserved the card, or its lock was
not had in --wait; 64 usage, also several cards and no --gpu; 69 there is no NVIDIA
driver on this machine, or the lock directory cannot be used; 127 and 126 CMD could
not be started, 78 configuration, 130 and 143 interrupted.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.waits = cmd.Flags().Changed("wait")
			if err := errors.Join(o.check(args), namesCards(cmd, o.gpu)); err != nil {
				return err
			}
			if len(args) > 0 {
				return a.gpuHoldRun(cmd.Context(), o, args)
			}
			return a.gpuHoldUntil(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.until, "until", "", "keep it until `T`: 07:00, 8h, or a date")
	f.StringVar(&o.why, "why", "", "the `TEXT` that others will read (required)")
	f.StringVar(&o.gpu, "gpu", "", "which: `LIST` of UUIDs or numbers, as in CUDA_VISIBLE_DEVICES")
	f.Var((*waitFlag)(&o.wait), "wait", "with CMD, wait for the card's lock for `D` at most; as long as it takes if not given")
	return cmd
}

// check finds what cannot be meant.
func (o *gpuHoldOptions) check(argv []string) error {
	usage := func(text, hint string) error { return coded{gates.ExitUsage, text, hint} }
	switch {
	case strings.TrimSpace(o.why) == "":
		return usage("--why is needed: it is what the others will read", `gpuci gpu hold --until 07:00 --why "profiling the fused backward"`)
	case len(o.why) > buildlock.MaxWhy:
		return longWhy(o.why)
	case o.until != "" && len(argv) > 0:
		return usage("--until and a command exclude each other", "a command has the card until it ends; --until keeps it for whatever you start")
	case o.until == "" && len(argv) == 0:
		return usage("it is not said for how long", "--until 07:00, or -- CMD for as long as CMD runs")
	case o.waits && len(argv) == 0:
		return usage("--wait is for a command", "leave it out: a reservation waits for nobody")
	case o.wait < 0:
		return usage(fmt.Sprintf("--wait %s is no time to wait", o.wait), "leave --wait out to wait as long as it takes")
	case !o.waits:
		o.wait = -1
	}
	return nil
}

// gpuHoldUntil reserves cards for a time.
func (a *app) gpuHoldUntil(ctx context.Context, o gpuHoldOptions) error {
	until, err := parseUntil(o.until, time.Now())
	if err != nil {
		return err
	}
	l, cards, err := a.holdable(ctx, o, false)
	defer l.close()
	if err != nil {
		return err
	}
	var done []gates.CardState
	for _, c := range cards {
		_, err := buildlock.Reserve(ctx, l.lockDir(), buildlock.Reservation{Card: c.UUID, Index: indexOf(c), Until: until, Why: o.why})
		if err != nil {
			a.takeBack(ctx, l, done)
			if errors.Is(err, buildlock.ErrOver) {
				return overError(o.until, time.Now())
			}
			return err
		}
		done = append(done, c)
	}
	for _, c := range cards {
		text := fmt.Sprintf("%s is reserved for you until %s: %s", cardName(c.Card), clockText(until, l.now), o.why)
		for _, r := range c.Reserved {
			if r.UID == os.Getuid() && !r.Held && r.Card == c.UUID {
				text += fmt.Sprintf(" (in place of the one until %s: %s)", clockText(r.Until, l.now), r.Why)
			}
		}
		if _, err := fmt.Fprintln(a.out, buildlock.Printable(text)); err != nil { // who gave the reason may have it from elsewhere
			return err
		}
	}
	return nil
}

// indexOf is the number of a card for who gives it back, nil where it has none of its
// own.
func indexOf(c gates.CardState) *int {
	if c.Parent != "" {
		return nil
	}
	return &c.Index
}

// longWhy refuses a reason of which others would read the beginning only.
func longWhy(why string) error {
	return coded{gates.ExitUsage, fmt.Sprintf("--why has %d bytes, and others read %d of it", len(why), buildlock.MaxWhy), "say it shorter"}
}

// holdable looks at the cards that are meant, says who is still on them, and
// refuses those that somebody else has reserved.
func (a *app) holdable(ctx context.Context, o gpuHoldOptions, forCommand bool) (cardLook, []gates.CardState, error) {
	l, err := a.cardLook(ctx)
	if err != nil {
		return l, nil, err
	}
	if err := buildlock.Usable(l.lockDir()); err != nil {
		return l, nil, err
	}
	a.noteDoubts(l.survey)
	cards, rest := l.whole(o.gpu)
	if len(cards) > 0 && forCommand {
		return l, nil, l.onWhole(cards[0])
	}
	if len(cards) == 0 || rest != "" {
		others, err := l.one(rest, "meant")
		if err != nil {
			return l, nil, err
		}
		cards = append(others, cards...)
	}
	for _, c := range cards {
		for _, r := range c.Reserved {
			if (r.UID != os.Getuid() || r.Trouble != "") && !r.Ours() {
				return l, nil, reservedError(c, r, l.now)
			}
		}
	}
	for _, c := range cards {
		if who := l.onIt(c); who != "" {
			a.console.note(fmt.Sprintf("still on %s: %s", cardName(c.Card), who))
		}
	}
	return l, cards, nil
}

// reservedError says that somebody else has the card.
func reservedError(c gates.CardState, r buildlock.Reservation, now time.Time) error {
	return coded{gates.Refused.ExitCode(), fmt.Sprintf("%s is %s", cardName(c.Card), printable(r.Text(now))), "ask them, or take another card: gpuci gpu says what there is"}
}

// takeBack gives up what was reserved before one card was not to be had.
func (a *app) takeBack(ctx context.Context, l cardLook, done []gates.CardState) {
	for _, c := range done {
		err := buildlock.Unreserve(context.WithoutCancel(ctx), l.lockDir(), c.UUID, os.Getuid(), "")
		if err != nil && !errors.Is(err, buildlock.ErrNoReservation) {
			a.console.note(err.Error())
		}
	}
}
