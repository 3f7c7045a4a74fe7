package main

import (
	"fmt"
	"strings"

	"gpuci/gates"
	"gpuci/kernels/entry"
)

// moduleLine is a module in JSON.
type moduleLine struct {
	Type string `json:"type"`          // always "module"
	Set  string `json:"set,omitempty"` // of build and check
	entry.Module
}

// unreadLine is a file that could not be read, in JSON.
type unreadLine struct {
	Type string `json:"type"` // always "unread"
	File string `json:"file"`
	Why  string `json:"why"`
	Exit int    `json:"exit,omitempty"`
}

// totalLine closes what is said of files, in JSON.
type totalLine struct {
	Type    string `json:"type"` // always "kernels-inspect"
	Modules int    `json:"modules"`
	Kernels int    `json:"kernels"`
	Of      int    `json:"of"` // kernels that there are
	Exit    int    `json:"exit"`
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

// printModules shows what is in one of the files that were named; below says that others
// stand above it.
func (a *app) printModules(f inspectFlags, file string, modules []entry.Module, below bool, fault error, unread bool) error {
	code := 0
	if unread {
		code = gates.Broken.ExitCode()
	}
	if f.json {
		if err := a.moduleLines("", modules); err != nil || fault == nil {
			return err
		}
		return a.deviceLine(unreadLine{"unread", file, fault.Error(), code})
	}
	text := a.kernelView(f.verbose).modules(modules)
	if below && text != "" {
		text = "\n" + text
	}
	if _, err := a.out.Write([]byte(text)); err != nil {
		return err
	}
	if fault != nil {
		a.console.note(fault.Error())
	}
	return a.console.settle()
}

// printTotal says of several kernels how many there are, and of each number the most.
func (a *app) printTotal(f inspectFlags, all, shown []entry.Module, code int) error {
	n := kernelCount(shown)
	if f.json {
		return a.deviceLine(totalLine{"kernels-inspect", len(shown), n, kernelCount(all), code})
	}
	if n < 2 {
		return nil
	}
	_, err := a.out.Write([]byte("\n" + totals(shown, n, kernelCount(all)) + "\n"))
	return err
}

// totals is a line for several kernels.
func totals(shown []entry.Module, n, of int) string {
	text := count(n, "kernel", "kernels")
	if of > n {
		text += fmt.Sprintf(" of %d", of)
	}
	text += " in " + count(len(shown), "module", "modules")
	var registers, shared, spilled, unknown, adds int
	for _, m := range shown {
		for _, k := range m.Kernels {
			registers, shared = max(registers, orLess(k.Registers)), max(shared, orLess(k.Shared))
			switch s := largerSpill(k); {
			case s == nil:
				unknown++
			case *s > 0:
				spilled++
			}
			if len(k.Atomics) > 0 {
				adds++
			}
		}
	}
	var parts []string
	if registers > 0 {
		parts = append(parts, fmt.Sprintf("up to %d registers", registers), fmt.Sprintf("%d bytes of shared memory", shared))
	}
	parts = append(parts, fmt.Sprintf("%d with float atomics", adds))
	if unknown < n {
		parts = append(parts, fmt.Sprintf("%d with spills", spilled))
	}
	if unknown > 0 && registers > 0 {
		parts = append(parts, fmt.Sprintf("spills not known of %d", unknown))
	}
	return text + ": " + strings.Join(parts, ", ")
}
