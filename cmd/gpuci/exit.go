package main

import (
	"context"
	"errors"

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
	case err == nil:
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
	return gates.ExitUnexpected
}

// exit says the error, if it has words, and returns the exit code.
func (a *app) exit(err error) int {
	code := exitCode(err, a.ran)
	if err == nil {
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
	switch {
	case c.hint != "":
		a.console.note("hint: " + c.hint)
	case code == gates.ExitUsage:
		a.console.note("hint: gpuci --help, or gpuci gate --help, says what there is")
	}
	if a.json && err.Error() != "" {
		_ = a.jsonLine(errorLine{"error", code, err.Error(), c.hint})
	}
	return code
}

// errorLine is why there are no outcomes, in JSON.
type errorLine struct {
	Type string `json:"type"` // always "error"
	Exit int    `json:"exit"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}
