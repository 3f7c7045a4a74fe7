package main

import (
	"cmp"
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
	var noPressure bool
	cmd := &cobra.Command{
		Use:   "build [--no-pressure] -- CMD…",
		Short: "run a build whose links queue with all others on this machine",
		Long: `build runs CMD with the link shims in front: compiling goes on in parallel, and
each link waits for its turn among the links of all lanes and users of this
machine. It works in any directory, with any build system, without a gpuci.toml;
with one, [build] wait, [build] serialize and links hold.

CMD has gpuci's terminal, stdin, stdout and stderr. A signal to gpuci ends CMD
and all that came of it; what CMD leaves in the background is named and left.
While a link of ours waits for somebody else's, gpuci says so on stderr, and at
the end how many links there were, how many of them had a ticket, and what would
have caught the others. Before a link, somebody else's stall of the disk is
waited out, for [pressure] budget at most in the whole build; gpuci says when it
does that, and why. The pressure during the build is written down: gpuci pressure
plot draws it.

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
			code, err := a.build(cmd.Context(), args, noPressure)
			if err != nil {
				return err
			}
			return coded{code: code}
		},
	}
	cmd.Flags().BoolVar(&noPressure, "no-pressure", false, "hold no link back because of the pressure on this machine")
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (a *app) build(ctx context.Context, argv []string, noPressure bool) (int, error) {
	p, err := a.place(ctx, true)
	if err != nil {
		return 0, err
	}
	base := ownEnv()
	d, err := p.shims(base)
	if err != nil {
		return 0, err
	}
	rule, err := p.rule(base, noPressure)
	if err != nil {
		return 0, err
	}
	v := p.values(base)
	v.LockDir, v.Command, v.Build, v.Rule = p.lockDir(), commandText(argv), gates.NewID(time.Now()), rule.String()
	v.Lane, v.Root, v.Budget = p.lane.Name, p.lane.Root, v.Build
	if _, outer := shim.Lookup(base, shim.BudgetVar); !outer {
		defer buildlock.BudgetOf(v.LockDir, v.Build).Drop()
	}
	rec, temporary, err := a.recordBuild(p, v.Build, rule)
	if err != nil {
		return 0, err
	}
	defer os.Remove(temporary)
	v.Log = cmp.Or(temporary, rec.LinkLog())
	env := d.CommandEnv(argv, base, p.dir, v)
	ticket, err := a.serialize(ctx, p, argv)
	if err != nil {
		rec.Discard()
		return 0, err
	}
	if ticket != nil {
		env = shim.With(env, shim.TicketsVar, ticket.Mark(os.Getenv(shim.TicketsVar)))
	}
	w := a.linkWatch(v, env, d)
	began := time.Now()
	code, err := a.under(ctx, ticket, child{argv: argv, dir: a.childDir(p), env: env, watch: func(ctx context.Context, p *proc.Process) {
		rec.Follow(p, w)
		w.Run(ctx, p.Members)
	}})
	if errors.As(err, new(startError)) {
		rec.Discard()
		return code, err
	}
	if rule.Off {
		a.console.note(gates.NoPressureMark(rule))
	}
	a.endBuild(rec, v, w, d, gates.Build{Command: v.Command, Lane: v.Lane, Exit: exitOf(code, err), Started: began, Seconds: time.Since(began).Seconds()})
	return code, err
}

// exitOf is what gpuci will exit with.
func exitOf(code int, err error) int {
	var c coded
	if errors.As(err, &c) {
		return c.code
	}
	return code
}

// recordBuild begins to write the build down. Where that cannot be, its links
// are watched by a temporary file, which is to be removed.
func (a *app) recordBuild(p place, id string, rule pressure.Rule) (rec *gates.BuildRecord, temporary string, err error) {
	state, _ := gates.StateDir(p.lane, cmp.Or(p.config.Root, p.dir)) // gates say where, if it is not here
	rec, err = gates.RecordBuild(state, id, rule.Root)
	if err == nil {
		return rec, "", nil
	}
	a.console.note(err.Error())
	if temporary, err = linkLog(); err != nil {
		rec.Discard()
	}
	return rec, temporary, err
}

// linkWatch watches the links of a build with environment env.
func (a *app) linkWatch(v shim.Values, env []string, d shim.Directory) *links.Watch {
	w := &links.Watch{
		Build: v.Build, LockDir: v.LockDir, Slots: number(env, shim.LinksVar), Limit: buildlock.DefaultWait,
		Log: v.Log, Outer: os.Getenv(shim.LogVar), Shims: d.Path, Waiting: func(l buildlock.Line) { a.console.note(waitingText(l)) },
	}
	if text, ok := shim.Lookup(env, shim.WaitVar); ok {
		if d, err := time.ParseDuration(text); err == nil {
			w.Limit = d
		}
	}
	return w
}

// endBuild says at the end of a build what its links were like, and writes it
// down.
func (a *app) endBuild(rec *gates.BuildRecord, v shim.Values, w *links.Watch, d shim.Directory, b gates.Build) {
	events, err := w.Events()
	if err != nil {
		a.console.note(err.Error())
	}
	told := links.PassOn(events, os.Getenv(shim.LogVar))
	s := w.Sum(events)
	for _, e := range s.Refused {
		a.console.note(fmt.Sprintf("%s (pid %d) was not run: %s", e.Tool, e.PID, e.Error))
	}
	if len(s.Refused) > 0 && s.Refused[0].Remedy != "" { // the first says what the others would
		a.console.note("hint: " + s.Refused[0].Remedy)
	}
	if w.Broken() || !d.Whole() {
		a.console.note(shim.BrokenText + d.Path)
	}
	if s.Under != "" {
		a.console.note("links ran under pressure, one at a time, the budget for waiting being spent: " + s.Under)
	}
	if s.Blind != "" {
		a.console.note("no link was held back by the pressure, which cannot be told: " + s.Blind)
	}
	b.Links, b.Held, b.Under = s.String(), s.Held.Seconds(), s.Under
	b, err = rec.End(b)
	if err != nil {
		a.console.note("write the build down: " + err.Error())
	}
	if told { // by the gpuci above, with all of its own
		return
	}
	a.console.note(b.Links + stallText(b.Stall))
}

// stallText is the share of a build in which nothing moved for want of the
// disk: on the whole machine, whoever was the cause.
func stallText(s *pressure.Summary) string {
	if s == nil || s.IOFull == nil {
		return "; io full unknown"
	}
	text := fmt.Sprintf("; io full %.0f%% of %s", 100*s.IOFull.Mean, buildlock.Round(time.Duration(s.IOFull.Seconds*float64(time.Second))))
	if s.IOFull.Peak > s.IOFull.Mean+0.1 {
		text += fmt.Sprintf(", %.0f%% at most in a second", 100*s.IOFull.Peak)
	}
	return text
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
