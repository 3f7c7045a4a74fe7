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
nothing until then. At a terminal it draws a small graph for each resource, of
the share of each second in which work stood still for want of it: of cpu the
time in which some tasks waited, of the others that in which all did. ? is a
step of which nothing is known, and ┊ stands before one that is longer than the
others, since nothing stalled.

Without a terminal it prints a line when a stall begins, when all is calm again,
and when a number has moved by 10 points or more; with --json a line for each
event: first, stalled, level (a look during a stall), calm, and degraded, where
the kernel does not tell by itself and the files are read instead.

Examples:
  gpuci pressure watch
  gpuci pressure watch --json | jq 'select(.event == "stalled")'

Exit codes: 130 and 143 when a signal ends it, as it must; 64 usage, 69 no
pressure can be read on this machine.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = asJSON
			return a.pressureWatch(cmd.Context(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines, each with a type")
	return cmd
}

// watcher shows events as they come.
type watcher interface {
	show(e pressure.Event) error
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
		if err := w.show(e); err != nil {
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

// eventLine is an event in `gpuci pressure watch --json`; the shares are percent
// of the time since the event before.
type eventLine struct {
	Type     string             `json:"type"` // always "event"
	Event    pressure.EventKind `json:"event"`
	Time     time.Time          `json:"time"`
	Resource string             `json:"resource,omitempty"` // that stalled
	Seconds  float64            `json:"seconds"`
	CPU      sharesLine         `json:"cpu"`
	IO       sharesLine         `json:"io"`
	Memory   sharesLine         `json:"memory"`
	IRQ      sharesLine         `json:"irq"`
	Note     string             `json:"note,omitempty"`
}

// sharesLine are the two shares of a resource in percent, left out where they
// are not known.
type sharesLine struct {
	Some *float64 `json:"some,omitempty"`
	Full *float64 `json:"full,omitempty"`
}

func sharesOf(s pressure.Shares) sharesLine {
	return sharesLine{percentOf(s.Some), percentOf(s.Full)}
}

// eventLines prints every event as JSON.
type eventLines struct{ a *app }

func (w eventLines) show(e pressure.Event) error {
	line := eventLine{
		Type: "event", Event: e.Kind, Time: e.Span.To, Resource: e.Resource, Seconds: round(e.Span.Length().Seconds()),
		CPU: sharesOf(e.Span.CPU), IO: sharesOf(e.Span.IO), Memory: sharesOf(e.Span.Memory), IRQ: sharesOf(e.Span.IRQ),
	}
	if e.Note != nil {
		line.Note = e.Note.Error()
	}
	return w.a.jsonLine(line)
}

func (w eventLines) end() {}
