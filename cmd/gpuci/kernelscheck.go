package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/build"
)

func (a *app) kernelsCheckCommand() *cobra.Command {
	var f kernelFlags
	var noBuild bool
	cmd := &cobra.Command{
		Use:   "check [SET…]",
		Short: "hold device code against budgets, hosts, cards and a fresh build",
		Long: `check compiles the sets that are named, or all, as gpuci kernels build does, and holds
what came of it and what is committed against

  budgets          max-registers, max-spill-bytes, max-shared, max-stack
  entries          that must be there, and the same one in two modules
  hosts            the names that they look up, in the modules that they load; the
                   number and sizes of the arguments that they launch with
  [[kernels.launch]]  the same, where no source says it
  deterministic    kernels that must not add floats in no order
  a fresh build    of the source of each prebuilt file: entries, parameters, and where
                   one compiler made both, all that a kernel runs
  [[card]]         of /etc/gpuci.toml: whether anything runs there

A finding says where, what was expected and found, what happens at run time if it is
ignored, and what to do. A note turns nothing red: what a host source does that could
not be followed, a file that no source makes. What is not known is said, and never
passed. What somebody has looked at can be accepted, with why: [[kernels.accept]];
it is shown as accepted, and a gate carries it as a mark. gpuci kernels check reads
sources; it does not compile hosts or run anything.

With --no-build it takes what lies there: whether that is what the sources make is
then not known, nor what was spilled, unless gpuci built these very files.
With -v each kernel is shown as by gpuci kernels inspect, with its spills.

Examples:
  gpuci kernels check
  gpuci kernels check scan --json | jq -r 'select(.type == "kernels-finding") | .harm'

Exit codes: 0 all holds, though there may be notes, 100 something does not, 101 a source
does not compile, 69 there is no compiler, 75 as build; 4 no such set, or none at all,
64 usage, 78 configuration, 130 and 143 interrupted.`,
		ValidArgsFunction: a.kernelWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.kernelsCheck(cmd, f, noBuild, args)
		},
	}
	f.define(cmd)
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show each kernel, and every note of many that are alike")
	cmd.Flags().BoolVar(&noBuild, "no-build", false, "check what lies there, and compile nothing")
	return cmd
}

func (a *app) kernelsCheck(cmd *cobra.Command, f kernelFlags, noBuild bool, names []string) error {
	a.json = f.json
	cfg, lane, err := a.kernelWorkspace(cmd)
	if err != nil {
		return err
	}
	sets, err := kernelSets(cfg, names)
	if err != nil {
		return err
	}
	take := func(ctx context.Context, s kernels.Set) (kernels.Built, error) {
		if err := sound(s); err != nil {
			return kernels.Built{}, err
		}
		return kernels.Existing(ctx, s, gates.KernelCache())
	}
	if !noBuild {
		c, err := a.compiling(cmd.Context(), cfg, lane, f)
		if err != nil {
			return err
		}
		defer c.end()
		take = func(ctx context.Context, s kernels.Set) (kernels.Built, error) { return c.build(ctx, s, false) }
	}
	var codes []int
	for _, s := range sets {
		b, err := take(cmd.Context(), s)
		if fatal := a.kernelError(cmd.Context(), err); fatal != nil {
			return fatal
		}
		code := a.notCompiled(err, false)
		if !errors.As(err, new(*build.Failure)) { // of half a set much would be found that is not so
			r, err := kernels.Check(cmd.Context(), s, b)
			if err != nil {
				return err
			}
			_ = a.console.settle()
			if code, err = a.printReport(r, f); err != nil {
				return err
			}
		}
		codes = append(codes, code)
	}
	return coded{code: gates.WorstExit(codes...)}
}
