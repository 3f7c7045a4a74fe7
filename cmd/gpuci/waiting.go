package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/pressure"
)

// take waits for a lock and says so. The ticket is kept: it lasts as long as
// what is started from here on, should we be killed.
func (a *app) take(ctx context.Context, p place, l buildlock.Lock, wait time.Duration, argv []string) (*buildlock.Ticket, error) {
	t, err := buildlock.Acquire(ctx, buildlock.Options{
		Dir: p.lockDir(), Lock: l, Wait: wait, Who: p.who(argv), Marks: os.Getenv(shim.TicketsVar),
		Waiting: func(line buildlock.Line) { a.console.note(waitingText(line)) },
	})
	if err != nil {
		return nil, err
	}
	if err := t.Keep(); err != nil {
		_ = t.Release()
		return nil, err
	}
	return t, nil
}

// waitingText is the line about a wait, with the reason that links are slow.
func waitingText(l buildlock.Line) string {
	if l.Note == "" {
		l.Note = ioFull(pressure.Read(pressureRoot()))
	}
	return l.String()
}

// ioFull says for how much of the last ten seconds nothing moved for want of
// the disk.
func ioFull(r pressure.Reading) string {
	if r.IO.Full == nil {
		return "io full unknown"
	}
	return fmt.Sprintf("io full %.0f%%", r.IO.Full.Avg10)
}

// commandText is a command line for people.
func commandText(argv []string) string {
	return buildlock.Clip(strings.Join(argv, " "))
}
