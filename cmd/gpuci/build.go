package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/pressure"
	"gpuci/reaper/proc"
)

func (a *app) buildCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build -- CMD…",
		Short: "run a build whose links queue with all others on this machine",
		Long: `build runs CMD with the link shims in front: compiling goes on in parallel, and
each link waits for its turn among the links of all lanes and users of this
machine. It works in any directory, with any build system, without a gpuci.toml;
with one, [build] wait, [build] serialize and links hold.

CMD has gpuci's terminal, stdin, stdout and stderr. A signal to gpuci ends CMD
and all that came of it; what CMD leaves in the background is named and left.
While a link of ours waits for somebody else's, gpuci says so on stderr, and at
the end how many links there were, how many of them had a ticket, and what would
have caught the others.

Examples:
  gpuci build -- cargo build --tests
  gpuci build -- cmake --build build -j20
  gpuci build -- make -j20 && ./run-tests

Exit codes: CMD's own, 128 and the signal's number if a signal ended it, 127 and
126 if it could not be started; 64 usage, 69 shims cannot be made or the lock
directory cannot be used, 75 the build lock was not had in [build] wait, 78
configuration, 130 and 143 interrupted. A link that waited longer than [build]
wait fails, and the build with it.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return coded{gates.ExitUsage, "there is no command to run", "gpuci build -- cargo build"}
			}
			code, err := a.build(cmd.Context(), args)
			if err != nil {
				return err
			}
			return coded{code: code}
		},
	}
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (a *app) build(ctx context.Context, argv []string) (int, error) {
	p, err := a.place(ctx, true)
	if err != nil {
		return 0, err
	}
	base := ownEnv()
	d, err := p.shims(base)
	if err != nil {
		return 0, err
	}
	log, err := linkLog()
	if err != nil {
		return 0, err
	}
	defer os.Remove(log)
	v := p.values(base)
	v.LockDir, v.Command, v.Build, v.Log = p.lockDir(), commandText(argv), gates.NewID(time.Now()), log
	v.Lane, v.Root = p.lane.Name, p.lane.Root
	queued, env := d.Command(argv, base, p.dir, v)
	ticket, err := a.serialize(ctx, p, argv)
	if err != nil {
		return 0, err
	}
	if ticket != nil {
		env = shim.With(env, shim.TicketsVar, ticket.Mark(os.Getenv(shim.TicketsVar)))
	}
	w := a.linkWatch(v, env)
	before := pressure.Read(pressure.Real)
	code, err := a.under(ctx, ticket, child{argv: queued, dir: a.childDir(p), env: env, watch: func(ctx context.Context, p *proc.Process) {
		w.Run(ctx, p.Members)
	}})
	if !errors.As(err, new(startError)) {
		a.sayLinks(log, w, d, before)
	}
	return code, err
}

// linkWatch watches the links of a build with environment env.
func (a *app) linkWatch(v shim.Values, env []string) *links.Watch {
	w := &links.Watch{
		Build: v.Build, LockDir: v.LockDir, Slots: number(env, shim.LinksVar), Limit: buildlock.DefaultWait,
		Waiting: func(l buildlock.Line) { a.console.note(waitingText(l)) },
	}
	if text, ok := shim.Lookup(env, shim.WaitVar); ok {
		if d, err := time.ParseDuration(text); err == nil {
			w.Limit = d
		}
	}
	return w
}

// sayLinks says at the end of a build what its links were like.
func (a *app) sayLinks(log string, w *links.Watch, d shim.Directory, before pressure.Reading) {
	events, err := buildlock.ReadLinkLog(log)
	if err != nil {
		a.console.note(err.Error())
	}
	links.PassOn(events, os.Getenv(shim.LogVar))
	s := w.Sum(events)
	for _, e := range s.Refused {
		a.console.note(fmt.Sprintf("%s (pid %d) was not run: %s", e.Tool, e.PID, e.Error))
	}
	if len(s.Refused) > 0 && s.Refused[0].Remedy != "" { // the first says what the others would
		a.console.note("hint: " + s.Refused[0].Remedy)
	}
	if !d.Whole() {
		a.console.note(shim.BrokenText + d.Path)
	}
	a.console.note(s.String() + stallText(before, pressure.Read(pressure.Real)))
}

// stallText is the share of the build in which nothing moved for want of the
// disk: on the whole machine, whoever was the cause.
func stallText(before, after pressure.Reading) string {
	wall := after.Time.Sub(before.Time)
	share, ok := pressure.Stall(before.IO.Full, after.IO.Full, wall)
	if !ok {
		return "; io full unknown"
	}
	return fmt.Sprintf("; io full %.0f%% of %s", 100*share, buildlock.Round(wall))
}

// serialize takes the build lock where the configuration asks for it.
func (a *app) serialize(ctx context.Context, p place, argv []string) (*buildlock.Ticket, error) {
	if p.config.Build.Serialize != config.SerializeBuild {
		return nil, nil
	}
	t, err := a.take(ctx, p, buildlock.Build, p.config.Build.Wait, argv)
	if errors.As(err, new(*buildlock.BusyError)) {
		return nil, coded{gates.Refused.ExitCode(), err.Error(), a.lockHint(err) + "; [build] wait in gpuci.toml says how long to wait"}
	}
	return t, err
}
