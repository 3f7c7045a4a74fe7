package main

import (
	"context"
	"errors"
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
its rule, or while nothing can be told of it.

It says at once on stderr what it waits for, and then every 30 s. It takes no place
in line and keeps nothing: a gate can be quicker. gpuci gate NAME --wait 2h waits in
line; gpuci gpu hold -- CMD takes the card's lock.

Examples:
  gpuci gpu wait --for quiet && ./bench
  CUDA_VISIBLE_DEVICES=$(gpuci gpu wait --for quiet --count 2 --wait 2h) ./train
  gpuci gpu wait --for quiet --gpu 1 --wait 0 || echo "somebody is on it"

Exit codes: 0 it is quiet, 75 it was not in --wait, 64 usage, also fewer cards than
are asked for, 69 there is no NVIDIA driver on this machine, 78 configuration, 130
and 143 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("wait") {
				o.wait = -1
			} else if o.wait < 0 {
				return coded{gates.ExitUsage, fmt.Sprintf("--wait %s is no time to wait", o.wait), "leave --wait out to wait as long as it takes; 0 looks once"}
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
	l.cards.Person = true // who has reserved a card may wait until others have left it
	if err := l.look(ctx); err != nil {
		return err
	}
	a.noteDoubts(l.survey)
	w := gpuWait{gpuWaitOptions: o, cardLook: l, began: time.Now()}
	quiet, err := w.run(ctx, a.console.note)
	if o.json && (err == nil || isRefused(err)) {
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

// isRefused says whether a wait came to its end.
func isRefused(err error) bool {
	var c coded
	return errors.As(err, &c) && c.code == gates.Refused.ExitCode()
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
			return nil, coded{gates.Refused.ExitCode(), fmt.Sprintf("gave up after %s: %s", buildlock.Round(waited), w.why()), "gpuci gpu says who is on it; --wait says how long to wait"}
		}
		if w.said.IsZero() || time.Since(w.said) >= buildlock.RemindEvery {
			w.said = time.Now()
			say(w.text(waited))
		}
		if err := w.rest(ctx, waited); err != nil {
			return nil, err
		}
		if err := w.look(ctx); err != nil {
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
// driver that does not answer may do so later.
func (w *gpuWait) quiet() (out []string, err error) {
	if w.survey.Look.Silent != "" {
		w.found = nil
		return nil, nil
	}
	if w.found, err = w.chosen(w.gpu, w.count); err != nil {
		return nil, err
	}
	for _, c := range w.found {
		if c.Free() && len(out) < w.count {
			out = append(out, c.UUID)
		}
	}
	return out, nil
}

// text is what is waited for.
func (w *gpuWait) text(waited time.Duration) string {
	text := "waiting for a quiet card"
	if w.count > 1 {
		text = fmt.Sprintf("waiting for %d quiet cards", w.count)
	}
	text += ", " + buildlock.Round(waited).String()
	if w.wait >= 0 {
		text += " of " + shortText(w.wait)
	}
	return text + "; " + w.why()
}

// why says of each card what is in the way.
func (w *gpuWait) why() string {
	var out []string
	if w.survey.Look.Silent != "" {
		return buildlock.Printable(w.survey.Look.Silent)
	}
	for _, c := range w.found {
		if c.Free() {
			out = append(out, cardName(c.Card)+" is quiet")
			continue
		}
		out = append(out, fmt.Sprintf("%s is %s: %s", cardName(c.Card), c.Status, c.Why))
	}
	return buildlock.Printable(strings.Join(out, "; "))
}
