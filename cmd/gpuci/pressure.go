package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/pressure"
)

// pressureRoot is the directory of pressure files: in a container the host's can
// stand elsewhere, and a test has its own.
func pressureRoot() string {
	rule, err := pressure.ParseRule(os.Getenv(shim.PressureVar)) // one that is wrong is told to who acts by it
	if err != nil {
		return pressure.Real
	}
	return cmp.Or(rule.Root, pressure.Real)
}

// checkRule refuses a rule in the environment that cannot be read: what it names
// would not be looked at.
func checkRule() error {
	_, err := place{config: &config.Config{}}.rule(os.Environ(), false)
	return err
}

// lookOptions are the flags of `gpuci pressure`.
type lookOptions struct {
	json bool
	long time.Duration // of the look
}

func (a *app) pressureCommand() *cobra.Command {
	o := lookOptions{long: time.Second}
	cmd := &cobra.Command{
		Use:   "pressure",
		Short: "say what this machine is short of, and who waits for it",
		Long: `pressure looks at the machine for a second and names what it is short of: the
disk, memory, processors, or nothing. Then, for each resource, the share of time
in which some tasks waited for it and in which all did (full), by the kernel's
pressure stall information: measured over the look, and the kernel's averages
over 10 s, 60 s and 300 s. Then memory, what waits in it to be written, and the
processes in D (waiting in the kernel, mostly for the disk) with the lane each
is in; builds that have had no CPU for minutes; and what could not be seen.

A lane's processes are those that work inside of it or of its target directory,
run a program from there, or have a file open there. The lanes are those of the
repository we stand in. Several looks are taken within the second, and "D 2/5"
is a process that was in D at two of five; of a process with threads only the
first one is looked at. Some in D do not wait for the disk: they have called
vfork and wait for a child, or were frozen. These are listed as that.

What a look is called, the worst first, by its shares of the time:
  memory thrash   memory full 10% or more, or some 30%
  disk-saturated  io full 20% or more, or some 60% with 4 processes in D
  CPU-bound       cpu some 50% or more
  quiet           none of these: that is no idle machine
A second can miss one who writes now and then: --for 10s does not.

Then who used processors: its own threads, and children of it that ended within
the look, which is most of a build.

Examples:
  gpuci pressure
  gpuci pressure --for 10s
  gpuci pressure --json | jq 'select(.type == "process") | .lane'
  gpuci pressure wait --io-full 40 && make -j20

Exit codes: 0, 64 usage, 69 no pressure can be read on this machine (what else
was seen is printed before), 78 configuration, 130 and 143 interrupted.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return readerGone(a.pressure(cmd.Context(), o)) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	f.Var((*waitFlag)(&o.long), "for", "look for `D` long (1s, 10s)")
	cmd.AddCommand(a.pressureWatchCommand(), a.pressureWaitCommand(), a.pressurePlotCommand())
	return cmd
}

// readerGone takes the end of who reads stdout for the end of the work: head(1)
// has what it wanted, and nobody is there to be told.
func readerGone(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// The bounds of --for: a shorter look is shorter than the kernel's own steps,
// and what is wanted of a longer one is `gpuci pressure watch`.
const (
	shortestLook = 100 * time.Millisecond
	longestLook  = time.Hour
)

func (a *app) pressure(ctx context.Context, o lookOptions) error {
	a.json = o.json
	if err := checkRule(); err != nil {
		return err
	}
	if o.long < shortestLook || o.long > longestLook {
		return coded{gates.ExitUsage, fmt.Sprintf("--for %s is no time to look", o.long), "give a time from 100ms to 1h"}
	}
	p, err := a.place(ctx, false)
	if err != nil {
		return err
	}
	l, err := a.look(ctx, p, o.long)
	if err != nil {
		return err
	}
	say := a.lookText
	if o.json {
		say = a.lookJSON
	}
	if err := say(l); err != nil {
		return err
	}
	if r := l.after; r.CPU.Unknown != nil && r.IO.Unknown != nil && r.Memory.Unknown != nil {
		return coded{exitUnfit, "no pressure can be read: " + whyUnknown(l.after), l.diagnosis.Next}
	}
	return nil
}

// whyUnknown is the reason that nothing is known of any resource.
func whyUnknown(r pressure.Reading) string {
	for _, x := range []pressure.Resource{r.IO, r.CPU, r.Memory} {
		if x.Unknown != nil {
			return x.Unknown.Error()
		}
	}
	return "no time passed between two looks"
}
