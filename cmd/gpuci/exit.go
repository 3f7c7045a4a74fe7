package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/gates/config"
)

// coded is an error that knows its exit code; text and hint may be empty.
type coded struct {
	code int
	text string
	hint string
}

func (c coded) Error() string { return c.text }

// exitCode is the one place where an error becomes an exit code. ran says
// that a command's own code was reached; before that it is a matter of usage.
func exitCode(err error, ran bool) int {
	var c coded
	var problems config.Problems
	var sig gates.Signalled
	switch {
	case err == nil, unheard(err):
		return 0
	case errors.As(err, &c):
		return c.code
	case errors.As(err, &sig):
		return sig.Exit
	case errors.As(err, &problems), errors.Is(err, config.ErrNotFound), errors.Is(err, config.ErrUnreadable):
		return gates.ExitConfig
	case errors.Is(err, context.Canceled):
		return gates.ExitInterrupt
	case !ran:
		return gates.ExitUsage
	}
	return lockExit(err)
}

// exitUnfit is EX_UNAVAILABLE of sysexits.h: a command cannot do its work on
// this machine.
const exitUnfit = gates.ExitUnfit

// lockExit is the exit code of what can go wrong with a lock.
func lockExit(err error) int {
	var busy *buildlock.BusyError
	var voided *buildlock.VoidedError
	switch {
	case errors.As(err, &busy), errors.As(err, &voided), errors.Is(err, buildlock.ErrReserved):
		return gates.Refused.ExitCode()
	case errors.Is(err, buildlock.ErrOrder), errors.Is(err, buildlock.ErrNotOwner):
		return gates.ExitUsage
	case errors.Is(err, buildlock.ErrUnfit), errors.Is(err, shim.ErrUnfit):
		return exitUnfit
	case errors.Is(err, buildlock.ErrNoTicket), errors.Is(err, buildlock.ErrNoReservation):
		return gates.ExitNothing
	}
	return gates.ExitUnexpected
}

// lockHint says what to do about it.
func (a *app) lockHint(err error) string {
	var write *fs.PathError
	if errors.As(err, &write) && write.Path == os.Stdout.Name() {
		return "stdout cannot be written to"
	}
	return buildlock.Remedy(err, a.locks)
}

// exit says the error of a command, if it has words, and returns the exit code.
func (a *app) exit(cmd *cobra.Command, err error) int {
	code := exitCode(err, a.ran)
	if text, ok := cmd.Annotations[onFailure]; ok && err != nil {
		_, _ = io.WriteString(a.out, text+"\n")
	}
	if err == nil || unheard(err) {
		return code
	}
	var c coded
	var problems config.Problems
	switch {
	case errors.As(err, &problems):
		a.console.raw(problems.Error())
	case errors.As(err, &c) && c.text == "":
	default:
		a.console.note(err.Error())
	}
	if errors.Is(err, config.ErrNotFound) {
		c.hint = "gpuci init looks at what is there and writes one that runs at once"
	}
	if c.hint == "" {
		c.hint = a.lockHint(err)
	}
	switch {
	case c.hint != "":
		a.console.note("hint: " + c.hint)
	case code == gates.ExitUsage && err.Error() != "": // else it is a command's own
		a.console.note("hint: " + cmd.CommandPath() + " --help says what there is")
	}
	if a.json && err.Error() != "" {
		_ = a.jsonLine(errorLine{"error", code, err.Error(), c.hint})
	}
	if code == exitUnfit {
		a.unfit(err.Error(), c.hint)
	}
	return code
}

// unfit tells the gate that this is a command of why it cannot be judged here.
func (a *app) unfit(text, hint string) {
	if os.Getenv("GPUCI_RUN") == "" || text == "" {
		return
	}
	if hint != "" {
		text += "; " + hint
	}
	a.console.raw(gates.UnfitPrefix + " " + printable(text) + "\n")
}

// onFailure is the annotation of a command whose stdout is evaluated by a shell:
// what is to be evaluated when it fails.
const onFailure = "on-failure"

// errorLine is why there are no outcomes, in JSON.
type errorLine struct {
	Type string `json:"type"` // always "error"
	Exit int    `json:"exit"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}
