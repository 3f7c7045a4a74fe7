package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/worktrees"
)

// cardFlags say how a gate comes by a card.
type cardFlags struct {
	gpu   string
	wait  time.Duration
	waits bool // --wait was given
	share bool

	silent device.Look // what the driver said to who asked whether --gpu can be meant
}

func (c *cardFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.gpu, "gpu", "", "on these cards only: `LIST` of UUIDs or numbers, as in CUDA_VISIBLE_DEVICES")
	f.Var((*waitFlag)(&c.wait), "wait", "wait in line for a quiet card, for `D` at most (30m, 2h); without it [gpu] wait says")
	f.BoolVar(&c.share, "share-gpu", false, "let gates that judge numbers run beside somebody else, if enough memory is free")
}

// check finds what cannot be meant.
func (c *cardFlags) check(cmd *cobra.Command) error {
	c.waits = cmd.Flags().Changed("wait")
	switch {
	case c.wait < 0:
		return coded{gates.ExitUsage, fmt.Sprintf("--wait %s is no time to wait", c.wait), "give a time such as 2h; 0 does not wait at all"}
	}
	return namesCards(cmd, c.gpu)
}

// here finds flags that are about the cards of this machine where gates run on others.
func (c *cardFlags) here(on string) error {
	if on == "" || c.gpu == "" && !c.waits && !c.share {
		return nil
	}
	return coded{gates.ExitUsage, "--gpu, --wait and --share-gpu are about the cards of this machine", "leave them out with --on; gres and wait in [slurm] say what a job asks for"}
}

// meant holds --gpu against the cards that are here, before anything is built. Where
// they cannot be told, or a gate would do with another one, the gate says so.
func (c *cardFlags) meant(ctx context.Context, cards *gates.Cards) error {
	look, err := cards.Look(ctx)
	if err == nil && look.Silent != "" {
		c.silent = look
	}
	if err != nil || look.Silent != "" || len(look.Cards) == 0 {
		return nil
	}
	_, err = device.Choose(look, device.Need{}, device.ParseChoice(c.gpu, cards.Order, "--gpu"))
	if err == nil {
		return nil
	}
	var here []string
	for _, s := range look.Cards {
		here = append(here, cardName(s.Card))
	}
	return coded{gates.ExitUsage, printable(err.Error()), "the cards here: " + strings.Join(here, ", ")}
}

// gateCards is how a gate comes by cards. One driver is asked at a time: gates
// run one after the other.
func (a *app) gateCards(cfg *config.Config, locks string, lane worktrees.Lane, c cardFlags) *gates.Cards {
	_ = a.driver.Close()
	cards := a.cards(cfg, locks, lane)
	cards.Choice, cards.Share, cards.Asked = c.gpu, c.share, c.silent
	if c.waits {
		cards.Wait = c.wait
	}
	a.driver = cards
	return cards
}
