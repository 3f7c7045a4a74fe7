package main

import (
	"context"
	"errors"
	"os"

	"gpuci/gates"
	"gpuci/gates/bundle"
)

// changedBundle says of a directory whose gpuci.toml cannot be read that it is a bundle
// which is not as it was packed: what was packed could be read. nil where it is no bundle,
// or sound.
func changedBundle(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		self = ""
	}
	b, err := bundle.Open(dir, bundle.Self{Version: versionText(), Executable: self})
	if err == nil && b != nil {
		_, err = b.Sound(ctx)
	}
	var unsound *gates.UnsoundError
	if errors.As(err, &unsound) {
		return coded{unsound.Outcome.ExitCode(), unsound.Text, unsound.Next}
	}
	return nil
}
