package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/pressure"
	"gpuci/worktrees"
)

// gateOptions are the flags of `gpuci gate`.
type gateOptions struct {
	all, list, json, keepGoing, verbose, strict, noPressure, learn bool
	junit, on                                                      string
	args                                                           []string // after --
	lanes                                                          laneFlags
	card                                                           cardFlags
}

func (a *app) gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate NAME… [-- ARGS…]",
		Short: "run gates in this lane",
		Long: `gate builds what a gate needs, runs it, counts the tests that ran, reads its
numbers, holds them against their bars, and prints an outcome. The child's
output goes to stderr as it comes and whole into the run's directory; the
outcome goes to stdout.

ARGS after -- are appended to the last command of the gate's run. The outcome then says partial:
it covers less than the gate, and is not recorded as the gate's.

A gate in gpuci.toml:

  [[gate]]
  name = "unit"
  run = ["cargo", "test"]
  reader = "libtest"        # or gotest, pytest, ctest, "junit:GLOB", counters, none

Examples:
  gpuci gate fused-adjoint
  gpuci gate --all --keep-going
  gpuci gate fused-adjoint -- tail_chunk     # only the tests with this name
  gpuci gate --all --keep-going --json > outcomes.jsonl; echo $?
  gpuci gate --all --keep-going --junit ../gpuci.xml # for a CI server
  gpuci gate fused-adjoint --learn | git apply       # limits for what it prints
  gpuci gate unit --lane kda-adjoint                 # in another lane
  gpuci gate --all --every-lane                      # in all, with a table at the end
  gpuci gate fused-time --wait 2h                    # in line for a quiet card
  gpuci gate --all --keep-going --on slurm           # on a cluster, all at once

A gate with needs = ["gpu"] builds, and then wants a quiet card for itself. While
somebody is on it, while it is reserved, or while nothing can be told of it, the
gate is refused, with who and until when; --wait has it wait in line, first come
first served, in no time limit of the gate. --share-gpu lets a gate that judges
numbers run beside somebody, if enough memory is free (vram in its [[gate]], and
[gpu] headroom); gates that measure time refuse it. gpuci gpu says who is where.

With --on slurm the gates run as jobs on a cluster, on the lane as it is, with what is
not committed; [slurm] says where. Ctrl-C ends the jobs. Several are handed over at
once; without --keep-going the first that is not green ends the others.

In another lane, its own gpuci.toml says what its gates are. Of several lanes one
after the other has its turn, and none that is red, broken or removed meanwhile
stops the rest. --every-lane leaves out lanes without a gpuci.toml or without the
gates that are named, and scratch lanes.

Exit codes: 0 green or known red, 100 red, 101 build failed, 102 broken, 103
attention, 124 out of time, 75 refused; 4 no such gate or lane, 64 usage, 78
configuration, 130 and 143 interrupted. Of several gates, the first of 143,
130, 1, 78, 69, 101, 102, 124, 100, 103, 75.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := args
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				names, o.args = args[:at], args[at:]
			}
			return a.gate(cmd, o, names)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "run every gate")
	f.BoolVar(&o.list, "list", false, "list the gates and run none")
	f.BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	f.BoolVar(&o.keepGoing, "keep-going", false, "go on with the next gate after one that is not green")
	f.BoolVar(&o.strict, "strict", false, "a green with a mark needs attention (exit 103)")
	f.StringVar(&o.junit, "junit", "", "also write the outcomes to `FILE` as JUnit XML")
	f.BoolVar(&o.learn, "learn", false, "run one gate, and propose limits from what it printed")
	f.BoolVar(&o.noPressure, "no-pressure", false, "do not wait for the machine to breathe; the outcome is marked")
	f.StringVar(&o.on, "on", "", onUsage)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say every step and command, and show every bar")
	f.StringArrayVar(&o.lanes.lanes, "lane", nil, "run them in lane `L` instead of this one; can be repeated")
	f.BoolVar(&o.lanes.every, "every-lane", false, "run them in every lane of this repository")
	o.card.register(cmd)
	return cmd
}

func (a *app) gate(cmd *cobra.Command, o gateOptions, names []string) error {
	a.json = o.json
	on, wrong := whereMeant(o.on)
	o.on = on
	if err := cmp.Or(wrong, o.lanes.check(), o.card.check(cmd), o.card.here(o.on)); err != nil {
		return err
	}
	if err := a.junitPlace(cmd.Context(), "--junit", o.junit); err != nil {
		return err
	}
	if o.list && len(names) > 0 {
		return coded{gates.ExitUsage, "--list lists all gates and takes no names", "leave the names out"}
	}
	if o.lanes.several() {
		return a.gateLanes(cmd.Context(), o, names)
	}
	cfg, lane, err := a.gateLane(cmd, o.lanes)
	if err != nil {
		return err
	}
	if o.list {
		return a.listGates(cfg, o.json)
	}
	picked, err := pick(cfg, o, names)
	if err == nil {
		err = o.check(picked)
	}
	if err != nil {
		return err
	}
	return a.runGates(cmd.Context(), cfg, lane, o, picked)
}

// check finds what cannot be meant, before anything runs.
func (o gateOptions) check(picked []config.Gate) error {
	switch {
	case o.learn && len(picked) > 1:
		return coded{gates.ExitUsage, "--learn is for one gate", "name one gate"}
	case o.learn && o.json:
		return coded{gates.ExitUsage, "--learn prints a patch, and --json something else", "leave one of the two out; gpuci history GATE --json has the outcome"}
	case o.junit == "":
		return nil
	}
	if info, err := os.Stat(filepath.Dir(o.junit)); err != nil || !info.IsDir() {
		return coded{gates.ExitUsage, fmt.Sprintf("--junit %s: there is no directory %s", o.junit, filepath.Dir(o.junit)), "make it first"}
	}
	if info, err := os.Stat(o.junit); err == nil && info.IsDir() {
		return coded{gates.ExitUsage, fmt.Sprintf("--junit %s is a directory", o.junit), "name a file in it"}
	}
	return nil
}

// pick chooses the gates, in the order asked for, each once.
func pick(cfg *config.Config, o gateOptions, names []string) ([]config.Gate, error) {
	switch {
	case o.all && len(names) > 0:
		return nil, coded{gates.ExitUsage, "--all and names of gates exclude each other", "leave one of the two out"}
	case len(cfg.Gates) == 0:
		return nil, coded{gates.ExitNothing, "there is no [[gate]] in gpuci.toml yet", "gpuci gate --help has an example to begin with"}
	case o.all:
		names = gateNames(cfg)
	case len(names) == 0:
		return nil, coded{gates.ExitNothing, "no gate selected", "name one of: " + strings.Join(gateNames(cfg), ", ") + "; or --all"}
	}
	var out []config.Gate
	for _, name := range names {
		g, ok := cfg.Gate(name)
		switch {
		case !ok:
			return nil, noGate(cfg, name)
		case !slices.ContainsFunc(out, func(x config.Gate) bool { return x.Name == name }):
			out = append(out, *g)
		}
	}
	if len(o.args) == 0 {
		return out, nil
	}
	if len(out) > 1 {
		return nil, coded{gates.ExitUsage, "arguments after -- go to one gate, not to several", "name one gate"}
	}
	if err := gates.CheckArgs(out[0], o.args); err != nil {
		return nil, coded{gates.ExitUsage, err.Error(), `put "$@" into the string where the arguments belong, or write run as an array`}
	}
	return out, nil
}

func gateNames(cfg *config.Config) []string {
	var out []string
	for _, g := range cfg.Gates {
		out = append(out, g.Name)
	}
	return out
}

func noGate(cfg *config.Config, name string) error {
	return coded{gates.ExitNothing, fmt.Sprintf("there is no gate %q", name), nearHint(name, gateNames(cfg), "gpuci gate --list shows what there is")}
}

// gateLane is the lane that a gate runs in, with its configuration: the one we
// stand in, or the one that is named.
func (a *app) gateLane(cmd *cobra.Command, f laneFlags) (*config.Config, worktrees.Lane, error) {
	if len(f.lanes) == 0 {
		return a.workspace(cmd)
	}
	where, err := a.lanesMeant(cmd.Context(), f)
	if err != nil {
		return nil, worktrees.Lane{}, err
	}
	cfg, err := where.config(where.lanes[0])
	return cfg, where.lanes[0], err
}

func (a *app) options(cfg *config.Config, lane worktrees.Lane, o gateOptions, g config.Gate, state string, queue *gates.Queue, rule pressure.Rule, past *gates.Past) gates.Options {
	opt := gates.Options{
		Gate: g, Root: cfg.Root, Workspace: cfg, Kernels: gates.KernelSets(cfg, g), Lane: lane, State: state, Args: o.args, Strict: o.strict, Version: versionText(),
		Live: a.console, Terminal: a.console.tty, Note: a.console.note, Hurry: a.hurry,
		Base: cfg.Workspace.Base, KeepRuns: cfg.History.Runs, History: past, Tools: cfg.Tools, Queue: queue, Pressure: &gates.Pressure{Rule: rule},
	}
	opt.TraceLibrary = traceLibrary
	opt.Compare = a.comparer(cfg, g, o, state, rule, past)
	if o.verbose {
		opt.Detail = a.console.note
	}
	if a.bundle != nil {
		opt.Bundle = a.bundle.Of(g.Name)
	}
	if g.Card.Count > 0 || len(cfg.Protected) > 0 { // beside a protected run every build is alone
		opt.Cards = a.gateCards(cfg, queue.Values.LockDir, lane, o.card)
	}
	return opt
}

// gateQueue is how the gates' links queue: with the shims of this place in
// front of what they run.
func (a *app) gateQueue(cfg *config.Config, lane worktrees.Lane) *gates.Queue {
	p := place{dir: cfg.Root, lane: lane, config: cfg}
	env := ownEnv()
	q := &gates.Queue{
		Values: p.values(env), Serialize: cfg.Build.Serialize == config.SerializeBuild, Wait: cfg.Build.Wait,
		Marks: os.Getenv(shim.TicketsVar), Note: func() string { return ioFull(pressure.Read(pressureRoot())) },
	}
	q.Values.LockDir, q.Values.Lane, q.Values.Root = p.lockDir(), lane.Name, lane.Root
	q.Shims, q.Unfit = p.shims(env)
	return q
}

// jsonLine writes one JSON line to stdout.
func (a *app) jsonLine(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(line, '\n'))
	return err
}
