package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
)

// gpuWaitOptions are the flags of `gpuci gpu wait`.
type gpuWaitOptions struct {
	kind  string // --for
	gpu   string
	count int
	wait  time.Duration // below 0: as long as it takes
	json  bool
}

func (a *app) gpuWaitCommand() *cobra.Command {
	o := gpuWaitOptions{count: 1}
	cmd := &cobra.Command{
		Use:   "wait --for quiet [flags]",
		Short: "wait until a card is quiet",
		Long: `wait returns when as many cards as are asked for are quiet, and prints their
UUIDs as CUDA_VISIBLE_DEVICES takes them. A card is not quiet while somebody is on
it, has its lock, or has reserved it, while a protected run is on it or has it in
its rule, or while nothing can be told of it. What you have reserved yourself until
a time is quiet for you; a gate of yours is kept off it all the same.

It says at once on stderr what it waits for, and then every 30 s. It goes on when the
driver is silent for a while, or does not show a card that it has shown. It takes no place
in line and keeps nothing: a gate can be quicker. gpuci gate NAME --wait 2h waits in
line; gpuci gpu hold -- CMD takes the card's lock.

Examples:
  gpuci gpu wait --for quiet && ./bench
  CUDA_VISIBLE_DEVICES=$(gpuci gpu wait --for quiet --count 2 --wait 2h) ./train
  gpuci gpu wait --for quiet --gpu 1 --wait 0 || echo "somebody is on it"

Exit codes: 0 it is quiet, 75 it was not in --wait, 64 usage, also fewer cards than
are asked for, 69 there is no NVIDIA driver on this machine, or it did not answer when
--wait was over (one that hangs is given up after 5 s, however short that is), 78
configuration, 130 and 143 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("wait") {
				o.wait = -1
			} else if o.wait < 0 {
				return coded{gates.ExitUsage, fmt.Sprintf("--wait %s is no time to wait", o.wait), "leave --wait out to wait as long as it takes; 0 looks once"}
			}
			if err := namesCards(cmd, o.gpu); err != nil {
				return err
			}
			return a.gpuWait(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.kind, "for", "", "what to wait for: `quiet`")
	f.StringVar(&o.gpu, "gpu", "", "of these cards only: `LIST` of UUIDs or numbers, as in CUDA_VISIBLE_DEVICES")
	f.IntVar(&o.count, "count", 1, "until `N` cards are")
	f.Var((*waitFlag)(&o.wait), "wait", "wait for `D` at most (30m, 2h); 0 looks once; as long as it takes if not given")
	f.BoolVar(&o.json, "json", false, "print one JSON line at the end")
	return cmd
}

// check finds what cannot be meant.
func (o gpuWaitOptions) check() error {
	switch {
	case o.kind == "":
		return coded{gates.ExitUsage, "there is nothing to wait for", "gpuci gpu wait --for quiet"}
	case o.kind != "quiet":
		return coded{gates.ExitUsage, fmt.Sprintf("--for %q is nothing that a card can be waited for", o.kind), "gpuci gpu wait --for quiet"}
	case o.count < 1:
		return coded{gates.ExitUsage, fmt.Sprintf("--count %d is no number of cards", o.count), "leave --count out for one"}
	}
	return nil
}

// gpuWait is a wait for cards that goes on.
type gpuWait struct {
	gpuWaitOptions
	cardLook
	began time.Time
	said  time.Time
	found []gates.CardState // that are meant, as they were at the last look
	known bool              // those that are meant were there once
	lack  string            // why they are not at the last look
	unfit bool              // by then there is no driver, or no card at all
	over  bool              // it was given up
	aim   gates.Aim
}

func (a *app) gpuWait(ctx context.Context, o gpuWaitOptions) error {
	a.json = o.json
	if err := o.check(); err != nil {
		return err
	}
	l, err := a.beforeLook(ctx)
	defer l.close()
	if err != nil {
		return err
	}
	l.cards.Person = true                                           // who has reserved a card may wait until others have left it
	w := gpuWait{gpuWaitOptions: o, cardLook: l, began: time.Now()} // a driver that hangs takes its time of the wait
	if err := w.look(ctx); err != nil {
		return err
	}
	a.noteDoubts(w.survey)
	quiet, err := w.run(ctx, a.console.note)
	if o.json && (err == nil || w.over) {
		a.json = false // the line says why not, too
		if printed := a.jsonLine(w.line(quiet, err)); printed != nil {
			return printed
		}
		return err
	}
	if err == nil {
		_, err = fmt.Fprintln(a.out, strings.Join(quiet, ","))
	}
	return err
}

// run looks until enough cards are quiet, or the time is over. The last look is
// taken when it is.
func (w *gpuWait) run(ctx context.Context, say func(string)) ([]string, error) {
	for {
		if quiet, err := w.quiet(); err != nil || len(quiet) >= w.count {
			return quiet, err
		}
		waited := time.Since(w.began)
		if w.wait >= 0 && waited >= w.wait {
			return nil, w.giveUp(waited)
		}
		if w.said.IsZero() || time.Since(w.said) >= buildlock.RemindEvery {
			w.said = time.Now()
			say(w.text(waited))
		}
		if err := w.rest(ctx, waited); err != nil {
			return nil, err
		}
		if err := w.lookOn(ctx); err != nil {
			return nil, err
		}
	}
}

// rest waits until it is time for the next look.
func (w *gpuWait) rest(ctx context.Context, waited time.Duration) error {
	step := buildlock.CardAgain
	if w.wait >= 0 {
		step = min(step, w.wait-waited)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(step):
		return nil
	}
}

// quiet are the first cards that could be had now, as many as are wanted. A
// driver that does not answer may do so later, and so may one show the cards that it
// showed before, or its first one. Who looks once is told what is wrong.
func (w *gpuWait) quiet() (out []string, err error) {
	if w.lack != "" || w.survey.Look.Silent != "" {
		w.found = nil
		return nil, nil
	}
	if w.found, err = w.chosen(w.gpu, w.count); err != nil {
		if w.wait == 0 || !w.known && len(w.survey.Cards) > 0 {
			return nil, err
		}
		w.lack, w.unfit = err.Error(), len(w.survey.Cards) == 0
		return nil, nil
	}
	w.known = true
	for _, c := range w.found {
		if c.Free() && len(out) < w.count {
			out = append(out, c.UUID)
		}
	}
	return out, nil
}
