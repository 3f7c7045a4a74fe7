package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/bundle"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// version is set by the linker: -ldflags "-X main.version=…".
var version = ""

// app is what all commands share.
type app struct {
	out     io.Writer
	console *console
	hurry   <-chan struct{}
	dir     string         // -C
	locks   string         // the lock directory, once it is known
	color   string         // --color
	json    bool           // --json: what goes wrong is said on stdout too
	ran     bool           // a command's own code was reached
	driver  *gates.Cards   // of the last gate that needed a card; it is closed at the end
	bundle  *bundle.Bundle // that the workspace is; nil for one with sources
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gpuci",
		Short: "run the gates of GPU kernel work on a shared machine",
		Long: `gpuci runs the gates of a workspace (a git repository with a gpuci.toml at its
root): it builds what a gate needs, runs it, counts what ran, reads its
numbers, holds them against their limits, and ends with an outcome that a
script can act on.

  gpuci gate --list        what gates there are
  gpuci gate NAME          run one
  gpuci falsify            plant faults, and see whether the gates notice
  gpuci ab main . NAME     is this lane faster, by more than the noise
  gpuci lint               find what turns a failure into success, and prove it
  gpuci ci nightly         run what is new in every lane, and say what changed
  gpuci history            what came of them, and how their numbers went
  gpuci worktrees          how every lane stands, and what could be landed
  gpuci debt               what was refused for the card or the machine, and is owed
  gpuci scope              what the gates cover, against what production uses
  gpuci notes              the statements that expire, and which have
  gpuci kernels check      what is in the device code, against what hosts ask of it
  gpuci fixtures verify    committed fixtures, against what their generators make
  gpuci config             what holds here, and where it was written
  gpuci init               write a gpuci.toml for what is here
  gpuci doctor             what this machine lacks, and how to get it

It also keeps the links of all builds on this machine in line, one at a time,
in any directory and without a gpuci.toml:

  gpuci build -- CMD…      run a build whose links queue
  eval "$(gpuci env)"      the same for everything in this shell
  gpuci lock status        who has the locks, and who waits
  gpuci lock run -- CMD…   run a command under a lock, like flock(1)
  gpuci lock void TICKET   the recorded way past one that is stuck

and tells when the machine is stalled, why, and because of whom:

  gpuci pressure           one look; also watch, wait, and plot of a run

and says who is on which card:

  gpuci gpu                what cards there are, and who is on each; also who
  gpuci gpu wait           until one is quiet
  gpuci gpu hold           keep one for yourself; gates are refused meanwhile

and counts what any program asks of CUDA, without touching its code:

  gpuci trace -- CMD…      launches, copies, waits, memory, by stage and step
  gpuci trace report       what a launch costs, and what stands out; also diff

and ends what killed builds left behind, by whose it is:

  gpuci reaper sweep       in this lane; also list, and watch

Exit codes: 0 green or known red, 100 red, 101 build failed, 102 broken (the
gate could not say), 103 attention, 124 out of time, 75 refused; 1 unexpected,
4 nothing selected, 64 usage, 69 not possible on this machine, 78
configuration, 130 and 143 interrupted. build, lock run and trace end with the
exit code of their command.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionText(),
		Args:          noCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetVersionTemplate("gpuci {{.Version}}\n")
	cmd.PersistentFlags().StringVarP(&a.dir, "directory", "C", "", "work as if started in `DIR`")
	cmd.PersistentFlags().StringVar(&a.color, "color", "auto", "colour: auto, always or never")
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error { return a.prepare() }
	cmd.AddCommand(a.gateCommand(), a.historyCommand(), a.configCommand(), a.initCommand(), a.buildCommand(), a.envCommand(), a.lockCommand(), a.gpuCommand(), a.pressureCommand(), a.reaperCommand(),
		a.ciCommand(), a.abCommand(), a.falsifyCommand(), a.lintCommand(), a.worktreesCommand(), a.debtCommand(), a.scopeCommand(), a.notesCommand(), a.fixturesCommand(), a.kernelsCommand(), a.traceCommand())
	misplaced(cmd, a.console.note)
	a.equip(cmd) // the last one: it completes the words of all commands
	return cmd
}

// noCommand refuses a word that stands where the name of a command belongs.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2 // letters
	hint := cmd.CommandPath() + " --help says what there is"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + cmd.CommandPath() + " " + strings.Join(near, " or "+cmd.CommandPath()+" ") + "?"
	}
	for _, sub := range cmd.Commands() { // it is a command of another one
		if slices.Contains(sub.SuggestFor, args[0]) && slices.ContainsFunc(sub.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] }) {
			hint = "did you mean " + sub.CommandPath() + " " + args[0] + "?"
		}
	}
	return coded{gates.ExitUsage, fmt.Sprintf("%s has no command %q", cmd.CommandPath(), args[0]), hint}
}

// misplaced has a word that is no command here, and before a flag, answered as it
// is without the flag: gpuci sweep --lane kda, gpuci sweep --help.
func misplaced(root *cobra.Command, say func(string)) {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return noCommand(cmd, words)
		}
		return flagError(cmd, err)
	})
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var none coded
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 && errors.As(noCommand(cmd, words), &none) {
			say(none.text)
			say("hint: " + none.hint)
		}
		help(cmd, args)
	})
}

// prepare checks the flags that every command has.
func (a *app) prepare() error {
	switch a.color {
	case "auto", "always", "never":
	default:
		return fmt.Errorf("--color is auto, always or never, not %q", a.color)
	}
	a.console.chooseColor(a.color)
	a.ran = true
	return nil
}

// workspace finds the lane and reads the configuration from where we stand.
func (a *app) workspace(cmd *cobra.Command) (*config.Config, worktrees.Lane, error) {
	dir, err := a.standing()
	if err != nil {
		return nil, worktrees.Lane{}, err
	}
	lane, err := findLane(cmd.Context(), dir)
	if err != nil {
		return nil, lane, err
	}
	path, err := config.Find(dir, lane.Root)
	if err != nil {
		return nil, lane, err
	}
	if lane.Root == "" { // inside .git there is no lane, but above it may be one
		if lane, err = findLane(cmd.Context(), filepath.Dir(path)); err != nil {
			return nil, lane, err
		}
	}
	cfg, err := config.Load(config.DefaultSources(path))
	if err == nil {
		lane, err = a.unpacked(cfg, lane)
	} else if changed := changedBundle(cmd.Context(), filepath.Dir(path)); changed != nil {
		err = changed
	}
	return cfg, lane, err
}

// errNowhere says that the working directory is not there any more, or that its
// path may not be read.
var errNowhere error = coded{gates.ExitUsage, "the working directory cannot be told: it was removed, or a directory above it may not be read", "cd to one that is there, or name one by -C"}

// standing is the directory we work in, with its symbolic links resolved: $PWD
// may lead through one into another repository, and the lane and the
// configuration are both looked for from where we really are.
func (a *app) standing() (string, error) {
	dir := a.dir
	if dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return "", errNowhere
		}
		dir = wd
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", coded{gates.ExitUsage, fmt.Sprintf("-C %s: there is no such directory", dir), "name a directory in the workspace"}
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Abs(dir)
}

// findLane finds the lane of a directory; outside git it is the zero lane.
func findLane(ctx context.Context, dir string) (worktrees.Lane, error) {
	lane, err := worktrees.Find(ctx, dir)
	if errors.Is(err, worktrees.ErrNoRepository) {
		return worktrees.Lane{}, nil
	}
	return lane, err
}

// versionText is the linker's version, else what the build knows of itself.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version // with the commit in it, where the build saw one
}
