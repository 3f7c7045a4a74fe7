package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/bundle"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// bundleFlags are the flags of `gpuci kernels bundle`.
type bundleFlags struct {
	out                       string
	json, verbose, noPressure bool
}

func (a *app) kernelsBundleCommand() *cobra.Command {
	var f bundleFlags
	cmd := &cobra.Command{
		Use:   "bundle [GATE…]",
		Short: "pack gates for a machine with a driver and nothing else",
		Long: `bundle builds the gates that are named, or all that need a card, as gpuci gate does,
and packs what their runs need into one archive: gpuci, gpuci-cuda, the library that
[gate.trace] loads, the programs and cubins, fixtures, gpuci.toml, and a manifest with
the hash of each file. It runs
where there is no Go, nvcc, git or repository:

  tar xf kda.tar.gz && cd kda && ./gpuci gate --all --keep-going

Outcomes, numbers, exit codes, --json and logs are those of gpuci gate. The step
"bundle" comes first: a file that was changed or is missing, a program, library or
script that came to it, is broken (102) and named; other files that came are a mark;
another gpuci, architecture or an older glibc is refused (75). An outcome is bound to the commit and the uncommitted changes that the
bundle was made of, and to the bundle's id. Runs are recorded below
$XDG_STATE_HOME/gpuci (~/.local/state/gpuci), so that the bundle itself may lie on a
read-only disk.

What is packed is read off the configuration: programs and files that run names, also
in the text of scripts for a shell, outputs of the gate's [[kernels]], products,
[[fixture]]s with the gate in used-by, gpuci-cuda beside a gpuci. For what else a run
opens, the gate says so:

  [[gate]]
  name = "fused-fixture-cuda"
  bundle = ["kernels/kda/testdata/**"]    # ** is any directories

Links are followed where they stay in the workspace. One that leads out of it, a pipe,
and a name that is not UTF-8 are refused and named (78).

A run that needs cargo, go, python or another tool that such a machine has not cannot
be packed (78). Uncommitted changes are packed as they are, and outcomes say so. The
same files and settings make the same bytes. Without -o the archive is written where
you stand, and refused (64) where that is in the lane and git does not ignore it: it
would be a change there.

Examples:
  gpuci kernels bundle -o ../kda.tar.gz
  gpuci kernels bundle fused-adjoint-cuda fused-time -o ../kda.tar.gz

Exit codes: 0 packed, 101 a gate does not build, 102 a product is not of this lane's
sources or changed while it was packed, 75 a build was refused, 69 no C compiler for
the library of [gate.trace], 78 a gate cannot be packed; 4 no such gate, or none that
needs a card, 64 usage, 130 and 143 interrupted.`,
		ValidArgsFunction: a.gateWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.kernelsBundle(cmd, f, args) },
	}
	s := cmd.Flags()
	s.StringVarP(&f.out, "output", "o", "", "write the archive `FILE`: NAME.tar.gz or NAME.tar, which unpacks to NAME; that of the workspace without it")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "list the files")
	return cmd
}

func (a *app) kernelsBundle(cmd *cobra.Command, f bundleFlags, names []string) error {
	a.json = f.json
	ctx := cmd.Context()
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	if a.bundle != nil {
		return coded{gates.ExitUsage, "this is a bundle already: it has no sources to build from", "make another one in the workspace"}
	}
	picked, err := bundledGates(cfg, names)
	if err != nil {
		return err
	}
	out, dir, err := a.bundleOut(cfg, f)
	if err != nil {
		return err
	}
	if err := a.besideLane(ctx, lane, f, out); err != nil {
		return err
	}
	for _, g := range picked { // what can be told before anything is built
		if err := soonUnbundled(cfg, g); err != nil {
			return bundleError(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	built, err := a.buildBundled(ctx, cfg, lane, f, picked)
	if err != nil {
		return err
	}
	library, err := bundledTrace(ctx, picked)
	if err != nil {
		return err
	}
	pack, err := bundle.Plan(bundle.Making{Config: cfg, Gates: built, Version: versionText(), Program: self, Out: out, TraceLibrary: library})
	if err != nil {
		return bundleError(err)
	}
	defer pack.Close()
	size, err := writeBundle(ctx, pack, out, dir)
	if err != nil {
		return bundleError(err)
	}
	return a.printBundle(pack, out, dir, size, f)
}

// bundledTrace is the library that gates load which the atlas counts; "" where none does.
func bundledTrace(ctx context.Context, picked []config.Gate) (string, error) {
	if !slices.ContainsFunc(picked, func(g config.Gate) bool { return g.Trace != nil }) {
		return "", nil
	}
	path, err := traceLibrary(ctx)
	if err != nil && ctx.Err() == nil {
		return "", coded{exitUnfit, err.Error(), "apt-get install gcc, or leave gates with [gate.trace] out"}
	}
	return path, err
}

// bundledGates are the gates that are named, else those that need a card.
func bundledGates(cfg *config.Config, names []string) ([]config.Gate, error) {
	if len(names) > 0 {
		return pick(cfg, gateOptions{}, names)
	}
	var out []config.Gate
	for _, g := range cfg.Gates {
		if g.Card.Count > 0 {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil, coded{gates.ExitNothing, `no gate of gpuci.toml needs a card: none has needs = ["gpu"]`, "name gates: " + orNone(strings.Join(gateNames(cfg), ", "))}
	}
	return out, nil
}

// soonUnbundled is why a gate cannot be packed, as far as it has nothing to do with what
// is not built yet.
func soonUnbundled(cfg *config.Config, g config.Gate) error {
	g.Bundle, g.Products, g.Build = nil, nil, nil
	_, err := gates.NeededBy(cfg, g)
	var no *gates.NotBundledError
	if errors.As(err, &no) && !no.Unbuilt {
		return err
	}
	return nil
}

// buildBundled builds the gates one after the other, and stops at one that does not.
func (a *app) buildBundled(ctx context.Context, cfg *config.Config, lane worktrees.Lane, f bundleFlags, picked []config.Gate) (out []bundle.Built, err error) {
	state, note := gates.StateDir(lane, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	queue := a.gateQueue(cfg, lane)
	rule, err := place{config: cfg}.rule(ownEnv(), f.noPressure)
	if err != nil {
		return nil, err
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, lane))
	defer past.Close()
	for _, g := range picked {
		a.console.note("building gate " + g.Name)
		v, carried := gates.BuildOnly(ctx, a.options(cfg, lane, gateOptions{}, g, state, queue, rule, past))
		_ = a.console.settle()
		if ctx.Err() != nil {
			return nil, coded{code: exitCode(context.Cause(ctx), true)}
		}
		if v.Outcome != gates.Green && v.Outcome != gates.Attention {
			if err := a.print(v, gateOptions{json: f.json}); err != nil && !unheard(err) {
				return nil, err
			}
			return nil, coded{v.Exit, fmt.Sprintf("gate %s is not built, and nothing is packed", g.Name), ""}
		}
		out = append(out, bundle.Built{Gate: g, Verdict: v, Carried: carried})
	}
	return out, nil
}

// bundleError gives the errors of packing their exit codes.
func bundleError(err error) error {
	var no *gates.NotBundledError
	switch {
	case errors.As(err, &no):
		return coded{gates.ExitConfig, no.Error(), no.Next}
	case errors.Is(err, bundle.ErrChanged):
		return coded{gates.Broken.ExitCode(), err.Error(), "let nobody else build here meanwhile, and do it again"}
	}
	return err
}
