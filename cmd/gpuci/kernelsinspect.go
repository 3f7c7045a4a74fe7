package main

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
)

// inspectFlags are the flags of `gpuci kernels inspect`.
type inspectFlags struct {
	json, verbose bool
	kernels       []string
}

func (a *app) kernelsInspectCommand() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect FILE…",
		Short: "say what device code is in files, kernel by kernel",
		Long: `inspect reads cubins, PTX, fat binaries, and the device code in objects, static and
shared libraries and executables; of a directory, all files in it. What a file is
shows in its content, not in its name. It needs no CUDA, no GPU and no workspace.

  regs     32-bit registers of a thread
  spill    bytes of a thread, stores/loads; a cubin does not say: only ptxas does,
           while it compiles, and gpuci kernels check knows it of what it built
  stack    bytes of local memory of a thread
  shared   bytes of static shared memory of a block
  params   how many parameters, and the bytes of all
  threads  the largest block that launch bounds allow, "=" where only that one
  atomics  kinds of float atomics: these add in an order that nobody has fixed

"?" is what is not known. What cannot be read is said, and never left out.

Examples:
  gpuci kernels inspect kernels/scan.sm_90.cubin
  gpuci kernels inspect -v --kernel 'scan_*' target/release/libscan.so
  gpuci kernels inspect build/ --json | jq 'select(.kernels[].registers > 128)'

Exit codes: 0, 102 a file cannot be read, 4 there is no kernel in any of them, or none
of that name, 64 usage.`,
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
	s.BoolVarP(&f.verbose, "verbose", "v", false, "each parameter, with its offset, size and type, and each float atomic")
	s.BoolVar(&f.json, "json", false, "print JSON lines, one a module, each with a type")
	return cmd
}

// moduleLine is a module in JSON.
type moduleLine struct {
	Type string `json:"type"` // always "module"
	entry.Module
}

// unreadLine is a file that could not be read, in JSON.
type unreadLine struct {
	Type string `json:"type"` // always "unread"
	File string `json:"file"`
	Why  string `json:"why"`
	Exit int    `json:"exit,omitempty"`
}

func (a *app) kernelsInspect(cmd *cobra.Command, f inspectFlags, files []string) error {
	a.json = f.json
	for _, p := range f.kernels {
		if _, err := path.Match(p, ""); err != nil {
			return coded{gates.ExitUsage, fmt.Sprintf("--kernel %s: %v", p, err), ""}
		}
	}
	code, found, all := 0, 0, 0
	for _, file := range files {
		modules, err := kernels.Look(cmd.Context(), file)
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		unread := err != nil && !errors.Is(err, inspect.ErrNone) || whollyUnread(modules)
		for i, m := range modules {
			all += len(m.Kernels)
			modules[i].Kernels = slices.DeleteFunc(slices.Clone(m.Kernels), func(k entry.Kernel) bool { return !f.shows(k) })
			found += len(modules[i].Kernels)
		}
		if unread {
			code = gates.Broken.ExitCode()
		}
		if err := a.printModules(f, file, modules, err, unread); err != nil {
			return err
		}
	}
	if code == 0 && found == 0 {
		text := "there is no kernel in it"
		if all > 0 {
			text = fmt.Sprintf("there are %s, and none of that name", count(all, "kernel", "kernels"))
		}
		return coded{gates.ExitNothing, text, ""}
	}
	return coded{code: code}
}

// whollyUnread says that there is device code in a file, and that nothing of it could
// be read.
func whollyUnread(modules []entry.Module) bool {
	said := false
	for _, m := range modules {
		if len(m.Kernels) > 0 {
			return false
		}
		said = said || len(m.Unread) > 0
	}
	return said
}

// shows says whether a kernel is asked for.
func (f inspectFlags) shows(k entry.Kernel) bool {
	return len(f.kernels) == 0 || slices.ContainsFunc(f.kernels, func(p string) bool { return kernels.Matches(p, k) })
}

// printModules shows what is in one of the files that were named.
func (a *app) printModules(f inspectFlags, file string, modules []entry.Module, fault error, unread bool) error {
	code := 0
	if unread {
		code = gates.Broken.ExitCode()
	}
	if f.json {
		for _, m := range modules {
			if len(m.Kernels)+len(m.Unread) > 0 {
				if err := a.jsonLine(moduleLine{"module", m}); err != nil {
					return err
				}
			}
		}
		if fault != nil {
			return a.jsonLine(unreadLine{"unread", file, fault.Error(), code})
		}
		return nil
	}
	if _, err := a.out.Write([]byte(modulesText(modules, f.verbose))); err != nil {
		return err
	}
	if fault != nil {
		a.console.note(fault.Error())
	}
	return a.console.settle()
}
