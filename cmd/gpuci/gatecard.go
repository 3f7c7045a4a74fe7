package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// cardFlags say how a gate comes by a card.
type cardFlags struct {
	gpu   string
	wait  time.Duration
	waits bool // --wait was given
	share bool
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
	case c.gpu == "" && cmd.Flags().Changed("gpu"):
		return coded{gates.ExitUsage, "--gpu names no card", "leave it out to take any; gpuci gpu says what there is"}
	}
	return nil
}

// gateCards is how a gate comes by cards. One driver is asked at a time: gates
// run one after the other.
func (a *app) gateCards(cfg *config.Config, locks string, lane worktrees.Lane, c cardFlags) *gates.Cards {
	_ = a.driver.Close()
	cards := a.cards(cfg, locks, lane)
	cards.Choice, cards.Share = c.gpu, c.share
	if c.waits {
		cards.Wait = c.wait
	}
	a.driver = cards
	return cards
}
