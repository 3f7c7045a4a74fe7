package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"gpuci/gates"
	"gpuci/pressure/plot"
)

// stdoutName is stdout where a file can be named.
const stdoutName = "-"

// plotOptions are the flags of `gpuci pressure plot`.
type plotOptions struct {
	out   string
	force bool
}

func (a *app) pressurePlotCommand() *cobra.Command {
	var o plotOptions
	cmd := &cobra.Command{
		Use:   "plot RUN [-o FILE]",
		Short: "draw the pressure during a gate or a build",
		Long: `plot draws what was waited on this machine while a gate or a build ran, as an
SVG that needs nothing else: the curves over time, and under them the phases,
the links at work, those in line, and what was held back because of the pressure.

RUN is the id of a run or a build of this repository, the beginning of one, or
last. Outside of git it is a run or a build of this directory or of one above it.
What goes on, or was killed, is drawn as far as it has come. Times are of the zone that is named under the
curves: the local one, as TZ says.

Examples:
  gpuci pressure plot last > last.svg
  gpuci pressure plot 20261130T0102 -o stall.svg

Exit codes: 0, 4 no such run, 64 usage, also a FILE that is there already
(--force replaces it), and a terminal to write to; 78 configuration, 1 it cannot
be read or written.`,
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return readerGone(a.pressurePlot(cmd.Context(), o, args[0]))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write to `FILE` instead of stdout, which - is too")
	f.BoolVar(&o.force, "force", false, "replace FILE if it is there")
	return cmd
}

// oneRun wants the name of a run.
func oneRun(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return coded{gates.ExitUsage, "no run is named", "gpuci pressure plot last draws the one that began last"}
	case 1:
		return nil
	}
	return coded{gates.ExitUsage, fmt.Sprintf("%d runs are named, and one is drawn", len(args)), "draw one after the other, each with -o FILE"}
}

func (a *app) pressurePlot(ctx context.Context, o plotOptions, name string) error {
	if o.out == "" && terminal(a.out) != nil {
		return coded{gates.ExitUsage, "an SVG is nothing to read on a terminal", "-o FILE writes it there, and -o - here all the same"}
	}
	p, err := a.place(ctx, false)
	if err != nil {
		return err
	}
	dir, err := findRun(stateDirs(p), name)
	if err != nil {
		return err
	}
	r, err := readRun(dir, a.console.note)
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := plot.Draw(&svg, r.chart()); err != nil {
		return err
	}
	if o.out == "" || o.out == stdoutName {
		_, err = a.out.Write(svg.Bytes())
		return err
	}
	path := o.out
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	return writeWhole(path, svg.Bytes(), o.force)
}

// writeWhole makes a file appear whole or not at all, in the place of another
// one only if told.
func writeWhole(path string, data []byte, force bool) error {
	there := coded{gates.ExitUsage, path + " is there already", "--force replaces it"}
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return coded{gates.ExitUsage, path + " is no regular file", "leave -o out to write to stdout"}
	case err == nil && !force:
		return there
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // replace the file, and not the link to it
	}
	part := fmt.Sprintf("%s.part-%d", path, os.Getpid())
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	defer os.Remove(part)
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	if force {
		return os.Rename(part, path) // it names both
	}
	err = os.Link(part, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // no links on that file system
		err = unix.Renameat2(unix.AT_FDCWD, part, unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	}
	switch {
	case errors.Is(err, fs.ErrExist): // it has come meanwhile
		return there
	case err != nil:
		return fmt.Errorf("write chart %s: %w", path, err)
	}
	return nil
}
