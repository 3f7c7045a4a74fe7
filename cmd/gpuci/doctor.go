package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock/shim"
	"gpuci/gates/config"
)

// doctorOptions are the flags of `gpuci doctor`.
type doctorOptions struct{ json, verbose bool }

func (a *app) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "say what gpuci finds on this machine, what is lost, and how to get it",
		Long: `doctor looks at everything that gpuci rests on, here and now: itself and its
configuration, the lane and where its records go, git, the kernel, the lock
directory, compilers, linkers, the caches in front of them, CUDA, the driver, the
cards, what counting a program's calls of CUDA takes and, where there is a [slurm],
the cluster and the directory that its nodes share. Each is

  ok        there, or not there and nothing here asks for it
  lost      gpuci works without it, and does less: it says what
  broken    something cannot work as it is
  unknown   it could not be found out in time

It changes nothing, starts no server and downloads nothing; a look at the cards makes
no context on them. Tools are asked for
their versions, at most four at once and 5 s each; one that hangs is named and
ended. It works anywhere: without a gpuci.toml, outside of git, in a container.

With --json each check is a line with its group, name, state, value, path,
version, what is lost without it, and how to get it; exit is there where the
check alone keeps gates from running. The last line has the sums.

Examples:
  gpuci doctor
  gpuci doctor -v                          # every tool on a line of its own
  gpuci doctor --json | jq -r 'select(.state == "lost") | .get'
  gpuci doctor >/dev/null || exit          # in a script, before the gates

Exit codes: 0 gates can run here, though something may be lost; 64 usage, 69
something is broken that every gate needs (git in a lane of git's, the lock
directory, the directory for the records), 78 a configuration file is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = o.json
			return readerGone(a.doctor(cmd.Context(), o))
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "every tool on a line of its own")
	return cmd
}

// doctor is what the checks have in common.
type doctor struct {
	app   *app
	place place    // with what can be told of it: lane and configuration may be empty ones
	env   []string // the user's: no shims of ours in it
	file  string   // the workspace's, "" for none

	wrong   error // why the configuration cannot be read
	noLane  error // why there is none, where that is not that there is no git worktree
	uses    uses
	answers map[string]tool // what the tools said, by name
	cuda    cuda            // the CUDA compiler
}

// groups are the groups of checks, in the order of their telling.
func (d *doctor) groups() []group {
	return []group{
		{"gpuci", d.checkGpuci}, {"workspace", d.checkWorkspace}, {"git", d.checkGit}, {"kernel", d.checkKernel},
		{"locks", d.checkLocks}, {"tools", d.checkTools}, {"linkers", d.checkLinkers}, {"caches", d.checkCaches}, {"cuda", d.checkCUDA}, {"card", d.checkCards}, {"trace", d.checkTrace}, {"slurm", d.checkSlurm},
	}
}

// groupTime bounds one group: a file may be on a server that does not answer.
const groupTime = 10 * time.Second

func (a *app) doctor(ctx context.Context, o doctorOptions) error {
	d, err := a.examine(ctx)
	if err != nil {
		return err
	}
	d.ask(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r := runGroups(ctx, d.groups(), groupTime)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	say := a.doctorText
	if o.json {
		say = a.doctorJSON
	}
	if err := say(r, o); err != nil {
		return err
	}
	return coded{code: r.exit()}
}

// examine finds out where we stand; what is wrong there is noted, and found by
// the checks.
func (a *app) examine(ctx context.Context) (*doctor, error) {
	d := &doctor{app: a, env: shim.Bare(ownEnv())}
	dir, err := a.standing()
	switch {
	case errors.Is(err, errNowhere):
		d.noLane, dir = err, "/"
	case err != nil:
		return nil, err
	default:
		d.place.lane, d.noLane = findLane(ctx, dir)
	}
	if d.place.dir = dir; dir != "/" || d.noLane == nil {
		d.find(ctx)
	}
	d.configure()
	d.uses = d.usesOf()
	return d, nil
}

// find looks for the workspace's file.
func (d *doctor) find(ctx context.Context) {
	file, err := config.Find(d.place.dir, d.place.lane.Root)
	switch {
	case errors.Is(err, config.ErrNotFound):
		return
	case err != nil:
		d.wrong = err
		return
	}
	d.file = file
	if d.place.lane.Root == "" && d.noLane == nil { // inside .git there is no lane, but above it may be one
		d.place.lane, d.noLane = findLane(ctx, filepath.Dir(file))
	}
}
