package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"gpuci/pressure"
)

func (a *app) pressureWatchCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "show the pressure as it changes",
		Long: `watch waits for the kernel to say that something stalls, and costs next to
nothing until then. Something stalls when some tasks waited for a processor for
50% of a second, or all that there were waited for the disk, or for memory, for
10% of it (cpu some, io full, memory full; without CAP_SYS_RESOURCE the kernel
takes two seconds together, and says so up to 4 s late). It is calm when all have
been below that for 5 s. Who waits for the disk or for memory, or who has or wants
a processor, is looked up once when a stall begins.

At a terminal it draws a small graph for each resource, of the share of each
second in which work stood still for want of it: of cpu the time in which some
tasks waited, of the others that in which all did. ? is a step of which nothing
is known, and ┊ stands before one that is longer than the others, since nothing
stalled; the numbers beside it are the kernel's, of 10 s.

Without a terminal it prints a line when a stall begins, when all is calm again,
and when a number has moved by 10 points or more; with --json a line for each
event: first, stalled, level (a look during a stall), calm, and degraded, where
the kernel does not tell by itself and the files are read instead. Its shares
are of the time since the event before, which can be an hour; avg10 is of 10 s.

Examples:
  gpuci pressure watch
  gpuci pressure watch --json | jq 'select(.event == "stalled")'

Exit codes: 130 and 143 when a signal ends it, 0 when nobody reads what it says
any more; 64 usage, 69 no pressure can be read on this machine.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = asJSON
			if err := checkRule(); err != nil {
				return err
			}
			return readerGone(a.pressureWatch(cmd.Context(), asJSON))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines, each with a type")
	return cmd
}

// sight is an event, and who takes part in the stall that begins by it.
type sight struct {
	pressure.Event
	who []crowd
}

// watcher shows events as they come.
type watcher interface {
	show(s sight) error
	end() // no event comes any more
}

func (a *app) pressureWatch(parent context.Context, asJSON bool) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	w := a.watcher(asJSON)
	// Nothing is to wake us on a machine at rest: not the collection either that
	// Go makes every two minutes. What is shown takes little memory.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(watchMemory)
	err := pressure.Watch(ctx, pressure.WatchOptions{Root: pressureRoot()}, func(e pressure.Event) {
		if ctx.Err() != nil { // gpuci says so itself, below what stands there
			return
		}
		if err := w.show(a.sightOf(ctx, e)); err != nil {
			cancel(fmt.Errorf("print: %w", err))
		}
	})
	_ = a.console.settle()
	if ctx.Err() == nil && err != nil {
		return coded{exitUnfit, err.Error(), "gpuci pressure says what else there is to see"}
	}
	w.end()
	return err
}

// sightOf looks who takes part where a stall begins. Where we stand is found out
// then, too: it may be hours later.
func (a *app) sightOf(ctx context.Context, e pressure.Event) sight {
	if e.Kind != pressure.EventStalled {
		return sight{Event: e}
	}
	p, err := a.place(ctx, false)
	if err != nil {
		p = place{} // a file that is wrong hides the lanes, and no stall
	}
	return sight{e, a.whoStalls(ctx, p, e.Resource)}
}

// overText is from when on a resource is stalled: "io full over 10%".
func overText(resource string) string {
	line, limit := overOf(resource)
	return fmt.Sprintf("%s %s over %g%%", resource, line, limit)
}

// overOf is the line of a resource that counts, and its limit in percent.
func overOf(resource string) (line string, limit float64) {
	switch d := pressure.DefaultLimits(); resource {
	case "cpu":
		return "some", d.CPUSome
	case "io":
		return "full", d.IOFull
	default:
		return "full", d.MemoryFull
	}
}

// shareOver is the share of a span that says whether a resource is stalled.
func shareOver(s pressure.Span, resource string) pressure.Share {
	switch resource {
	case "cpu":
		return s.CPU.Some
	case "io":
		return s.IO.Full
	}
	return s.Memory.Full
}

// watchMemory is when memory is collected all the same, in bytes.
const watchMemory = 64 << 20

// watcher is the one for where stdout goes.
func (a *app) watcher(asJSON bool) watcher {
	switch tty := terminal(a.out); {
	case asJSON:
		return eventLines{a}
	case tty != nil && os.Getenv("TERM") != "dumb":
		return &liveWatch{out: tty, began: time.Now()}
	}
	return &changeLines{out: a.out, note: a.console.note}
}
