package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "write the manual pages",
		Long: `man writes a page of the manual for each command into DIR: gpuci.1, gpuci-gate.1
and so on, made from the same texts as --help. DIR is made if it is not there;
pages of gpuci that are in it are replaced, all of them or none. Without DIR,
gpuci(1) goes to stdout.

The pages have the date of the commit that gpuci was built from, or the one in
SOURCE_DATE_EPOCH, so that a second build writes the same bytes.

Examples:
  gpuci man | man -l -
  gpuci man ~/.local/share/man/man1
  gpuci man /usr/local/share/man/man1      # then man gpuci-gate

Exit codes: 0, 64 usage, also a terminal to write to; 1 DIR cannot be written.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return readerGone(a.man(cmd.Root(), args)) },
	}
}

func (a *app) man(root *cobra.Command, args []string) error {
	date, err := manDate(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if terminal(a.out) != nil {
			return coded{gates.ExitUsage, "a page of the manual is not for a terminal as it is", "gpuci man | man -l - shows it; gpuci man DIR writes all"}
		}
		_, err := a.out.Write(manPage(root, date))
		return err
	}
	pages := make(map[string][]byte)
	for _, cmd := range manCommands(root) {
		pages[manName(cmd)+".1"] = manPage(cmd, date)
	}
	return writePages(args[0], pages)
}

// manCommands are the commands that have a page: all that help tells of.
func manCommands(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, manCommands(sub)...)
		}
	}
	return out
}

// manName is what the page of a command is called.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// writePages writes files into a directory, all or none: each under another name
// first, and when all are there, and nothing stands in the way of any, each under
// its own.
func writePages(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make directory for the pages: %w", err)
	}
	made := make(map[string]string) // by the name that a file is to have
	defer func() {
		for _, tmp := range made {
			_ = os.Remove(tmp) // those that have their name by now are not here
		}
	}()
	for name, data := range files {
		tmp, err := writeAside(dir, data)
		if err != nil {
			return fmt.Errorf("write page %s: %w", name, err)
		}
		made[name] = tmp
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return fmt.Errorf("write page %s: there is a directory of that name in %s; remove it, or name another DIR", name, dir)
		}
	}
	for name := range files {
		if err := os.Rename(made[name], filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("write page %s: %w", name, err)
		}
		delete(made, name)
	}
	return nil
}

// writeAside writes a file of a new name.
func writeAside(dir string, data []byte) (path string, err error) {
	f, err := os.CreateTemp(dir, ".gpuci-man-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// manDate is the date of the pages: that in SOURCE_DATE_EPOCH, in seconds, or
// else of the commit that gpuci was built from. Where neither is known it is
// always the same day.
func manDate(epoch string) (time.Time, error) {
	if epoch != "" {
		n, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || n < 0 || n > maxEpoch {
			return time.Time{}, coded{gates.ExitUsage, fmt.Sprintf("SOURCE_DATE_EPOCH is %q, which is no number of seconds", epoch), "git log -1 --format=%ct prints one"}
		}
		return time.Unix(n, 0), nil
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Unix(0, 0), nil
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return at, nil
			}
		}
	}
	return time.Unix(0, 0), nil
}

// maxEpoch is the last second of the year 9999: a later date has no such form.
const maxEpoch = 253402300799
