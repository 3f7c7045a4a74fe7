package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/reaper"
)

// sweepOptions are the flags of `gpuci reaper sweep`.
type sweepOptions struct {
	laneFlags
	dryRun, testBinaries, json bool
	deadline                   time.Duration
}

func (a *app) reaperSweepCommand() *cobra.Command {
	o := sweepOptions{deadline: reaper.DefaultDeadline}
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "end what a killed build left behind in this lane",
		Long: `sweep ends the compilers and linkers of this lane that outlived their build, with
everything below them, the topmost first: it looks, sends SIGKILL to what is
leaked, and looks again until two looks in a row find nothing or --deadline is
over. What a gate left whose gpuci was killed goes too, whatever it is; what a
gpuci build started that was killed goes on as a build, and is none of it. What
is younger than 2 s is waited for.

Orphaned test binaries of the lane's target directory are only listed, by gpuci
reaper list; --test-binaries ends those that are named as cargo names them
(deps/NAME-<16 hex digits>), do not ignore SIGHUP and do not lead a session: a
training run that was started with nohup looks just like them. The others it
names, with what spoke for them.

Each is named on stderr as it is gone, and written down in reaper.jsonl among the
records of the workspace (GIT_COMMON_DIR/gpuci), as is each that was sent SIGKILL
and is still there at the end ("left"). A process that waits in the
kernel for a disk that does not answer is not ended by SIGKILL: it is named, with
its state, what it waits in, and whether the signal is pending. A program that
is orphaned anew all the time, so that none is ever 2 s old, is named too, and
nothing is sent to it: what starts it may be a build.

Examples:
  gpuci reaper sweep --dry-run
  gpuci reaper sweep
  gpuci reaper sweep --lane kda --lane kda2 --deadline 1m

Exit codes: 0 all are gone, or there were none, or --dry-run; 75 some are left,
or come anew all the time, or --deadline was over before two looks in a row found
nothing; 4 no such lane, or no lane here, 64 usage, 69 it may not look (the process
table cannot be read or is another pid namespace's, the file system of a lane does
not answer, --deadline was over before one look was whole), 78 configuration, 130
and 143 interrupted (what was swept is told).`,
		Args: noLaneWord,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.reaperSweep(cmd.Context(), o) },
	}
	o.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be ended, and end nothing")
	f.BoolVar(&o.testBinaries, "test-binaries", false, "end orphaned test binaries of the target directory too")
	f.Var((*waitFlag)(&o.deadline), "deadline", "give up after `D` (10s, 1m)")
	f.BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

func (a *app) reaperSweep(ctx context.Context, o sweepOptions) error {
	a.json = o.json
	if o.deadline <= 0 {
		return coded{gates.ExitUsage, fmt.Sprintf("--deadline %s is no time to sweep", o.deadline), "give a time such as 10s"}
	}
	g, err := a.ground(ctx, o.laneFlags)
	if err != nil {
		return err
	}
	if err = g.known(); err == nil && !o.dryRun {
		err = g.errTorn()
	}
	if err != nil {
		return err
	}
	a.noteTorn(g)
	s := a.sweep(ctx, g, o)
	_ = a.console.settle()
	say := a.sweepText
	if o.json {
		say = a.sweepJSON
		a.json = false // its last line says why not, too
	}
	if err := readerGone(say(s)); err != nil { // nobody reads it: what came of it is told by the exit code
		return err
	}
	return s.verdict()
}

// swept is all that `gpuci reaper sweep` tells.
type swept struct {
	ground
	reaper.Report
	kills  []gates.KillRecord // what is gone
	dry    bool
	spared []reaper.Judged // would have gone, but for their age, their user or what they were told
	leaks  []leakedLane    // of lanes that were not asked for
	unseen []unseen
	took   time.Duration
	err    error // why the sweep did not come to its end
}

// sweep does it, and says each as it is gone.
func (a *app) sweep(ctx context.Context, g ground, o sweepOptions) swept {
	g.rules.TestBinaries = o.testBinaries
	s := swept{ground: g, dry: o.dryRun}
	history := &killHistory{state: g.state}
	opt := g.options()
	opt.Deadline, opt.DryRun = o.deadline, o.dryRun
	opt.Killed = func(k reaper.Kill) {
		line := gates.NewKillRecord(k, "")
		s.kills = append(s.kills, line)
		history.add(line)
		a.console.note(goneText(k))
	}
	began := time.Now()
	s.Report, s.err = reaper.Sweep(ctx, opt)
	s.took = time.Since(began)
	for _, k := range s.Left {
		history.add(gates.NewLeftRecord(k, ""))
	}
	if s.err = reaperError(ctx, s.err); s.err == nil {
		s.err = s.lookAgain(ctx)
	}
	if err := history.end(a.hurry); err != nil {
		a.console.note(err.Error())
	} else if g.note != "" && len(s.kills)+len(s.Left) > 0 {
		a.console.note(g.note)
	}
	return s
}

// goneText is what is said of one that is gone.
func goneText(k reaper.Kill) string {
	by := "gone after"
	if k.Earlier {
		by = "by a SIGKILL that was pending before, gone after another"
	}
	return fmt.Sprintf("ended %s (pid %d), %s old, %s %s: %s", k.Program(), k.PID, buildlock.Round(k.Age), by, tookText(k.Took), shortWhy(k.Judged))
}

// tookText is how long one took to die, which is mostly less than a millisecond.
func tookText(d time.Duration) string {
	if d > 0 && d < time.Millisecond {
		return "less than 1ms"
	}
	return buildlock.Round(d).String()
}

// shortWhy is why one is leaked; of one that goes with another one, with which:
// that one's own line says why.
func shortWhy(j reaper.Judged) string {
	if j.Leaked && j.PID != j.Top {
		return fmt.Sprintf("below pid %d", j.Top)
	}
	return j.Why
}

// verdict is the sweep's error: why it did not come to its end, or that there
// are survivors.
func (s swept) verdict() error {
	if s.err != nil {
		return s.err
	}
	var texts, hints []string
	if n := len(s.Survivors); n > 0 {
		texts, hints = append(texts, count(n, "leaked process is", "leaked processes are")+" left"), append(hints, s.leftHint())
	}
	if n := len(s.Chains); n > 0 {
		texts = append(texts, chainsText(n))
		for _, c := range s.Chains {
			hints = append(hints, chainHint(c))
		}
	}
	if text := s.CutShort(); text != "" && !s.dry {
		texts, hints = append(texts, text), append(hints, "sweep again, with a longer --deadline")
	}
	if len(texts) == 0 {
		return nil
	}
	return coded{gates.Refused.ExitCode(), strings.Join(texts, "; "), strings.Join(hints, "; ")}
}

// leftHint says what becomes of the survivors, or what to do about them.
func (s swept) leftHint() string {
	var pending, failed, early bool
	for _, left := range s.Survivors {
		switch {
		case left.Pending || left.Sent:
			pending = true
		case left.Err != nil:
			failed = true
		default:
			early = true
		}
	}
	var hints []string
	if pending {
		hints = append(hints, "one that SIGKILL is pending for goes when the kernel lets it; --deadline says how long to wait")
	}
	if early {
		hints = append(hints, "the deadline was over before all were sent one: sweep again, with a longer --deadline")
	}
	if failed {
		hints = append(hints, "what was sent nothing is let be for what its line says")
	}
	return strings.Join(hints, "; ")
}
