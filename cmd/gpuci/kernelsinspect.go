package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
)

// inspectFlags are the flags of `gpuci kernels inspect`.
type inspectFlags struct {
	json, verbose  bool
	kernels, archs []string
	sort           string
}

func (a *app) kernelsInspectCommand() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect FILE|SET…",
		Short: "say what device code is in files, kernel by kernel",
		Long: `inspect reads cubins, PTX, fat binaries, and the device code in objects, static and
shared libraries and executables; of a directory, all files in it; of a set, what was
built of it; - is stdin. What a file is shows in its content, not in its name. It needs
no CUDA, no GPU and, but for a set, no workspace.

  regs     32-bit registers of a thread
  spill    bytes of a thread, stores/loads, with those of functions that were compiled
           with it; 0 where there is neither. A cubin does not say: ptxas does while it
           compiles, so that it is known of what gpuci has built here, wherever the file
           lies now
  stack    bytes of local memory of a thread
  shared   bytes of static shared memory of a block, as the source declares it: from
           sm_90 on cuobjdump shows 1024 more, which are the system's part
  params   how many parameters, and the bytes of all
  threads  the largest block that launch bounds allow, "=" where only that one
  atomics  kinds of float atomics: these add in an order that nobody has fixed

"?" is what is not known. What cannot be read is said, and never left out. A terminal
that is narrow shows names without their middle and the columns that fit; a pipe, a
file and -v have all of them.

Examples:
  gpuci kernels inspect kernels/scan.sm_90.cubin
  gpuci kernels inspect -v --kernel 'ns::scan_*' target/release/libscan.so
  gpuci kernels inspect libnccl.so.2 --arch sm_90 --sort registers
  gpuci kernels inspect build/ --json | jq 'select(.kernels[]?.registers > 128)'

Exit codes: 0, 102 a file cannot be read, 4 there is no kernel in any of them, or none
of that name or architecture, 64 usage.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return coded{gates.ExitUsage, "there is no file to inspect", "gpuci kernels inspect FILE"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.kernelsInspect(cmd, f, args) },
	}
	s := cmd.Flags()
	s.StringArrayVar(&f.kernels, "kernel", nil, "only kernels of this name or `PATTERN`, with * for any letters; can be repeated")
	s.StringArrayVar(&f.archs, "arch", nil, "only code for this `ARCH`, as in sm_90a; can be repeated")
	s.StringVar(&f.sort, "sort", "", "the largest first, of `KEY`: "+strings.Join(kernelOrders(), ", "))
	s.BoolVarP(&f.verbose, "verbose", "v", false, "each parameter, with its offset, size and type, and each float atomic")
	s.BoolVar(&f.json, "json", false, "print JSON lines, one a module, each with a type")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(kernelOrders(), noWords)) // of a flag that is there
	return cmd
}

// check says what of the flags cannot be meant.
func (f inspectFlags) check() error {
	for _, p := range f.kernels {
		if _, err := path.Match(p, ""); err != nil && !strings.Contains(p, "]") {
			return coded{gates.ExitUsage, fmt.Sprintf("--kernel %s: %v", p, err), ""}
		}
	}
	if f.sort != "" && !slices.Contains(kernelOrders(), f.sort) {
		return coded{gates.ExitUsage, fmt.Sprintf("--sort %s: there is no such order", f.sort), nearHint(f.sort, kernelOrders(), "there is "+strings.Join(kernelOrders(), ", "))}
	}
	return nil
}

func (a *app) kernelsInspect(cmd *cobra.Command, f inspectFlags, files []string) error {
	a.json = f.json
	if err := f.check(); err != nil {
		return err
	}
	var all, shown []entry.Module
	code := 0
	for _, file := range files {
		modules, err := a.inspected(cmd, f, file)
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		var fatal coded
		if errors.As(err, &fatal) {
			return err
		}
		unread := err != nil && !errors.Is(err, inspect.ErrNone) || whollyUnread(modules)
		if unread {
			code = gates.Broken.ExitCode()
		}
		some := f.chosen(modules)
		if err := a.printModules(f, file, some, len(shown) > 0, err, unread); err != nil {
			return err
		}
		all, shown = append(all, modules...), append(shown, some...)
	}
	err := coded{code: code}
	if code == 0 && kernelCount(shown) == 0 {
		err = f.none(all)
	}
	if err := a.printTotal(f, all, shown, err.code); err != nil {
		return err
	}
	return err
}

// chosen are the modules and kernels that are asked for. A module of which nothing is
// left is not shown, unless something of it could not be read.
func (f inspectFlags) chosen(modules []entry.Module) (out []entry.Module) {
	for _, m := range modules {
		if len(f.archs) > 0 && !slices.Contains(f.archs, m.Arch) && (m.Arch != "" || len(m.Unread) == 0) {
			continue
		}
		m.Kernels = slices.DeleteFunc(slices.Clone(m.Kernels), func(k entry.Kernel) bool { return !f.shows(k) })
		m.Kernels = kernelView{sort: f.sort}.sorted(m.Kernels)
		if len(m.Kernels)+len(m.Unread) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// shows says whether a kernel is asked for.
func (f inspectFlags) shows(k entry.Kernel) bool {
	return len(f.kernels) == 0 || slices.ContainsFunc(f.kernels, func(p string) bool { return kernels.Matches(p, k) })
}

// none says why nothing is shown, and what is like that which was asked for.
func (f inspectFlags) none(all []entry.Module) coded {
	var archs []string
	for _, m := range all {
		if len(m.Kernels) > 0 && !slices.Contains(archs, m.Arch) {
			archs = append(archs, m.Arch)
		}
	}
	total := "there are " + count(kernelCount(all), "kernel", "kernels")
	if kernelCount(all) == 1 {
		total = "there is 1 kernel"
	}
	switch {
	case kernelCount(all) == 0:
		return coded{gates.ExitNothing, "there is no kernel in it", ""}
	case len(f.archs) > 0 && !slices.ContainsFunc(archs, func(a string) bool { return slices.Contains(f.archs, a) }):
		slices.Sort(archs)
		return coded{gates.ExitNothing, fmt.Sprintf("%s, and none for %s", total, strings.Join(f.archs, " or ")), "there is code for " + few(archs)}
	}
	hint := ""
	for _, p := range f.kernels {
		if near := kernels.Near(p, all); len(near) > 0 && hint == "" {
			hint = "did you mean " + printable(strings.Join(near, " or ")) + "?"
		}
	}
	return coded{gates.ExitNothing, total + ", and none of that name", hint}
}

func kernelCount(modules []entry.Module) (n int) {
	for _, m := range modules {
		n += len(m.Kernels)
	}
	return n
}
