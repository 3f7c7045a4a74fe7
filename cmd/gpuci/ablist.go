package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/config"
	"gpuci/gates/history"
)

// abListFlags are the flags of `gpuci ab list`.
type abListFlags struct {
	all, json bool
}

func (a *app) abListCommand() *cobra.Command {
	var f abListFlags
	cmd := &cobra.Command{
		Use:   "list [GATE]",
		Short: "what is banked, how old it is, and what has changed since",
		Long: `list has a line for each decision, the newest first: what was decided by how much,
when, whether what makes the arm the default is on, and what has changed since: files
that the arm's build read (all but prose, where that is not known), and the gate's own
settings (but for its scope, whose it is, and bars on times and on a base, of which a
comparison makes no use, and for what makes the arm the default: whether that is on is
told apart). Below that it says what wants a look: a win that is banked and is not the
default, an arm that is no win and is, a flag of [bank.flags] that is on without a win,
and what is older than age in [bank]. Comparisons that have not ended stand apart: that
somebody works on it, or that it was killed.

A decision that was looked at again and banked anew takes the place of the one before;
so does a later one of the gate that is of the same flags by the same metric, and a win
whose flags exclude those of an earlier win: env:FUSED=2 that of env:FUSED=1. The last
is said, and --all shows all of them; gpuci ab bank --supersedes ID does it by hand.

Examples:
  gpuci ab list
  gpuci ab list fused-time --json

Exit codes: 0, 103 something wants a look, 4 no such gate, 64 usage, 69 the history
cannot be read, 78 configuration.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.gateWord,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			return a.abList(cmd, f, args)
		},
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "also decisions that a later one has taken the place of")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

// standingDecision is a decision as it stands today.
type standingDecision struct {
	Type string `json:"type"` // always "decision"
	history.Decision
	Since ab.Since `json:"since"`
	On    *bool    `json:"on,omitempty"` // what makes the arm the default; nil where that is not known
	Looks []string `json:"looks,omitempty"`
	Age   float64  `json:"age-seconds"`

	Replaced   bool   `json:"replaced,omitempty"`    // a later one took its place
	ReplacedBy string `json:"replaced-by,omitempty"` // its id
	ReplacedAs string `json:"replaced-as,omitempty"` // why
}

func (a *app) abList(cmd *cobra.Command, f abListFlags, args []string) error {
	w, err := a.bankWorkspace(cmd)
	if err != nil {
		return err
	}
	q := history.Query{}
	if len(args) == 1 {
		if _, ok := w.cfg.Gate(args[0]); !ok {
			return noGate(w.cfg, args[0])
		}
		q.Gate = args[0]
	}
	list, err := a.decisions(cmd.Context(), w, q)
	if err != nil {
		return err
	}
	var stand, gone []standingDecision
	w.lookCards(cmd.Context(), a, list)
	for _, d := range list {
		s := w.stands(cmd.Context(), d, time.Now())
		if by, why := replacedBy(list, d); why != "" {
			s.Replaced, s.ReplacedBy, s.ReplacedAs = true, by, why
			s.Looks = nil // what took its place says what is to be said
			gone = append(gone, s)
		}
		if f.all || !s.Replaced {
			stand = append(stand, s)
		}
	}
	looks := w.unbanked(cmd.Context(), stand)
	logs, err := ab.Logs(w.state)
	if err != nil {
		return err
	}
	logs = slices.DeleteFunc(logs, func(l ab.Log) bool {
		return !l.Unfinished() || q.Gate != "" && l.Gate != q.Gate || time.Since(l.Started) > w.cfg.Bank.Age
	})
	var open []unfinishedLine
	for _, l := range logs {
		open = append(open, unfinishedOf(w.state, l))
	}
	if err := a.printDecisions(stand, gone, looks, open, f.json); err != nil {
		return err
	}
	if len(looks) > 0 || slices.ContainsFunc(stand, func(s standingDecision) bool { return len(s.Looks) > 0 }) {
		return coded{code: gates.Attention.ExitCode()}
	}
	return nil
}

// decisions are those of the history that are yours or of the owner of the repository.
func (a *app) decisions(ctx context.Context, w bankWorkspace, q history.Query) ([]history.Decision, error) {
	store, err := a.openHistory(ctx, w.cfg, w.lane)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	list, err := store.Decisions(ctx, q)
	all := len(list)
	list = slices.DeleteFunc(list, func(d history.Decision) bool { return !store.Believes(d.UID, d.At) })
	if n := all - len(list); n > 0 { // anybody can leave a line in a journal
		a.console.note(fmt.Sprintf("left out: %s of other users, or of the future", count(n, "decision", "decisions")))
	}
	return list, unread(err)
}

// replacedBy is the newest decision that took the place of one, and why; "" where it stands.
func replacedBy(list []history.Decision, d history.Decision) (id, why string) {
	for _, o := range list {
		if why := ab.Replaces(o, d); why != "" {
			return o.ID, why
		}
	}
	return "", ""
}

// stands says how a decision stands in this lane today.
func (w bankWorkspace) stands(ctx context.Context, d history.Decision, now time.Time) standingDecision {
	g, _ := w.cfg.Gate(d.Gate)
	s := standingDecision{Type: "decision", Decision: d, Since: ab.ChangedSince(ctx, w.lane, d, g, w.books()), Age: now.Sub(d.At).Seconds()}
	s.Evidence = nil // gpuci ab show has it
	s.Since.Cards(d, w.driver, w.models)
	if g != nil {
		s.On = w.isOn(ctx, *g, d.Flags)
	}
	win := d.Verdict == "win"
	switch {
	case s.On == nil:
	case win && !*s.On:
		s.Looks = append(s.Looks, fmt.Sprintf("%s is a banked win of %s and is not the default: %s is off", d.Arm.Name, abChange(d.Change), strings.Join(d.Flags, " ")))
	case !win && *s.On:
		s.Looks = append(s.Looks, fmt.Sprintf("%s is the default, and what is banked of it is: %s", d.Arm.Name, d.Verdict))
	}
	if age := now.Sub(d.At); age > w.cfg.Bank.Age {
		s.Looks = append(s.Looks, fmt.Sprintf("%s is older than age in [bank]: gpuci ab recheck %s", d.ID, d.ID))
	}
	return s
}

// lookCards asks which cards are here, where a decision was made on one.
func (w *bankWorkspace) lookCards(ctx context.Context, a *app, list []history.Decision) {
	if !slices.ContainsFunc(list, func(d history.Decision) bool { return d.Card != "" }) {
		return
	}
	locks := place{dir: w.cfg.Root, lane: w.lane, config: w.cfg}.lockDir()
	look, err := a.gateCards(w.cfg, locks, w.lane, cardFlags{}).Look(ctx)
	if err != nil || look.Silent != "" {
		return
	}
	w.driver = look.Driver
	for _, c := range look.Cards {
		w.models = append(w.models, c.Name)
	}
}

// books are the files for git that gpuci writes, from the lane's root, with the settings,
// whose changes are told apart.
func (w bankWorkspace) books() []string {
	return w.fromRoot(w.cfg.Bank.TSV, w.cfg.History.TSV, config.FileName)
}

// tables are those files alone.
func (w bankWorkspace) tables() []string { return w.fromRoot(w.cfg.Bank.TSV, w.cfg.History.TSV) }

// fromRoot are files from the directory of gpuci.toml as they are called from the lane's root.
func (w bankWorkspace) fromRoot(names ...string) (out []string) {
	for _, name := range names {
		if rel, err := filepath.Rel(w.lane.Root, filepath.Join(w.cfg.Root, name)); err == nil && name != "" {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// isOn says whether all of some flags are on; nil is not known.
func (w bankWorkspace) isOn(ctx context.Context, g config.Gate, flags []string) *bool {
	all := len(flags) > 0
	for _, flag := range flags {
		on, known, _ := ab.On(ctx, w.lane, w.cfg.Root, w.cfg.Workspace.Base, g, flag)
		if !known {
			return nil
		}
		all = all && on
	}
	return &all
}

// unbanked says which flags of [bank.flags] are on without a banked win.
func (w bankWorkspace) unbanked(ctx context.Context, stand []standingDecision) (looks []string) {
	for _, name := range slices.Sorted(maps.Keys(w.cfg.Bank.Flags)) {
		flag := w.cfg.Bank.Flags[name]
		won := slices.ContainsFunc(stand, func(s standingDecision) bool {
			return s.Verdict == "win" && !s.Replaced && slices.Contains(s.Flags, flag)
		})
		on := slices.ContainsFunc(w.cfg.Gates, func(g config.Gate) bool {
			is := w.isOn(ctx, g, []string{flag})
			return is != nil && *is
		})
		if on && !won {
			looks = append(looks, fmt.Sprintf("%s (%s) is on, and no banked win stands for it", name, flag))
		}
	}
	return looks
}
