package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/kernels"
	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
	"gpuci/worktrees"
)

// side is one state that is compared.
type side struct {
	name    string
	path    string           // of a file or a directory; "" of what is built
	commit  worktrees.Commit // of a commit; the zero one is the lane as it is
	set     string           // "" is all
	modules []entry.Module
}

func (s side) kernels() (n int) {
	for _, m := range s.modules {
		n += len(m.Kernels)
	}
	return n
}

// differ finds out what the sides of a comparison are, and reads them.
type differ struct {
	app   *app
	cmd   *cobra.Command
	flags kernelFlags
	cfg   *config.Config // nil until something is not a file
	lane  worktrees.Lane
	ends  []func()
}

func (d *differ) end() {
	for i := len(d.ends) - 1; i >= 0; i-- {
		d.ends[i]()
	}
}

// sides says what the words mean. A bare commit beside a set is that set of it.
func (d *differ) sides(words []string) (out [2]side, err error) {
	for i, word := range words {
		if out[i], err = d.side(word); err != nil {
			return out, err
		}
	}
	if len(words) == 1 {
		out[1] = side{name: "now"}
		if err := d.workspace(); err != nil {
			return out, err
		}
		if out[0].set != "" {
			out[1].name, out[1].set = out[0].set, out[0].set
		}
	}
	for i := range out {
		if other := out[1-i]; out[i].path == "" && out[i].set == "" && out[i].commit.ID != "" && other.path == "" {
			out[i].set = other.set
		}
	}
	return out, nil
}

func (d *differ) side(word string) (side, error) {
	path := word
	if d.app.dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(d.app.dir, path)
	}
	_, missing := os.Stat(path)
	isPath := missing == nil
	if isPath && strings.ContainsAny(word, "/.") {
		return side{name: word, path: path}, nil
	}
	if err := d.workspace(); err != nil {
		if isPath {
			return side{name: word, path: path}, nil
		}
		if strings.ContainsAny(word, "/.") {
			return side{}, coded{gates.Broken.ExitCode(), fmt.Sprintf("%s: there is no such file", word), ""}
		}
		return side{}, err
	}
	if _, ok := d.cfg.KernelSet(word); ok {
		return side{name: word, set: word}, nil
	}
	if isPath {
		return side{name: word, path: path}, nil
	}
	rev, set, _ := strings.Cut(word, ":")
	c, err := worktrees.CommitOf(d.cmd.Context(), d.lane, rev)
	switch {
	case d.cmd.Context().Err() != nil:
		return side{}, context.Cause(d.cmd.Context())
	case d.lane.Root == "" || rev == "" || errors.Is(err, worktrees.ErrGone):
		names := kernelSetNames(d.cfg)
		return side{}, coded{gates.ExitNothing, fmt.Sprintf("%s is no file, no set and no commit", word), nearHint(word, names, "there is "+orNone(strings.Join(names, ", ")))}
	case err != nil:
		return side{}, err
	}
	return side{name: word, commit: c, set: set}, nil
}

// workspace reads the configuration, once.
func (d *differ) workspace() (err error) {
	if d.cfg == nil {
		d.cfg, d.lane, err = d.app.workspace(d.cmd)
	}
	return err
}

// read fills in the modules of a side.
func (d *differ) read(s side) (side, error) {
	ctx := d.cmd.Context()
	var err error
	switch {
	case s.path != "":
		s.modules, err = kernels.Look(ctx, s.path)
		kernels.Known(gates.KernelCache(), s.modules)
		if errors.Is(err, inspect.ErrNone) {
			err = coded{gates.ExitNothing, err.Error(), ""}
		} else if err != nil && ctx.Err() == nil {
			err = coded{gates.Broken.ExitCode(), err.Error(), ""}
		}
	case s.commit.ID != "":
		s.modules, err = d.commit(ctx, s)
	default:
		s.modules, err = d.build(ctx, d.cfg, d.lane, s.set)
	}
	if err == nil {
		err = whole(s)
	}
	return s, err
}

// whole says of a side that what of it cannot be read could be what changed.
func whole(s side) error {
	for _, m := range s.modules {
		if len(m.Kernels) == 0 && len(m.Unread) > 0 {
			return coded{gates.Broken.ExitCode(), fmt.Sprintf("%s: %s cannot be read: %s", s.name, m.File, m.Unread[0]), "gpuci kernels inspect says what can"}
		}
	}
	return nil
}
