package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// answers is an error where the directory that we stand in is on a file system
// that does not answer: whoever looks into it would hang, even at his end.
func (a *app) answers(ctx context.Context) error {
	dir, err := os.Readlink("/proc/self/cwd") // os.Getwd looks into it
	if filepath.IsAbs(a.dir) {
		dir, err = a.dir, nil
	} else if a.dir != "" && err == nil {
		dir = filepath.Join(dir, a.dir)
	}
	if err != nil {
		return nil // place says what is wrong
	}
	err = gates.AnswersIn(ctx, dir)
	var none *proc.SilentError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &none):
		return coded{exitUnfit, "which lanes there are cannot be told: " + err.Error(), silentHint}
	}
	return nil // of a machine without stat(1) nothing is known
}

// silentHint is what to do about a file system that does not answer.
const silentHint = "nothing was ended; once it answers, or is unmounted (umount -f, umount -l), try again"
