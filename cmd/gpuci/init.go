package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/propose"
)

// initOptions are the flags of `gpuci init`.
type initOptions struct {
	print bool
	dir   string
}

func (a *app) initCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "look at a workspace and write its gpuci.toml",
		Long: `init looks at the repository we are in, for Cargo packages and their tests, Go
modules, CMake projects with CTest, pytest, Makefiles and package.json, and
writes a commented gpuci.toml at its root that runs at once: a gate for each
kind of test, with how its tests are counted, and a [[kernels]] set for the CUDA
sources of each package, for the cards that the machine's file names. What was
found and nothing was made of is said at the top, with the reason. Outside git it
is the directory we are in.

It replaces nothing, and runs nothing but cargo metadata and git check-ignore.
Hidden and vendored directories, what git ignores, and repositories inside this
one are not looked into; symbolic links are not followed.

Examples:
  gpuci init --print               # to stdout only
  gpuci init && gpuci gate --list
  gpuci init --dir crates/kernels  # look below this directory only

Exit codes: 0, 4 nothing to make a gate of, 64 usage, 78 gpuci.toml is there
already, 130 and 143 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.propose(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.print, "print", false, "print the file to stdout and write none")
	f.StringVar(&o.dir, "dir", "", "look below `DIR` only; the file goes to the root all the same")
	return cmd
}

func (a *app) propose(ctx context.Context, o initOptions) error {
	root, below, err := a.initPlace(ctx, o)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(root, config.FileName)); err == nil && !o.print {
		return thereAlready(root)
	}
	p, err := propose.Look(ctx, propose.Options{Root: root, Below: below, Cards: cardsHere(), Hurry: a.hurry})
	a.noteProposal(p)
	switch {
	case errors.Is(err, propose.ErrNothing):
		return nothingFound(filepath.Join(root, below), p)
	case err != nil:
		return err
	case o.print:
		_, err := a.out.Write([]byte(p.Text))
		return err
	}
	if err := propose.Write(root, p.Text); errors.Is(err, propose.ErrThere) {
		return thereAlready(root)
	} else if err != nil {
		return err
	}
	return a.printInit(root, p)
}

// cardsHere are the compute capabilities of the cards that the machine's file names. A
// file that is wrong says so wherever it counts.
func cardsHere() (all []string) {
	cfg, err := config.Load(config.DefaultSources(os.DevNull))
	if err != nil {
		return nil
	}
	for _, c := range cfg.Cards {
		all = append(all, c.Capability)
	}
	return all
}

// initPlace is the root that the file goes to, and the directory below it that
// is looked at.
func (a *app) initPlace(ctx context.Context, o initOptions) (root, below string, err error) {
	at, err := a.standing()
	if err != nil {
		return "", "", err
	}
	lane, err := findLane(ctx, at)
	if err != nil {
		return "", "", err
	}
	if root = lane.Root; root == "" {
		root = at
		a.console.note("this is no git repository: the workspace is " + root)
	}
	if above, err := config.Find(filepath.Dir(root), ""); err == nil {
		a.console.note(fmt.Sprintf("there is a gpuci.toml further up, %s: it is another workspace's", above))
	}
	if o.dir == "" {
		return root, ".", nil
	}
	dir := o.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(at, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	info, serr := os.Stat(real)
	if err != nil || serr != nil || !info.IsDir() {
		return "", "", coded{gates.ExitUsage, fmt.Sprintf("--dir %s: there is no such directory", o.dir), "name a directory of the workspace"}
	}
	if below, err = filepath.Rel(root, real); err != nil || !filepath.IsLocal(below) {
		return "", "", coded{gates.ExitUsage, fmt.Sprintf("--dir %s is not in the workspace %s", o.dir, root), "go there, or use -C"}
	}
	return root, below, nil
}

func thereAlready(root string) error {
	return coded{gates.ExitConfig, config.FileName + " is there already in " + root, "gpuci init --print shows what init would write; take from it what you like"}
}
