package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/pressure"
)

// waitOptions are the flags of `gpuci pressure wait`.
type waitOptions struct {
	limits pressureLimits
	kept   time.Duration // --for
	wait   time.Duration
	json   bool
}

func (a *app) pressureWaitCommand() *cobra.Command {
	o := waitOptions{wait: 5 * time.Minute}
	cmd := &cobra.Command{
		Use:   "wait [flags]",
		Short: "wait until this machine has breath for more work",
		Long: `wait returns when every limit that is given is kept: N is the share of time, in
percent, that may have been waited at most. Without --for, over one look of a
second and over the kernel's last 10 s; with --for D, in every second of D in a
row; with --wait 0 in one look, of D or of a second. It says at once on stderr
what it waits for, and then every 30 s. While somebody else computes, io full
stays low however many wait for the disk: --io-some holds these too.

Examples:
  gpuci pressure wait --io-full 40 && make -j20
  gpuci pressure wait --io-full 25 --memory-full 5 --min-free 8GiB --for 10s
  gpuci pressure wait --io-full 40 --wait 0 || echo "the disk has enough to do"

Exit codes: 0 the limits are kept, 75 they were not in --wait, 64 usage, also no
limit at all, 69 it cannot be known on this machine, 130 and 143 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkRule(); err != nil {
				return err
			}
			return a.pressureWait(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.Var(&o.limits.ioFull, "io-full", "time in which everything waited for the disk, `N` percent at most")
	f.Var(&o.limits.ioSome, "io-some", "time in which some tasks waited for the disk, `N` percent at most")
	f.Var(&o.limits.cpuSome, "cpu-some", "time in which some tasks waited for a processor, `N` percent at most")
	f.Var(&o.limits.memoryFull, "memory-full", "time in which everything waited for memory, `N` percent at most")
	f.Var(&o.limits.memorySome, "memory-some", "time in which some tasks waited for memory, `N` percent at most")
	f.Var(&o.limits.minFree, "min-free", "memory that is available, `SIZE` at least (8GiB, 512MiB)")
	f.Var((*waitFlag)(&o.kept), "for", "kept for `D` without a break (10s)")
	f.Var((*waitFlag)(&o.wait), "wait", "wait for `D` at most; 0 looks once")
	f.BoolVar(&o.json, "json", false, "print one JSON line at the end")
	return cmd
}

// check finds what cannot be meant.
func (o waitOptions) check() error {
	usage := func(text, hint string) error { return coded{gates.ExitUsage, text, hint} }
	switch {
	case !o.limits.any():
		return usage("there is no limit to wait for", "give --io-full 40, or another one: gpuci pressure wait --help")
	case o.kept < 0:
		return usage(fmt.Sprintf("--for %s is no length of time", o.kept), "give a time such as 10s")
	case o.wait < 0:
		return usage(fmt.Sprintf("--wait %s is no time to wait", o.wait), "give a time such as 5m; 0 looks once")
	case o.wait > 0 && o.kept > o.wait:
		return usage(fmt.Sprintf("nothing is kept for %s within --wait %s", o.kept, o.wait), "wait longer, or ask for less")
	}
	return nil
}

// second is one look: the kernel's own steps are hardly shorter.
const second = time.Second

func (a *app) pressureWait(ctx context.Context, o waitOptions) error {
	a.json = o.json
	if err := o.check(); err != nil {
		return err
	}
	w := pressureWait{waitOptions: o, began: time.Now(), say: a.console.note}
	err := w.run(ctx)
	if o.json && w.ended {
		a.json = false // the line says why not, too
		if err := readerGone(a.jsonLine(w.line(err))); err != nil {
			return err
		}
	}
	return err
}

// pressureWait is a wait that goes on.
type pressureWait struct {
	waitOptions
	say   func(string)
	began time.Time
	now   levels        // of the last look
	row   time.Duration // all limits were kept for so long
	ended bool          // it is known whether they were
}

// run looks until the limits are kept or the time is over. What is said is said
// at once, and then as often as of any other wait.
func (w *pressureWait) run(ctx context.Context) error {
	before := pressure.Read(pressureRoot())
	if err := w.look(before, before); err != nil {
		return err
	}
	w.say(w.text(0))
	for said := w.began; ; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(second):
		}
		after := pressure.Read(pressureRoot())
		if err := w.look(before, after); err != nil {
			return err
		}
		before = after
		if ok, over := w.verdict(); over {
			w.ended = true
			if !ok {
				return coded{gates.Refused.ExitCode(), w.gaveUp(), "gpuci pressure names the cause; --wait says how long to wait"}
			}
			return nil
		}
		if time.Since(said) >= buildlock.RemindEvery {
			said = time.Now()
			w.say(w.text(w.waited()))
		}
	}
}

// look takes a second into account.
func (w *pressureWait) look(before, after pressure.Reading) error {
	w.now = levelsOf(before, after)
	if err := w.limits.known(w.now); err != nil {
		return coded{exitUnfit, err.Error(), "leave that limit out, or go on without the wait: it cannot be known here"}
	}
	if most := w.now.memory.Total; w.limits.minFree.bytes > most && w.now.noMemory == nil {
		return coded{gates.ExitUsage, fmt.Sprintf("--min-free %s can never be: this machine has %s in all", pressure.Bytes(w.limits.minFree.bytes), pressure.Bytes(most)), "ask for less"}
	}
	// A step of many seconds, after a stop or a sleep of the machine, does not say
	// that each of them was below.
	length := w.now.span.Length()
	if w.row += length; length > 2*second || w.limits.over(w.now, w.kept == 0) != "" {
		w.row = 0
	}
	return nil
}

// verdict says whether the limits are kept, and whether that is the end of it.
// A wait of 0 looks once: as long as --for, if no second is over a limit.
func (w *pressureWait) verdict() (ok, over bool) {
	kept := w.row > 0
	switch {
	case kept && w.row >= w.kept:
		return true, true
	case w.wait == 0:
		return false, !kept
	}
	return false, w.waited() >= w.wait
}

func (w *pressureWait) waited() time.Duration { return w.now.reading.Time.Sub(w.began) }

// text is what is waited for, with numbers.
func (w *pressureWait) text(waited time.Duration) string {
	text := "waiting for " + w.limits.text(w.now, w.kept == 0)
	if w.kept > 0 {
		text += ", for " + shortText(w.kept) + " without a break"
	}
	if w.wait == 0 {
		return text + ", in one look"
	}
	return text + fmt.Sprintf("; %s of %s at the longest", buildlock.Round(waited), shortText(w.wait))
}

// gaveUp says what is in the way.
func (w *pressureWait) gaveUp() string {
	text := fmt.Sprintf("gave up after %s: ", buildlock.Round(w.waited()))
	if over := w.limits.over(w.now, w.kept == 0); over != "" {
		return text + over
	}
	return text + fmt.Sprintf("the limits are kept, but for no more than %s of %s so far", secondsText(w.row), shortText(w.kept))
}

// shortText is a time as one writes it: 5m and not 5m0s.
func shortText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
