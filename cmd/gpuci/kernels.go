package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/kernels"
)

func (a *app) kernelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kernels",
		Short: "compile device code, and say what is in it before anything launches it",
		Long: `kernels compiles the CUDA sources of a workspace and says what is in the result,
without a GPU. A set of them in gpuci.toml:

  [[kernels]]
  name = "scan"
  sources = ["cuda/*.cu"]
  arch = ["sm_90"]
  prebuilt = ["kernels/*.cubin"]   # committed: held against a fresh build
  host = ["src/**/*.rs"]           # what loads it, looks names up and launches
  max-spill-bytes = 0

  gpuci kernels build      compile what is not what it must be
  gpuci kernels check      hold it against budgets, hosts, cards and a fresh build
  gpuci kernels inspect    what is in any file: registers, spills, parameters
  gpuci kernels diff       what changed between two files, directories or commits

gpuci config shows the sets. A gate with kernels = ["scan"] compiles and checks the
set before it builds, and its numbers are metrics: kernel-registers,
kernel-spill-bytes, kernel-shared-bytes, kernel-stack-bytes, kernel-code-bytes.

Examples:
  gpuci kernels build --explain
  gpuci kernels check
  gpuci kernels inspect target/kernels/scan/cuda/scan.sm_90.cubin
  gpuci kernels diff HEAD scan

Exit codes: those of its commands; 64 for any other word.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.kernelsBuildCommand(), a.kernelsCheckCommand(), a.kernelsInspectCommand(), a.kernelsDiffCommand())
	return cmd
}

// kernelFlags are the flags of the commands that compile.
type kernelFlags struct {
	nvcc                               string
	jobs                               int
	explain, noCache, noPressure, json bool
}

func (f *kernelFlags) define(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.nvcc, "nvcc", "", "compile with `FILE`, or with what is in that toolkit or environment")
	s.IntVarP(&f.jobs, "jobs", "j", 0, "compile `N` at once; 0 is one for each core")
	s.BoolVar(&f.noCache, "no-cache", false, "compile everything, and keep nothing")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
}

func (f kernelFlags) check() error {
	if f.jobs < 0 {
		return coded{gates.ExitUsage, fmt.Sprintf("-j is %d: compile at least one at a time", f.jobs), ""}
	}
	return nil
}

// kernelSets are the sets that are named, or all.
func kernelSets(cfg *config.Config, names []string) ([]kernels.Set, error) {
	if len(cfg.Kernels) == 0 {
		return nil, coded{gates.ExitNothing, "there is no [[kernels]] in gpuci.toml yet", "gpuci kernels --help has one to begin with"}
	}
	var list []kernels.Set
	for i, name := range names {
		k, ok := cfg.KernelSet(name)
		if !ok {
			return nil, noKernelSet(cfg, name)
		}
		if !slices.Contains(names[:i], name) {
			list = append(list, gates.KernelSet(cfg, k, cfg.Root))
		}
	}
	if len(names) == 0 {
		for _, k := range cfg.Kernels {
			list = append(list, gates.KernelSet(cfg, k, cfg.Root))
		}
	}
	return list, nil
}

func noKernelSet(cfg *config.Config, name string) error {
	names := kernelSetNames(cfg)
	return coded{gates.ExitNothing, fmt.Sprintf("there is no set of kernels %q", name), nearHint(name, names, "there is "+orNone(strings.Join(names, ", ")))}
}

func kernelSetNames(cfg *config.Config) (names []string) {
	for _, k := range cfg.Kernels {
		names = append(names, k.Name)
	}
	return names
}

// kernelWords are the sets that are not named yet.
func (a *app) kernelWords(cmd *cobra.Command, args []string, word string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	cmd.SetContext(contextOr(cmd.Context()))
	cfg, _, err := a.workspace(cmd)
	if err != nil {
		return nil, noWords
	}
	for _, k := range cfg.Kernels {
		if strings.HasPrefix(k.Name, word) && !slices.Contains(args, k.Name) {
			out = append(out, cobra.CompletionWithDesc(printable(k.Name), printable(few(append(slices.Clone(k.Sources), k.Prebuilt...)))))
		}
	}
	return out, noWords
}

// kernelSides are the sets, beside the files that a shell finds.
func (a *app) kernelSides(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, noWords
	}
	out, _ := a.kernelWords(cmd, args, word)
	return out, cobra.ShellCompDirectiveDefault
}
