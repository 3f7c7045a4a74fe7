package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/gates/config"
)

// TestExitCode walks the table of what can go wrong.
func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		ran  bool
		want int
	}{
		{nil, true, 0},
		{errors.New("unknown flag"), false, 64},
		{errors.New("something"), true, 1},
		{coded{code: 17}, true, 17},
		{startError{coded{code: 127}}, true, 127},
		{gates.Signalled{Exit: 143}, true, 143},
		{context.Canceled, true, 130},
		{config.Problems{{}}, true, 78},
		{config.ErrNotFound, true, 78},
		{config.ErrUnreadable, true, 78},
		{&buildlock.BusyError{}, true, 75},
		{&buildlock.VoidedError{}, true, 75},
		{buildlock.ErrOrder, true, 64},
		{buildlock.ErrNotOwner, true, 64},
		{buildlock.ErrUnfit, true, 69},
		{shim.ErrUnfit, true, 69},
		{buildlock.ErrNoTicket, true, 4},
	} {
		err := c.err
		if err != nil {
			err = fmt.Errorf("do it: %w", err)
		}
		if got := exitCode(err, c.ran); got != c.want {
			t.Errorf("exitCode(%v, %v) = %d, want %d", err, c.ran, got, c.want)
		}
	}
}
