package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/kernels"
	"gpuci/kernels/entry"
	"gpuci/worktrees"
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
  gpuci kernels verify     judge this repository's own kernels against their references
  gpuci kernels bundle     pack gates for a machine with a driver and nothing else

gpuci config shows the sets. A gate with kernels = ["scan"] compiles and checks the
set before it builds, and its numbers are metrics: kernel-registers,
kernel-spill-bytes, kernel-shared-bytes, kernel-stack-bytes, kernel-code-bytes.
Spills are bytes of a thread, stored or loaded, whichever are more, wherever one
number stands for them; "stores/loads" shows both.

A kernel is named as the driver looks it up or as its source has it: step, ns::step,
step<float>, all of "void ns::step<float>(float*)", and * stands for any letters.

Examples:
  gpuci kernels build --explain
  gpuci kernels check
  gpuci kernels inspect target/kernels/scan/cuda/scan.sm_90.cubin
  gpuci kernels diff HEAD scan

Exit codes: those of its commands; 64 for any other word.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.kernelsBuildCommand(), a.kernelsCheckCommand(), a.kernelsInspectCommand(), a.kernelsDiffCommand(), a.kernelsVerifyCommand(), a.kernelsBundleCommand())
	return cmd
}

// kernelFlags are the flags of the commands that compile.
type kernelFlags struct {
	nvcc, jobs                                  string
	explain, verbose, noCache, noPressure, json bool
}

func (f *kernelFlags) define(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.nvcc, "nvcc", "", "compile with `FILE`, or with what is in that toolkit or environment")
	s.StringVarP(&f.jobs, "jobs", "j", "", "compile `N` at once; 0, or without it, is one for each core")
	s.BoolVar(&f.noCache, "no-cache", false, "compile everything, and keep nothing")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
}

// parallel is how many are to be compiled at once, 0 for as many as there are cores.
func (f kernelFlags) parallel() (int, error) {
	if f.jobs == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(f.jobs)
	switch {
	case err != nil:
		return 0, coded{gates.ExitUsage, fmt.Sprintf("-j %s: that is no number", printable(f.jobs)), "-j 4 compiles four at once"}
	case n < 0:
		return 0, coded{gates.ExitUsage, fmt.Sprintf("-j is %d: compile at least one at a time", n), ""}
	}
	return n, nil
}

// deviceLine writes one JSON line to stdout. Names in device code are anybody's: what a
// terminal could take for a command is written out.
func (a *app) deviceLine(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range string(line) { // what is no UTF-8 Marshal has replaced
		if r >= 0x7f && r < 0xa0 {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('\n')
	_, err = a.out.Write([]byte(b.String()))
	return err
}

// moduleLines are modules in JSON, one a line.
func (a *app) moduleLines(set string, modules []entry.Module) error {
	for _, m := range modules {
		if len(m.Kernels)+len(m.Unread) == 0 {
			continue
		}
		if err := a.deviceLine(moduleLine{"module", set, m}); err != nil {
			return err
		}
	}
	return nil
}

// kernelWorkspace is workspace, where what is missing is a set and not a gate.
func (a *app) kernelWorkspace(cmd *cobra.Command) (*config.Config, worktrees.Lane, error) {
	cfg, lane, err := a.workspace(cmd)
	if errors.Is(err, config.ErrNotFound) {
		err = coded{gates.ExitConfig, `no gpuci.toml here or above; to make a workspace, put a file gpuci.toml with these lines at the root of the repository:

[[kernels]]
name = "cuda"
sources = ["**/*.cu"]
arch = ["sm_90"]
`, "gpuci init looks at what is there and writes one that runs at once"}
	}
	return cfg, lane, err
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
