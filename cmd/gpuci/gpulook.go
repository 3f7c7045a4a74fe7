package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/worktrees"
)

// cards is how a gate, or a person, comes by the cards of this machine.
func (a *app) cards(cfg *config.Config, locks string, lane worktrees.Lane) *gates.Cards {
	c := gates.CardsOf(cfg, locks, nil)
	c.Driver.Root = os.Getenv(device.RootVariable)
	c.LaneOf = laneOf(lane)
	return c
}

// laneOf tells lanes by directories. They are listed when one is asked for: most
// who ask for a card find it quiet.
func laneOf(lane worktrees.Lane) func(dir string) string {
	if lane.Root == "" {
		return nil
	}
	list := sync.OnceValue(func() []worktrees.Tree {
		trees, _ := gates.LanesHere(context.Background(), lane) // bounded by itself
		return trees
	})
	return func(dir string) string {
		if dir == "" {
			return ""
		}
		tree, _ := worktrees.Of(list(), dir)
		return tree.Name
	}
}

// cardLook is what the commands about cards stand on.
type cardLook struct {
	place
	cards  *gates.Cards
	survey gates.Survey
	now    time.Time
}

// cardLook looks at the cards of this machine.
func (a *app) cardLook(ctx context.Context) (cardLook, error) {
	l, err := a.beforeLook(ctx)
	if err == nil {
		err = l.look(ctx)
	}
	return l, err
}

// beforeLook is a look that is not taken yet.
func (a *app) beforeLook(ctx context.Context) (cardLook, error) {
	p, err := a.place(ctx, false)
	if err != nil {
		return cardLook{}, err
	}
	return cardLook{place: p, cards: a.cards(p.config, p.lockDir(), p.lane)}, nil
}

// close lets go of the driver.
func (l cardLook) close() { _ = l.cards.Close() }

// look looks again.
func (l *cardLook) look(ctx context.Context) (err error) {
	l.survey, err = l.cards.Survey(ctx, nil)
	l.now = time.Now()
	return cardError(err)
}

// cardError gives the errors of a look their exit codes.
func cardError(err error) error {
	if errors.Is(err, device.ErrNoDriver) {
		return coded{exitUnfit, err.Error(), "in a container, --gpus all gives it the cards; gpuci doctor says what there is"}
	}
	return err
}

// silent is the error of a look that the driver did not answer.
func (l cardLook) silent() error {
	if l.survey.Look.Silent == "" {
		return nil
	}
	return coded{exitUnfit, printable(l.survey.Look.Silent), "nvidia-smi may hang too; dmesg has what the driver says of it (NVRM, Xid), and a restart of the machine may be the way out"}
}

// noteDoubts says what could not be read.
func (a *app) noteDoubts(s gates.Survey) {
	for _, text := range slices.Concat(s.Doubts, s.Notes) {
		a.console.note(text)
	}
}

func (a *app) gpuStatus(ctx context.Context, o gpuOptions) error {
	a.json = o.json
	if o.json && o.raw {
		return coded{gates.ExitUsage, "--json and --raw exclude each other", "leave one of the two out"}
	}
	l, err := a.cardLook(ctx)
	defer l.close()
	if err != nil {
		return err
	}
	if o.raw {
		return a.gpuRaw(l.survey.Look.Raw)
	}
	say := a.gpuText
	if o.json {
		say = a.gpuJSON
	}
	a.noteDoubts(l.survey)
	if err := say(l); err != nil {
		return err
	}
	return l.silent()
}

// gpuRaw prints what the driver said, as it is kept for tests.
func (a *app) gpuRaw(raw device.Raw) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	return enc.Encode(raw)
}

func (a *app) gpuWho(ctx context.Context, asJSON bool) error {
	a.json = asJSON
	l, err := a.cardLook(ctx)
	defer l.close()
	if err != nil {
		return err
	}
	say := a.whoText
	if asJSON {
		say = a.whoJSON
	}
	a.noteDoubts(l.survey)
	if err := say(l); err != nil {
		return err
	}
	return l.silent()
}
