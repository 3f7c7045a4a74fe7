package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
)

// inspected reads what one word of the command line names.
func (a *app) inspected(cmd *cobra.Command, f inspectFlags, word string) ([]entry.Module, error) {
	if word == "-" {
		return inspectStdin(cmd.Context(), cmd.InOrStdin())
	}
	path := a.pathOf(word)
	info, gone := os.Stat(path)
	if gone != nil {
		if modules, ok, err := a.inspectSet(cmd, word); ok {
			return modules, err
		}
	}
	look := kernels.LookBriefly
	if f.json { // which shows them
		look = kernels.Look
	}
	modules, err := look(cmd.Context(), path)
	if errors.Is(err, inspect.ErrNone) && info != nil && info.IsDir() { // a set is often called as its sources are
		if modules, ok, err := a.inspectSet(cmd, word); ok {
			return modules, err
		}
	}
	if gone != nil && !strings.ContainsAny(word, `/\`) {
		err = fmt.Errorf("%w, and there is no kernel set of that name", err)
	}
	if hint := packed(path); hint != "" && errors.Is(err, inspect.ErrNone) {
		err = fmt.Errorf("%w; %s", err, hint)
	}
	kernels.Known(gates.KernelCache(), modules)
	return modules, err
}

// pathOf is a word as the name of a file, from where -C says.
func (a *app) pathOf(word string) string {
	if a.dir != "" && !filepath.IsAbs(word) {
		return filepath.Join(a.dir, word)
	}
	return word
}

// inspectStdin reads stdin to its end. Code is looked for in any place of it, so it is
// put into a file first.
func inspectStdin(ctx context.Context, in io.Reader) ([]entry.Module, error) {
	const most = 4 << 30 // bytes: more than any library has
	f, err := os.CreateTemp("", "gpuci-inspect-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	n, err := io.Copy(f, io.LimitReader(in, most+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("inspect stdin: %w", err)
	}
	if n > most {
		return nil, fmt.Errorf("inspect stdin: it has more than %d bytes: put it into a file", int64(most))
	}
	modules, err := inspect.File(ctx, f.Name(), inspect.Options{})
	kernels.Known(gates.KernelCache(), modules)
	for i := range modules {
		modules[i].File = "-"
	}
	if err != nil {
		err = renamed{err, f.Name(), "-"}
	}
	return modules, err
}

// renamed is an error in which a file goes by the name that the user knows.
type renamed struct {
	error
	from, to string
}

func (r renamed) Error() string { return strings.ReplaceAll(r.error.Error(), r.from, r.to) }
func (r renamed) Unwrap() error { return r.error }

// inspectSet reads what was built of a set, if there is one of that name.
func (a *app) inspectSet(cmd *cobra.Command, word string) (all []entry.Module, ok bool, err error) {
	if strings.ContainsAny(word, `/\`) {
		return nil, false, nil
	}
	cfg, _, err := a.workspace(cmd)
	if err != nil {
		return nil, false, nil // then it is a file that is not there
	}
	k, ok := cfg.KernelSet(word)
	if !ok {
		return nil, false, nil
	}
	set := gates.KernelSet(cfg, k, cfg.Root)
	if err := sound(set); err != nil {
		return nil, true, err
	}
	b, err := kernels.Existing(cmd.Context(), set, gates.KernelCache())
	if err != nil {
		return nil, true, err
	}
	if len(b.Unread) > 0 && len(b.Modules) == 0 {
		return nil, true, coded{gates.ExitNothing, fmt.Sprintf("nothing is built of the set %s", word), "gpuci kernels build " + word}
	}
	for _, u := range b.Unread {
		err = errors.Join(err, u.Err)
	}
	return a.openable(kernels.Plain(b.Modules), cfg.Root), true, err
}

// openable names files so that they can be opened from where the user stands.
func (a *app) openable(modules []entry.Module, root string) []entry.Module {
	here, err := os.Getwd()
	for i := range modules {
		m := &modules[i]
		if filepath.IsAbs(m.File) || err != nil {
			continue
		}
		m.File = filepath.Join(root, m.File)
		if rel, err := filepath.Rel(here, m.File); err == nil && len(rel) < len(m.File) {
			m.File = rel
		}
	}
	return modules
}

// packed says of an archive that we do not look into how to open it.
func packed(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // to open a FIFO is to wait
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 4)
	_, _ = io.ReadFull(f, head)
	switch {
	case string(head) == "PK\x03\x04":
		return "it is a zip archive, as wheels are: unzip it, and inspect the directory"
	case head[0] == 0x1f && head[1] == 0x8b:
		return "it is packed by gzip: unpack it, and inspect what comes out"
	}
	return ""
}
