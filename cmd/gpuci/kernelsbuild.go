package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/build"
)

func (a *app) kernelsBuildCommand() *cobra.Command {
	var f kernelFlags
	cmd := &cobra.Command{
		Use:   "build [SET…]",
		Short: "compile the CUDA sources of the workspace",
		Long: `build makes every output of the sets that are named, or of all, that is not what the
compiler would make of the files as they are now. Content decides, not times: each
source, every header that was really included and every place where one could appear
earlier on the include path, the flags, the compiler, the architecture. What was
compiled once is kept and shared by all lanes.

nvcc is the one of --nvcc, of the set's compiler, GPUCI_NVCC, CUDA_HOME or CUDA_PATH,
PATH, /usr/local/cuda*, or of NVIDIA's Python packages in the active environment;
gpuci doctor says which, and why not the others. It is supervised as a gate's commands
are, waits while somebody else's work stalls the machine, and its links queue.

With --explain each output has a line that says why it was compiled: which header,
flag, or what else changed. With -v each kernel is shown as by gpuci kernels inspect,
with its spills, which only the compiler tells.

Examples:
  gpuci kernels build
  gpuci kernels build scan --explain
  gpuci kernels build -j4 --no-cache --nvcc /usr/local/cuda-12.6

Exit codes: 0, 101 something does not compile, 69 there is no compiler, 75 held back for
ever by [pressure] or the build lock; 4 no such set, or none at all, 64 usage, 78
configuration (also a pattern that finds no source), 130 and 143 interrupted.`,
		ValidArgsFunction: a.kernelWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.kernelsBuild(cmd, f, args) },
	}
	f.define(cmd)
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show each kernel, with its spills")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "say why each output was compiled")
	return cmd
}

// kernelSetLine is what came of a set, in JSON.
type kernelSetLine struct {
	Type string `json:"type"` // always "kernels-build"
	gates.KernelSum
	Exit int `json:"exit"`
}

func (a *app) kernelsBuild(cmd *cobra.Command, f kernelFlags, names []string) error {
	a.json = f.json
	cfg, lane, err := a.kernelWorkspace(cmd)
	if err != nil {
		return err
	}
	sets, err := kernelSets(cfg, names)
	if err != nil {
		return err
	}
	c, err := a.compiling(cmd.Context(), cfg, lane, f)
	if err != nil {
		return err
	}
	defer c.end()
	var codes []int
	for _, s := range sets {
		began := time.Now()
		b, err := c.build(cmd.Context(), s, f.explain)
		if fatal := a.kernelError(cmd.Context(), err); fatal != nil {
			return fatal
		}
		line := kernelSetLine{Type: "kernels-build", KernelSum: gates.KernelSumOf(s, b), Exit: a.notCompiled(err, f.json)}
		line.Seconds = time.Since(began).Seconds()
		codes = append(codes, line.Exit)
		_ = a.console.settle()
		if f.json {
			err = errors.Join(a.moduleLines(s.Name(), kernels.Plain(b.Modules)), a.deviceLine(line))
		} else {
			err = a.printBuilt(s, b, line, f)
		}
		if err != nil {
			return err
		}
	}
	return coded{code: gates.WorstExit(codes...)}
}

// notCompiled says what the compiler said of the units that it did not compile, and
// gives the exit code of the set.
func (a *app) notCompiled(err error, quiet bool) int {
	var failed *build.Failure
	if !errors.As(err, &failed) {
		return 0
	}
	for _, u := range failed.Units {
		if !quiet { // else the unit has it
			a.console.note(fmt.Sprintf("%s does not compile:", u))
			a.console.raw(printable(u.Err.Error()))
		}
	}
	return gates.BuildFailed.ExitCode()
}

// printBuilt says what came of a set, in a line, and with --explain why.
func (a *app) printBuilt(s kernels.Set, b kernels.Built, line kernelSetLine, f kernelFlags) error {
	var text strings.Builder
	if f.verbose && len(b.Modules) > 0 {
		text.WriteString(a.kernelView(false).modules(a.openable(kernels.Plain(b.Modules), s.Build.Root)) + "\n")
	}
	text.WriteString(printable(line.Text()) + "\n")
	for _, u := range b.Units {
		if f.explain {
			fmt.Fprintf(&text, "  %-8s %s%s\n", u.Outcome, printable(u.String()), printable(because(u.Why)))
		}
	}
	if f.explain && b.Compiler.Path != "" {
		fmt.Fprintf(&text, "  nvcc %s at %s: %s\n", b.Compiler.Version, printable(b.Compiler.Path), printable(b.Compiler.Why))
	}
	_, err := a.out.Write([]byte(text.String()))
	return err
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
