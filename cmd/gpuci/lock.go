package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/gates"
)

func (a *app) lockCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lock",
		Short: "run a command under a lock; see who has the locks of this machine",
		Long: `lock is about the locks that every user of this machine shares: the link lock,
which each link of a build takes by itself, the build lock, the locks of cards, which
gates and gpuci gpu hold take, and locks with names of your own. They are taken in
this order only: named ones by their names, then build, then cards, then link.

Examples:
  gpuci lock run -- ./release.sh
  gpuci lock status
  gpuci lock void link-12 --why "the disk is gone, and so is the build"

Exit codes: those of the command in question; 64 usage.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.lockRunCommand(), a.lockStatusCommand(), a.lockVoidCommand())
	return cmd
}

// lockRunOptions are the flags of `gpuci lock run`.
type lockRunOptions struct {
	name     string
	named    bool // --name was given
	wait     time.Duration
	waits    bool // --wait was given
	noWait   bool
	conflict int
}

func (a *app) lockRunCommand() *cobra.Command {
	var o lockRunOptions
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD…",
		Short: "run a command under the build lock, or one with a name",
		Long: `run takes the build lock, or the one that --name names, runs CMD, and gives the
lock back when CMD has ended, whatever it left in the background. Where a
command above it holds the same lock already, CMD runs at once. It never takes
the link lock: what CMD links still queues, link by link.

CMD has gpuci's terminal, stdin, stdout and stderr. A signal to gpuci ends CMD
and all that came of it. If gpuci is killed, CMD goes on and so does its hold on
the lock.

Examples:
  gpuci lock run -- make -j20 release
  gpuci lock run --name registry --wait 10m -- ./push.sh
  gpuci lock run --no-wait --conflict-exit-code 0 -- ./nightly.sh

Exit codes: CMD's own, 128 and the signal's number if a signal ended it, 127 and
126 if it could not be started; 75 (or --conflict-exit-code) the lock was not
had; 64 usage, also a lock in the wrong order; 69 the lock directory cannot be
used, 78 configuration, 130 and 143 interrupted.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.waits, o.named = cmd.Flags().Changed("wait"), cmd.Flags().Changed("name")
			return a.lockRun(cmd, o, args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.name, "name", "", "take the lock called `NAME` instead of the build lock")
	f.Var((*waitFlag)(&o.wait), "wait", "wait for `D` at most (30s, 10m); as long as it takes if not given")
	f.BoolVar(&o.noWait, "no-wait", false, "do not wait at all")
	f.IntVar(&o.conflict, "conflict-exit-code", gates.Refused.ExitCode(), "exit with `N` when the lock was not had")
	return cmd
}

// check finds what cannot be meant, and returns the lock and the wait.
func (o lockRunOptions) check(argv []string) (l buildlock.Lock, wait time.Duration, err error) {
	usage := func(text, hint string) error { return coded{gates.ExitUsage, text, hint} }
	l, wait = buildlock.Build, -1
	if o.named {
		if l, err = buildlock.Named(o.name); err != nil {
			return l, 0, usage("--name: "+err.Error(), "choose another name")
		}
	}
	switch {
	case len(argv) == 0:
		return l, 0, usage("there is no command to run", "gpuci lock run -- make")
	case o.waits && o.noWait:
		return l, 0, usage("--wait and --no-wait exclude each other", "leave one of the two out")
	case o.wait < 0:
		return l, 0, usage(fmt.Sprintf("--wait %s is no time to wait", o.wait), "leave --wait out to wait as long as it takes")
	case o.conflict < 0 || o.conflict > 255:
		return l, 0, usage(fmt.Sprintf("--conflict-exit-code %d is no exit code", o.conflict), "give a number from 0 to 255")
	case o.noWait, o.waits:
		wait = o.wait
	}
	return l, wait, nil
}

func (a *app) lockRun(cmd *cobra.Command, o lockRunOptions, argv []string) error {
	l, wait, err := o.check(argv)
	if err != nil {
		return err
	}
	p, err := a.place(cmd.Context(), false)
	if err != nil {
		return err
	}
	t, err := a.take(cmd.Context(), p, l, wait, argv)
	var busy *buildlock.BusyError
	if errors.As(err, &busy) {
		return coded{o.conflict, err.Error(), a.lockHint(err) + "; --wait says how long to wait"}
	}
	if err != nil {
		return err
	}
	env := shim.With(os.Environ(), shim.TicketsVar, t.Mark(os.Getenv(shim.TicketsVar)))
	env = shim.With(env, shim.LockDirVar, p.lockDir())
	code, err := a.under(cmd.Context(), t, child{argv: argv, dir: a.childDir(p), env: env})
	if err != nil {
		return err
	}
	return coded{code: code}
}
